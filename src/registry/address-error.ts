import { isExposed } from '../core/text/web-address.ts';
import type { WebRegistryAddress } from './address.ts';
import { RegistryError } from './registry-error.ts';

const FOREIGN = { npm: 'npm registries', oci: 'OCI registries', github: 'GitHub' } as const;

/** Why a token must not be sent to an address, or why what is asked of a registry there is not possible. */
export function addressError(
  { kind, url }: WebRegistryAddress,
  where: string,
  doing:
    | 'publish to'
    | 'report to'
    | 'read reports of'
    | 'read logs of'
    | 'retire machines of'
    | 'join'
    | 'configure machines of',
): RegistryError | undefined {
  if (kind !== 'modreg') {
    const message = `modreg cannot ${doing} ${FOREIGN[kind]}`;
    const hint = "name a registry with modreg's protocol";
    return badAddress(
      message,
      doing === 'publish to' ? 'publish with the tools of that registry' : hint,
    );
  }
  if (url.search !== '' || url.hash !== '') {
    return badAddress(`the address of ${where} has a query or a fragment`, 'remove it');
  }
  if (!isExposed(url, [])) return undefined;
  const message = `${where} is reached by plain http:, and others could read the token`;
  return badAddress(message, 'use https:');
}

function badAddress(message: string, hint: string): RegistryError {
  return new RegistryError('bad-address', message, { hint });
}

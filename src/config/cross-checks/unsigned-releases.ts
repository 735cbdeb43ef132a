import { parseRegistryAddress } from '../../registry/address.ts';
import type { UpdatePolicy, UpdateTerms } from '../../core/machine/update-policy.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import type { Finding } from '../fault.ts';

const MESSAGE =
  'its releases need no signatures, because trust names no trust document; "unsigned" says that this is meant';

/** The registries of modreg whose releases need no signatures although the policy does not say so (D137). */
export function unsignedReleases({ terms, modules }: UpdatePolicy): Finding[] {
  const owners: (readonly [Path, UpdateTerms])[] = [
    [['registry'], terms],
    ...Array.from(modules, ([name, own]) => [['modules', name, 'registry'], own] as const),
  ];
  const byAddress = Map.groupBy(owners, ([, { registry }]) => registry);
  return Array.from(byAddress).flatMap(([address, users]): Finding[] => {
    const found = users.find(([, { trust }]) => trust === undefined);
    if (!found || !isModreg(address)) return [];
    return [{ kind: 'unsigned-releases', path: found[0], message: MESSAGE }];
  });
}

/** Other registries have no signatures yet, and who writes to a path may as well write the policy. */
function isModreg(text: string | undefined): boolean {
  const address = text === undefined ? undefined : parseRegistryAddress(text);
  return address?.ok === true && address.value.kind === 'modreg';
}

import { secret, type Secret, type Result } from '../../core/index.ts';
import { modeOpenToOthers } from '../../config/file-mode.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { parseRegistryAddress } from '../../registry/address.ts';
import { readRegularFile } from '../check/document-file.ts';
import type { Problem } from '../problem.ts';
import type { World } from '../world.ts';

/** The token for a registry, or how to provide one. */
export interface RegistryToken {
  readonly token: Secret | undefined;
  /** If there is no token: what a person can do when the registry refuses a request. */
  readonly hint: string | undefined;
}

const NO_TOKEN =
  'set MODREG_TOKEN to a token, or MODREG_TOKEN_FILE to the path of a file with a token';
const LONGEST_TOKEN = 8192;

/** Returns a function that reads the token for a registry's address. A failed read is repeated on the next call. */
export function tokensIn(world: World): (url: URL) => Result<RegistryToken, Problem> {
  const tokens = new Map<string, Result<RegistryToken, Problem>>();
  return (url) => {
    const token = tokens.get(url.origin) ?? tokenFor(url, world);
    if (token.ok) tokens.set(url.origin, token);
    return token;
  };
}

/**
 * The token for the registry at `url`: `MODREG_TOKEN`, else the contents of the file that `MODREG_TOKEN_FILE`
 * names. If `MODREG_REGISTRY` is set, the token is only for the origin of that registry.
 */
function tokenFor(url: URL, { environment }: World): Result<RegistryToken, Problem> {
  const { MODREG_REGISTRY: registry, MODREG_TOKEN: text, MODREG_TOKEN_FILE: path } = environment;
  if (!text && !path) return { ok: true, value: { token: undefined, hint: NO_TOKEN } };
  const owner = registry ? ownerIn(registry) : url.origin;
  if (owner !== url.origin) {
    const hint = `the token is for ${owner} only, so it was not sent`;
    return { ok: true, value: { token: undefined, hint } };
  }
  const read = text ? { ok: true as const, value: text } : readTokenFile(path ?? '');
  if (!read.ok) return read;
  if (/^[!-~]+$/.test(read.value)) {
    return { ok: true, value: { token: secret(read.value), hint: undefined } };
  }
  const name = text ? 'MODREG_TOKEN' : `the file ${quote(path ?? '')}`;
  return failed(
    'usage',
    `${name} does not contain a token: expected printable ASCII without spaces`,
  );
}

/** The origin that a token is for when `MODREG_REGISTRY` is set. Text that is no address is not shown: it may be secret. */
function ownerIn(registry: string): string {
  const address = parseRegistryAddress(registry);
  const isOnline = address.ok && 'url' in address.value;
  return isOnline ? address.value.url.origin : 'the registry that MODREG_REGISTRY names';
}

function readTokenFile(path: string): Result<string, Problem> {
  const file = readRegularFile(path, LONGEST_TOKEN);
  if (!file.ok) return file;
  const { mode = 0, bytes } = file.value;
  if (bytes.length > LONGEST_TOKEN) {
    const message = `the token file ${quote(path)} has more than ${LONGEST_TOKEN} bytes`;
    return failed('usage', message);
  }
  const open = modeOpenToOthers(mode);
  if (open !== undefined) {
    const hint = `chmod 600 ${excerpt(path)} restricts it to its owner`;
    return failed(
      'permissions',
      `the token file ${quote(path)} has mode ${open}, and others can read it`,
      hint,
    );
  }
  return { ok: true, value: Buffer.from(bytes).toString().trim() };
}

function failed(
  kind: 'usage' | 'permissions',
  message: string,
  hint?: string,
): { readonly ok: false; readonly error: Problem } {
  return { ok: false, error: { severity: 'error', kind, message, hint } };
}

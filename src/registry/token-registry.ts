import type { Result } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import type { WebRegistryAddress } from './address.ts';
import { addressError } from './address-error.ts';
import { systemRandom } from './clock.ts';
import { baseOf, type HttpRegistryOptions } from './http-registry.ts';
import type { Connection } from './http/connection.ts';
import { DEFAULT_LIMITS } from './http/limits.ts';
import { memoizeUntilError } from './memoize-until-error.ts';
import type { RegistryError } from './registry-error.ts';

export type TokenRegistryOptions = Omit<HttpRegistryOptions, 'allowHttp'> &
  Required<Pick<HttpRegistryOptions, 'clock'>>;

/** A registry of modreg's protocol that gets a token. */
interface TokenRegistry {
  /** Names it in messages. */
  readonly where: string;
  readonly base: URL;
  /** Connects at the first call. */
  readonly connection: () => Promise<Connection>;
}

/** Opens a registry that gets a token. The error is `bad-address` if it speaks another protocol, or if others could read the token on the way. */
export function tokenRegistry(
  { kind, url }: WebRegistryAddress,
  doing: Parameters<typeof addressError>[2],
  options: TokenRegistryOptions,
): Result<TokenRegistry, RegistryError> {
  const where = `the registry ${excerpt(`${url.origin}${url.pathname}`.replace(/\/$/, ''))}`;
  const error = addressError({ kind, url }, where, doing);
  if (error) return { ok: false, error };
  const connection = memoizeUntilError(async () => {
    const { connect } = await import('./http/connection.ts');
    const { random = systemRandom, onRetry = () => undefined } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    return connect(where, { ...options, random, onRetry, limits });
  });
  return { ok: true, value: { where, base: baseOf(kind, url), connection } };
}

import { withoutFinalSlashes } from '../core/text/final-slashes.ts';
import { excerpt } from '../core/text/quote.ts';
import type { Result } from '../core/index.ts';
import { writtenAddress, type WebRegistryAddress } from './address.ts';
import { isExposed } from '../core/text/web-address.ts';
import { systemClock, systemRandom } from './clock.ts';
import type { Connection, HttpOptions } from './http/connection.ts';
import { DEFAULT_LIMITS, type Limits } from './http/limits.ts';
import { memoizeUntilError } from './memoize-until-error.ts';
import { RegistryError } from './registry-error.ts';
import type { RemoteRegistry } from './remote-registry.ts';

/** Options of `httpRegistry`. All are optional; `limits` overrides single defaults. */
export interface HttpRegistryOptions extends Partial<
  Omit<HttpOptions, 'limits' | 'exchange' | 'access'>
> {
  readonly allowHttp?: readonly string[];
  readonly limits?: Partial<Limits>;
}

type Protocol = Omit<RemoteRegistry, 'address' | 'from'> & Pick<Connection, 'redacting'>;

/** The code of a protocol loads with the first request, because many commands need no network. */
const PROTOCOLS = {
  modreg: async () => (await import('./http/modreg-registry.ts')).modregRegistry,
  npm: async () => (await import('./http/npm-registry.ts')).npmRegistry,
  oci: async () => (await import('./http/oci-registry.ts')).ociRegistry,
  github: async () => (await import('./http/github-registry.ts')).githubRegistry,
} as const;

/**
 * The registry at an address, over HTTP and without a cache (`cachedRegistry` adds one). Creating it contacts no
 * registry. The error is `bad-address` if the address is plain `http:` to a host that `allowHttp` does not name, or
 * has a query or fragment.
 */
export function httpRegistry(
  { kind, url }: WebRegistryAddress,
  options: HttpRegistryOptions = {},
): Result<RemoteRegistry, RegistryError> {
  const error = addressError({ kind, url }, options.allowHttp ?? []);
  if (error) return { ok: false, error };
  const base = baseOf(kind, url);
  const from = excerpt(writtenAddress({ kind, url }));
  const protocol = memoizeUntilError(async (): Promise<Protocol> => {
    const { connect } = await import('./http/connection.ts');
    const { accessTo } = await import('./http/registry-access.ts');
    const connected = await PROTOCOLS[kind]();
    const { clock = systemClock, random = systemRandom, onRetry = () => undefined } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const where = `the registry ${from}`;
    const { fetch, allowHttp = [] } = options;
    const access = accessTo(kind, { where, allowHttp, fetch });
    const how = { ...options, clock, random, onRetry, limits, access };
    const connection = connect(where, how);
    const { redacting } = connection;
    return { ...connected(base, connection), redacting };
  });
  const redacting = async <T>(work: (to: Protocol) => Promise<T>): Promise<T> => {
    const to = await protocol();
    return await to.redacting(async () => await work(to));
  };
  const remote: RemoteRegistry = {
    address: `${kind}:${base.href}`,
    from,
    ...(kind === 'oci' && { isDescribedApart: true }),
    fetch: async (...request) => await redacting(async (to) => await to.fetch(...request)),
    changes: async (...request) => await redacting(async (to) => await to.changes?.(...request)),
    modules: async (...request) => await redacting(async (to) => await to.modules?.(...request)),
    notes: async (...request) => await redacting(async (to) => await to.notes?.(...request)),
    trust: async (...request) => await redacting(async (to) => await to.trust?.(...request)),
  };
  return { ok: true, value: remote };
}

function addressError(
  { kind, url }: WebRegistryAddress,
  allowHttp: readonly string[],
): RegistryError | undefined {
  if (isExposed(url, allowHttp)) {
    const message = `a response from the registry at ${excerpt(url.origin)} could be changed in transit`;
    const hint = `use https:, or list ${url.host} under allow_http in the update policy`;
    return new RegistryError('bad-address', message, { hint });
  }
  if (url.search === '' && (url.hash === '' || kind === 'github')) return undefined;
  const message = `the address of the registry at ${excerpt(url.origin)} has a query or a fragment`;
  return new RegistryError('bad-address', message, { hint: 'remove everything after the path' });
}

/** The address with a final slash. The `/v1` of the modreg protocol is optional. The pattern of `github` stays. */
export function baseOf(kind: WebRegistryAddress['kind'], url: URL): URL {
  const path = withoutFinalSlashes(url.pathname);
  const base = kind === 'modreg' ? path.replace(/\/v1$/, '') : path;
  return new URL(`${url.origin}${base}/${kind === 'github' ? url.hash : ''}`);
}

import { excerpt } from '../core/text/quote.ts';
import type { Result } from '../core/index.ts';
import type { WebRegistryAddress } from './address.ts';
import type { Secret } from '../core/text/secret.ts';
import { isExposed } from '../core/text/web-address.ts';
import { systemClock, systemRandom, type Clock } from './clock.ts';
import { connect } from './http/connection.ts';
import { DEFAULT_LIMITS, type Limits } from './http/limits.ts';
import { modregRegistry } from './http/modreg-registry.ts';
import { npmRegistry } from './http/npm-registry.ts';
import { ociRegistry } from './http/oci-registry.ts';
import { RegistryError } from './registry-error.ts';
import type { RemoteRegistry } from './remote-registry.ts';

/** How a registry over HTTP is contacted. Nothing is required. */
export interface HttpRegistryOptions {
  /** A bearer token. It goes to the origin of the registry's address, and nowhere else. */
  readonly token?: Secret | undefined;
  /** Hosts that may be contacted without TLS, as `host` or `host:port`. Loopback addresses always may. */
  readonly allowHttp?: readonly string[];
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
  /** The source of time; `systemClock` by default. */
  readonly clock?: Clock;
  /** Random numbers from 0 to 1, for retry delays; `Math.random` by default. */
  readonly random?: () => number;
  /** Called before a request is retried, with the error and the delay in milliseconds. */
  readonly onRetry?: (error: RegistryError, delayMs: number) => void;
}

const PROTOCOLS = { modreg: modregRegistry, npm: npmRegistry, oci: ociRegistry } as const;

/**
 * The registry at an address, over HTTP and without a cache; see `cachedRegistry`. Creating one contacts no
 * registry. The error is of the kind `bad-address` where the address is plain `http:` to a host
 * that `allowHttp` does not name, or has a query.
 *
 * @example
 * ```ts
 * import { secret } from 'modreg';
 * import { httpRegistry, parseRegistryAddress } from 'modreg/registry';
 *
 * const address = parseRegistryAddress('https://registry.example');
 * if (!address.ok || !('url' in address.value)) throw new Error('bad address');
 * const remote = httpRegistry(address.value, { token: secret('modreg_3q2-7w') });
 * console.log(remote.ok ? remote.value.from : remote.error.message); // https://registry.example
 * ```
 */
export function httpRegistry(
  { kind, url }: WebRegistryAddress,
  options: HttpRegistryOptions = {},
): Result<RemoteRegistry, RegistryError> {
  const complaint = complaintOf(url, options.allowHttp ?? []);
  if (complaint) return { ok: false, error: complaint };
  const base = baseOf(kind, url);
  const shown = `${url.origin}${url.pathname}`.replace(/\/$/, '');
  const from = excerpt(kind === 'modreg' ? shown : `${kind}:${shown}`);
  const connection = connect(`the registry ${from}`, {
    token: options.token,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    onRetry: options.onRetry ?? (() => undefined),
  });
  const registry = PROTOCOLS[kind](base, connection);
  return { ok: true, value: { ...registry, address: `${kind}:${base.href}`, from } };
}

function complaintOf(url: URL, allowHttp: readonly string[]): RegistryError | undefined {
  if (isExposed(url, allowHttp)) {
    const message = `what a registry at ${excerpt(url.origin)} says could be changed on its way`;
    const hint = `name it by https:, or list ${url.host} under allow_http in the update policy`;
    return new RegistryError('bad-address', message, { hint });
  }
  if (url.search === '' && url.hash === '') return undefined;
  const message = `the address of the registry at ${excerpt(url.origin)} has a query or a fragment`;
  return new RegistryError('bad-address', message, { hint: 'it ends with the path' });
}

/** The address as a folder of others. The `/v1` of our own protocol may be named or not. */
function baseOf(kind: WebRegistryAddress['kind'], url: URL): URL {
  const path = url.pathname.replace(/\/+$/, '');
  const base = kind === 'modreg' ? path.replace(/\/v1$/, '') : path;
  return new URL(`${url.origin}${base}/`);
}

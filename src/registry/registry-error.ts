import type { Words } from '../core/text/time-words.ts';

/**
 * A release list could not be read. The message is one escaped line: what was found and where.
 *
 * @example
 * ```ts
 * import { parseModuleId } from 'modreg';
 * import { openRegistries, RegistryError } from 'modreg/registry';
 *
 * const lidar = parseModuleId('acme:lidar');
 * const registry = openRegistries().open({ registry: './releases' });
 * if (!lidar.ok || !registry.ok) throw new Error('no such module id, or no such address');
 * try {
 *   await registry.value.read(lidar.value);
 * } catch (error) {
 *   if (!(error instanceof RegistryError)) throw error;
 *   console.error(error.kind); // unreadable-file
 * }
 * ```
 */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  /** The kind of error, for programs. */
  readonly kind:
    /** The address cannot be used: plain `http:` to a host that is not allowed, or a query. */
    | 'bad-address'
    /** A folder or file does not exist, or cannot be read. */
    | 'unreadable-file'
    /** The registry responded that it has no such module. */
    | 'unknown-module'
    /** The host name, the connection or the response failed; or the registry is not contacted (`isOffline`). */
    | 'registry-unreachable'
    /** A response exceeded its time limits. */
    | 'registry-timeout'
    /** The registry denies access (status 401, 403 or 407), or there is no usable token to send. */
    | 'registry-refused'
    /** The response or file is not a release list. */
    | 'not-a-registry'
    /** The registry asks to retry later (429), or has a server error (5xx). */
    | 'registry-busy'
    /** A redirect to another origin, or one without a usable target. */
    | 'bad-redirect'
    /** The TLS certificate is not valid. */
    | 'bad-certificate'
    /** The list exceeds a limit on bytes, entries or values. */
    | 'list-too-large'
    /** The list is older than, or contradicts, one that the registry served before. `modreg accept` accepts it. */
    | 'registry-regressed'
    /** A list or a change feed has a number that no registry reaches by counting. `modreg accept` accepts the list. */
    | 'registry-implausible'
    /** The registry has no trust document with the digest that the policy names, or one without the signatures of its root keys. */
    | 'registry-untrusted'
    /** The trust document of the registry is no longer valid, and the registry has no later one. */
    | 'trust-expired'
    /** The registry cannot be reached, and the saved list is older than `maxIndexAgeMs`. */
    | 'list-stale';
  /** The most similar name that exists; undefined without one. */
  readonly suggestion: string | undefined;
  /** What to do next; undefined if the message says it or nothing can be suggested. */
  readonly hint: string | undefined;
  /** @internal The message with what changes as time passes as data; absent if nothing does. */
  readonly words?: Words | undefined;
  /** How long the registry asks clients to wait (`Retry-After`), in milliseconds; undefined if it does not. */
  readonly retryAfterMs: number | undefined;

  /** `message` must be one escaped line; `cause` is the error that led to this one. */
  constructor(
    kind: RegistryError['kind'],
    message: string,
    options: {
      readonly cause?: unknown;
      /** @internal */
      readonly words?: Words | undefined;
      readonly suggestion?: string | undefined;
      readonly hint?: string | undefined;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.words = options.words;
    this.suggestion = options.suggestion;
    this.hint = options.hint;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The kind of a RegistryError. */
export type RegistryErrorKind = RegistryError['kind'];

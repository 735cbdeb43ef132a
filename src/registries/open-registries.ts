import { isAbsolute, join } from 'node:path';
import type { Result } from '../core/index.ts';
import {
  DEFAULT_TERMS,
  npmKeysIn,
  pinIn,
  type NpmKey,
  type UpdateTerms,
} from '../core/machine/update-policy.ts';
import {
  ANYTHING,
  expectArgument,
  expectMembers,
  FLAG,
  having,
  FUNCTION,
  numberIn,
  OBJECT,
  optional,
  type Expected,
  TEXT,
} from '../core/text/argument.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import { expectTermsNames } from '../core/machine/spelling-of-policy.ts';
import { harmless } from '../core/text/thenable.ts';
import type { Secret } from '../core/text/secret.ts';
import {
  parseRegistryAddress,
  type RegistryAddress,
  type WebRegistryAddress,
} from '../registry/address.ts';
import { CertainClock, timeOf, type KnownTime } from '../registry/certain-clock.ts';
import type { CachedRegistry } from '../registry/registry.ts';
import { CLOCK, systemClock, wholeMilliseconds, type Clock } from '../registry/clock.ts';
import type { Limits } from '../registry/http/limits.ts';
import type { Following } from '../registry/http/connection.ts';
import { httpRegistry, type HttpRegistryOptions } from '../registry/http-registry.ts';
import { memoizeUntilError } from '../registry/memoize-until-error.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { cachedLists } from './cached-lists.ts';
import { npmByScope } from './npm-by-scope.ts';
import { pathRegistry, withoutLists } from './path-registry.ts';
import { provingRemote } from './proving-remote.ts';
import { checksBy, npmChecksBy, trustedRegistry, trustOf, type Trust } from './trusted-registry.ts';
import type { RemoteRegistry } from '../registry/remote-registry.ts';
import type { SavedLists, SavedListsError } from '../registry/saved-lists.ts';

/** Options of `openRegistries`. All are optional and apply to every registry that it opens. */
export interface OpenRegistriesOptions {
  /**
   * Storage in which lists fetched over HTTP outlive the process; `savedListsIn` of `modreg/store` creates it. A
   * function is called before the first such list is read, and again if it threw. Without storage the lists are kept in memory only.
   */
  readonly saved?: SavedLists | (() => Promise<SavedLists | undefined>) | undefined;
  /**
   * Returns the bearer token for the registry of this kind at `url`, or `user:password` for an npm or OCI registry. It is sent to the origin of that
   * address only, and a password to a token server of the same site. Called for each request, so that tokens can be rotated.
   */
  readonly token?: (url: URL, kind: 'modreg' | 'npm' | 'oci' | 'github') => Secret | undefined;
  /** The folder that relative paths start from, normally that of the policy. The working directory by default. */
  readonly relativeTo?: string | undefined;
  /** Replaces the global `fetch`, for example to use a proxy or other certificates. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * A list that was confirmed less than this many milliseconds ago is used without contacting the registry. 0 by
   * default: the registry is always contacted.
   */
  readonly maxAgeMs?: number;
  /** Contacts no registry and uses the known lists. False by default. */
  readonly isOffline?: boolean;
  /** Request limits that override the defaults. */
  readonly limits?: Partial<Limits>;
  /** The source of time; `systemClock` by default. */
  readonly clock?: Clock;
  /**
   * Whether something keeps the machine's clock right, such as NTP; called whenever a time matters. By default `unknown`:
   * then the clock is used unless a registry says over https that it is another time.
   */
  readonly clockState?: () => 'synchronized' | 'unsynchronized' | 'unknown';
  /** Random numbers from 0 to 1, for retry delays; `Math.random` by default. */
  readonly random?: () => number;
  /** @internal The documents that the machine follows. */
  readonly following?: Following | undefined;
  /** @internal The registry that the settings of npm name for a scope, or for all others if it is empty. */
  readonly npmRegistryOf?: (scope: string) => string | undefined;
  /** Called before a request is retried, with the error and the delay in milliseconds. */
  readonly onRetry?: (error: RegistryError, delayMs: number) => void;
  /** Called when saved lists cannot be read or written. The registries then work without them. */
  readonly onTrouble?: (error: SavedListsError) => void;
}

/** The terms of a policy that determine where and how a module's list is read; part of `UpdateTerms`. */
type RegistryTerms = Parameters<OpenRegistries['open']>[0];

/** A registry of any kind. A folder or `.db` file has no change feed: `awaitChange` returns undefined at once. */
export interface OpenRegistry extends CachedRegistry {
  /** @internal */
  readonly address: RegistryAddress;
  /** @internal The registry over the network, without the cache; undefined for a path. */
  readonly remote: RemoteRegistry | undefined;
  /** @internal What is known about the time, for modules with these terms. */
  readonly knownTime: () => KnownTime;
  /** @internal Its trust document; absent if the policy names none. */
  readonly trust?: Trust | undefined;
}

/** The registries that `openRegistries` has opened: one for each combination of address and terms. */
export interface OpenRegistries {
  /**
   * The registry that the terms of a policy name. The same address, `allowHttp`, `maxIndexAgeMs`, `trust`, `npmKeys` and
   * `trustClock` return the same object; absent terms are those of the default policy. The error is `bad-address` if the terms name no registry,
   * or its address cannot be used.
   */
  readonly open: (
    terms: Pick<UpdateTerms, 'registry'> &
      Partial<
        Pick<UpdateTerms, 'allowHttp' | 'maxIndexAgeMs' | 'trust' | 'npmKeys' | 'trustClock'>
      >,
  ) => Result<OpenRegistry, RegistryError>;
  /** The same for a `Poller`: if the registry cannot be opened, that error is the result of every list. */
  readonly registryFor: (terms: Parameters<OpenRegistries['open']>[0]) => CachedRegistry;
}

/**
 * Opens the registries that policies name: folders, `.db` files, and registries over HTTP, whose lists are cached.
 * Opening reads no file and contacts no registry; the code of each kind loads with the first list that needs it.
 *
 * Every error is a `RegistryError`. `open` returns it in a `Result` for the address, `readAll` in a `Result` for each
 * module, and `read` rejects with it. If `token` or `fetch` throws, the error is `registry-refused` or
 * `registry-unreachable`; one of `onRetry` or `onTrouble` is ignored. The other callbacks in `options` must not throw.
 *
 * @example
 * ```ts
 * import { parseModuleId, secret } from 'modreg';
 * import { openRegistries } from 'modreg/registry';
 *
 * const token = (url: URL) => (url.host === 'registry.example' ? secret('modreg_3q2-7w') : undefined);
 * const registry = openRegistries({ token }).open({ registry: 'https://registry.example' });
 * const lidar = parseModuleId('acme:lidar');
 * if (!registry.ok || !lidar.ok) throw new Error('no such address, or no such module id');
 * const { records, source } = await registry.value.read(lidar.value);
 * console.log(source, records.length);
 * ```
 */
export function openRegistries(options: OpenRegistriesOptions = {}): OpenRegistries {
  expectMembers('openRegistries()', 'options', options, OPTIONS);
  expectSpelling('openRegistries()', 'options', options, OPTIONS);
  const { saved, relativeTo } = options;
  const savedLists = memoizeUntilError(async () =>
    typeof saved === 'function' ? await saved() : saved,
  );
  const opened = new Map<string, Opened>();
  const { clock = systemClock, clockState } = options;
  const certain = new CertainClock(wholeMilliseconds(clock), clockState);
  // Many modules share few terms, and parsing an address and comparing its terms takes 6 µs.
  const byTerms = new WeakMap<RegistryTerms, Opened>();
  const openedBy = (terms: RegistryTerms): Opened => {
    expectArgument('open()', 'terms', terms, OBJECT);
    const known = byTerms.get(terms) ?? openedAt(terms);
    byTerms.set(terms, known);
    return known;
  };
  const openedAt = (terms: RegistryTerms): Opened => {
    expectTermsNames('open()', 'terms', terms);
    const { registry: named, ...own } = { ...DEFAULT_TERMS, ...terms };
    const { allowHttp, maxIndexAgeMs, trustClock } = own;
    // Keys count in place of a trust document (D203).
    const npmKeys = npmKeysIn({ registry: named, npmKeys: own.npmKeys });
    const pin = npmKeys ? undefined : pinIn(own);
    const address = addressOf(named, relativeTo);
    const shown = address.ok ? address.value : named;
    const key = JSON.stringify([shown, allowHttp, maxIndexAgeMs, trustClock, pin, npmKeys]);
    const known = opened.get(key);
    if (known) return known;
    const parts = { allowHttp, maxIndexAgeMs, trustClock, pin, npmKeys };
    const opening = { ...options, ...parts, savedLists, certain };
    const result: Opened['result'] = address.ok ? openAt(address.value, opening) : address;
    const registry = result.ok ? result.value : withoutLists(result.error);
    opened.set(key, { result, registry });
    return { result, registry };
  };
  return {
    open: (terms) => openedBy(terms).result,
    registryFor: (terms) => openedBy(terms).registry,
  };
}

const SAVED: Expected = {
  is: (value) => FUNCTION.is(value) || having('', 'read', 'version', 'save').is(value),
  words: 'SavedLists',
};

const OPTIONS: Readonly<Record<keyof OpenRegistriesOptions, Expected>> = {
  saved: optional(SAVED),
  relativeTo: optional(TEXT),
  maxAgeMs: optional(numberIn((ms) => ms >= 0, 'milliseconds from 0')),
  isOffline: optional(FLAG),
  token: optional(FUNCTION),
  fetch: optional(FUNCTION),
  clock: optional(CLOCK),
  clockState: optional(FUNCTION),
  random: optional(FUNCTION),
  onRetry: optional(FUNCTION),
  onTrouble: optional(FUNCTION),
  limits: ANYTHING,
  following: ANYTHING,
  npmRegistryOf: ANYTHING,
};

interface Opened {
  readonly result: Result<OpenRegistry, RegistryError>;
  readonly registry: CachedRegistry;
}

interface Opening
  extends OpenRegistriesOptions, Required<Omit<RegistryTerms, 'registry' | 'trust' | 'npmKeys'>> {
  readonly savedLists: () => Promise<SavedLists | undefined>;
  readonly certain: CertainClock;
  readonly pin: string | undefined;
  readonly npmKeys: readonly NpmKey[] | undefined;
}

const ADDRESSES =
  'use https://host, npm:https://host, oci:https://host, github:owner/name, a .db file, or a folder of <namespace>/<name>.json files (with ./ before a name that contains a colon)';

function addressOf(
  registry: string | undefined,
  relativeTo: string | undefined,
): Result<RegistryAddress, RegistryError> {
  if (registry === undefined) {
    const error = new RegistryError('bad-address', 'no registry is named', { hint: ADDRESSES });
    return { ok: false, error };
  }
  const address = parseRegistryAddress(registry);
  if (!address.ok) {
    const message = `the registry address cannot be used: ${address.error}`;
    return { ok: false, error: new RegistryError('bad-address', message, { hint: ADDRESSES }) };
  }
  if ('url' in address.value || relativeTo === undefined) return address;
  const { kind, path } = address.value;
  return { ok: true, value: { kind, path: isAbsolute(path) ? path : join(relativeTo, path) } };
}

/** The registry over the network, without a cache. */
function remoteAt(
  address: WebRegistryAddress,
  options: Omit<HttpRegistryOptions, 'token'>,
  {
    token,
    npmRegistryOf = () => undefined,
    certain,
  }: Omit<Opening, 'savedLists' | 'pin' | 'npmKeys'>,
): Result<RemoteRegistry, RegistryError> {
  const at = (one: WebRegistryAddress): Result<RemoteRegistry, RegistryError> =>
    httpRegistry(one, {
      ...options,
      token: () => token?.(one.url, one.kind),
      onDate: (ms) => certain.hear(ms),
    });
  if (address.isByScope) return { ok: true, value: npmByScope(npmRegistryOf, at) };
  return at(address);
}

function openAt(
  address: RegistryAddress,
  { savedLists, pin, npmKeys, ...opening }: Opening,
): Result<OpenRegistry, RegistryError> {
  const { clock: given = systemClock, onRetry, onTrouble } = opening;
  const clock = wholeMilliseconds(given);
  const trusting = (source: Pick<OpenRegistry, 'address' | 'remote'>): Trust | undefined =>
    pin === undefined ? undefined : trustOf(source, pin, { ...opening, savedLists, clock });
  if (!('url' in address)) {
    const registry = pathRegistry(address, clock, opening);
    return { ok: true, value: trustedRegistry(registry, checksBy(trusting(registry))) };
  }
  const { token: _bound, ...others } = opening;
  const options = {
    ...others,
    clock,
    ...(onRetry && { onRetry: harmless(onRetry) }),
    ...(onTrouble && { onTrouble: harmless(onTrouble) }),
  };
  const opened = remoteAt(address, options, opening);
  if (!opened.ok) return opened;
  const trust = trusting({ address, remote: opened.value });
  const remote = trust ? provingRemote(opened.value, trust) : opened.value;
  const lists = cachedLists(async () => {
    const { cachedRegistry } = await import('../registry/cached-registry.ts');
    return cachedRegistry(remote, { ...options, saved: await savedLists() });
  });
  const checks = npmKeys ? npmChecksBy(npmKeys) : checksBy(trust);
  const registry = {
    address,
    remote,
    trust,
    ...lists,
    ...timeOf(opening.certain, opening.trustClock),
  };
  return { ok: true, value: trustedRegistry(registry, checks) };
}

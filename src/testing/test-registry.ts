import { parseModuleId, type ModuleId } from '../core/index.ts';
import { expectArgument, LIST, OBJECT, TEXT } from '../core/text/argument.ts';
import { quote } from '../core/text/quote.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import { systemClock, type Clock } from '../registry/clock.ts';
import { unlessAborted } from '../registry/unless-aborted.ts';
import { registryApp } from '../server/app.ts';
import { Catalogue } from '../server/catalogue/catalogue.ts';
import { changeFeed } from '../server/catalogue/change-feed.ts';
import { readRelease } from '../server/catalogue/published-release.ts';
import { withDefaults } from '../server/registry-options.ts';
import type { Releases } from './catalogues.ts';
import { expectFaults } from './expected-fault.ts';
import { faultsOn, unreachable, type Fault } from './fault.ts';

/** A registry in memory, which answers `fetch` without a server. */
export interface TestRegistry {
  /** Its address, for a policy: `https://registry.example`. */
  readonly address: string;
  /** For `openRegistries`. A request to any other address fails as if nothing listened there. */
  readonly fetch: typeof globalThis.fetch;
  /** Its releases and tokens. A test may change them at any time; the change feed reports it at once. */
  readonly catalogue: Catalogue;
  /** Method, path and query of each request so far. */
  readonly requests: readonly string[];
  /** Publishes releases of a module now. Throws if one cannot be published. */
  publish(moduleId: string, ...releases: Releases[string]): void;
  /** Yanks a release. Throws if it is not published. */
  yank(moduleId: string, version: string, reason: string): void;
  /** Adds faults. Each applies to the next requests, in order, until its last use. Throws a TypeError for one of an unknown kind. */
  break(...faults: readonly Fault[]): void;
  /** Removes all faults. */
  mend(): void;
  /** Ends long polls and closes the catalogue. */
  close(): void;
}

/**
 * Starts a registry with `releases`: the app of the embedded registry, over a catalogue in memory. Long polls and default
 * publish times use `clock`, that of the machine by default.
 *
 * @example
 * ```ts
 * import { parseModuleId } from 'modreg';
 * import { openRegistries } from 'modreg/registry';
 * import { testRegistry } from 'modreg/testing';
 *
 * const registry = testRegistry({ 'acme:lidar': ['1.2.3', '1.2.9'] });
 * const opened = openRegistries({ fetch: registry.fetch }).open({ registry: registry.address });
 * const lidar = parseModuleId('acme:lidar');
 * if (!opened.ok || !lidar.ok) throw new Error('bad input');
 * registry.break({ kind: 'offline' }); // The first attempt fails.
 * console.log((await opened.value.read(lidar.value)).records.length); // 2
 * registry.close();
 * ```
 */
export function testRegistry(
  releases: Releases = {},
  options: { readonly address?: string; readonly clock?: Clock } = {},
): TestRegistry {
  expectArgument('testRegistry()', 'options', options, OBJECT);
  expectSpelling('testRegistry()', 'options', options, { address: true, clock: true });
  return registryWithFaults(releases, options).registry;
}

/** A test registry for a test machine. */
export interface RegistryWithFaults {
  readonly registry: TestRegistry & { readonly requests: string[] };
  /** Whether it has a fault for a later request. */
  readonly hasFaults: () => boolean;
}

export function registryWithFaults(
  releases: Releases,
  options: { readonly address?: string; readonly clock?: Clock },
): RegistryWithFaults {
  const { address = 'https://registry.example', clock = systemClock } = options;
  expectArgument('testRegistry()', 'releases', releases, OBJECT);
  for (const [moduleId, list] of Object.entries(releases)) {
    expectArgument('testRegistry()', `the releases of ${quote(moduleId)}`, list, LIST);
  }
  expectArgument('testRegistry()', 'address', address, TEXT);
  const catalogue = new Catalogue(':memory:');
  const feed = changeFeed(catalogue, clock);
  const app = registryApp(catalogue, feed, withDefaults('testRegistry()', { clock, spreadMs: 0 }));
  const faults = faultsOn(clock);
  const requests: string[] = [];
  const registry: RegistryWithFaults['registry'] = {
    address,
    catalogue,
    requests,
    fetch: fetchFrom(new URL(address).origin, async (request) => {
      const { pathname, search } = new URL(request.url);
      requests.push(`${request.method} ${pathname}${search}`);
      return await faults.apply(async () => await app.fetch(request));
    }),
    publish: (moduleId, ...list) => publish(catalogue, idOf(moduleId), list, clock.now()),
    yank: (moduleId, version, reason) => yank(catalogue, moduleId, version, reason),
    break: (...added) => {
      expectFaults(added);
      faults.add(...added);
    },
    mend: () => faults.clear(),
    close: () => {
      feed.close();
      catalogue.close();
    },
  };
  for (const [moduleId, list] of Object.entries(releases)) registry.publish(moduleId, ...list);
  return { registry, hasFaults: () => faults.areLeft() };
}

/** A `fetch` that passes requests to `origin` to `respond`. Nothing listens anywhere else. */
function fetchFrom(
  origin: string,
  respond: (request: Request) => Promise<Response>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).origin !== origin) throw unreachable();
    return await unlessAborted(request.signal, respond(request));
  };
}

function idOf(text: string): ModuleId {
  const moduleId = parseModuleId(text);
  if (!moduleId.ok) throw new TypeError(moduleId.error.message);
  return moduleId.value;
}

function yank(catalogue: Catalogue, moduleId: string, version: string, reason: string): void {
  const result = catalogue.yank(idOf(moduleId), version, reason);
  if (result !== 'done') throw new Error(`${moduleId} ${version} is not yanked: ${result}`);
}

function publish(
  catalogue: Catalogue,
  moduleId: ModuleId,
  list: Releases[string],
  now: number,
): void {
  for (const entry of list) {
    const release = readRelease(typeof entry === 'string' ? { version: entry } : entry);
    if (!release.ok) throw new TypeError(`${moduleId}: ${release.error.join('\n')}`);
    const result = catalogue.publish(moduleId, release.value, now);
    const named = `${moduleId} ${release.value.version}`;
    if (result === 'unsigned') throw new Error(`${named} lacks a right signature`);
    if (result !== 'other-content') continue;
    throw new Error(`${named} is already published with other content`);
  }
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchArtifact } from '../../../src/agent/index.ts';
import { readMachine, readUpdatePolicy } from '../../../src/config/index.ts';
import type { Configuration } from '../../../src/core/plan/configuration.ts';
import { Poller, type Delivery, type PollerEvent } from '../../../src/poller/index.ts';
import { openRegistries } from '../../../src/registries/open-registries.ts';
import type { CachedRegistry, ReleaseList } from '../../../src/registry/registry.ts';
import { openForPoller, savedListsIn } from '../../../src/store/index.ts';
import type { VirtualClock } from '../../../src/testing/index.ts';
import type { Chance } from '../chance.ts';
import { MODULE_IDS, MODULES, REGISTRY, type Module } from './site.ts';
import { restful, type Work } from './work.ts';

/** The most of a list that a machine reads. */
export const LARGEST_LIST: number = 128 * 1024;
/** For so long a machine uses what was not confirmed. */
export const MAX_INDEX_AGE_MS: number = 2 * 3_600_000;

/** What a machine has to say for its judge. */
export interface Watch {
  readonly onRound: () => void;
  readonly onList: (moduleId: string, list: ReleaseList, askedAt: number) => void;
  readonly onDelivery: (moduleId: Module, action: Delivery['action']) => void;
  readonly onStart: (moduleId: Module, version: string, content: string) => void;
  readonly onEvent: (event: PollerEvent) => void;
}

/** A machine with a pin: its poller, its file, its network, and what it runs. */
export interface Machine {
  /** The versions that run, by module. */
  readonly running: ReadonlyMap<string, string>;
  readonly restart: () => Promise<void>;
  /** Another disk, on which nothing is installed. */
  readonly loseDisk: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Setting {
  readonly clock: VirtualClock;
  readonly work: Work;
  readonly chance: Chance;
  readonly pin: string;
  readonly fetch: typeof globalThis.fetch;
  readonly watch: Watch;
  readonly onYank: 'keep' | 'replace';
  /** Called when the disk is another one. */
  readonly onLoss: () => void;
}

export function machineWith(setting: Setting): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-machine-'));
  const configuration = configurationOf(setting);
  const running = new Map<string, string>();
  let file = openForPoller(':memory:');
  let disks = 0;
  let life = begin();

  function begin(): { readonly stop: () => Promise<void> } {
    const { clock, work, chance, watch } = setting;
    const poller = new Poller({
      file,
      clock,
      configuration: () => configuration,
      registryFor: registriesOf(setting, savedListsIn(file)),
      platform: 'linux/arm64',
      random: chance.next,
      deployedVersion: ({ name }) => running.get(moduleNamed(name) ?? '') ?? null,
      onEvent: watch.onEvent,
    });
    poller.start();
    const packages = join(folder, `${disks}`);
    mkdirSync(packages, { recursive: true });
    const ended = (async () => {
      let last = Promise.resolve();
      for await (const delivery of poller.deliveries()) {
        const before = last;
        last = work.during(async () => {
          // One after the other: which of two is quicker is no part of a seed.
          await work.waiting(async () => await before);
          await install(delivery, packages, { ...setting, running });
        });
      }
    })();
    return {
      stop: async () => {
        await poller.stop();
        await ended;
      },
    };
  }

  return {
    running,
    async restart() {
      await life.stop();
      life = begin();
    },
    async loseDisk() {
      await life.stop();
      file.close();
      file = openForPoller(':memory:');
      disks++;
      running.clear();
      setting.onLoss();
      life = begin();
    },
    async stop() {
      await life.stop();
      file.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function install(
  { action, done, failed, signal }: Delivery,
  packages: string,
  { clock, work, fetch, watch, running }: Setting & { readonly running: Map<string, string> },
): Promise<void> {
  const moduleId = moduleNamed(action.target.name);
  if (moduleId === undefined) throw new Error(`${action.target.name} is no module of the machine`);
  watch.onDelivery(moduleId, action);
  const { artifact, to } = action;
  const path = join(packages, `${action.target.name}-${to}-${artifact?.digest?.slice(-12)}`);
  const fetched =
    artifact &&
    (await fetchArtifact(artifact, path, { fetch, clock: restful(clock, work), signal }).catch(
      () => undefined,
    ));
  if (fetched?.ok === true) {
    watch.onStart(moduleId, to, readFileSync(path, 'utf8'));
    running.set(moduleId, to);
    await done().catch(() => undefined);
    return;
  }
  const { blame, reason } = fetched?.error ?? ({ blame: 'machine', reason: 'no file' } as const);
  await failed({ reason, blame, running: running.get(moduleId) ?? null }).catch(() => undefined);
}

function moduleNamed(name: string): Module | undefined {
  return MODULE_IDS.find((id) => MODULES[id].name === name);
}

/** What a round reads, before the poller uses it. */
function registriesOf(
  { clock, work, fetch, chance, watch }: Setting,
  saved: ReturnType<typeof savedListsIn>,
): (terms: Configuration['policy']['terms']) => CachedRegistry {
  const registries = openRegistries({
    saved,
    fetch,
    clock: restful(clock, work),
    random: chance.next,
    limits: { largestList: LARGEST_LIST },
  });
  const known = new WeakMap<CachedRegistry, CachedRegistry>();
  return (terms) => {
    const registry = registries.registryFor(terms);
    const watched = known.get(registry) ?? {
      ...registry,
      readAll: async (...request) =>
        await work.during(async () => {
          const askedAt = clock.monotonic();
          watch.onRound();
          const results = await registry.readAll(...request);
          for (const [moduleId, result] of results) {
            if (result.ok) watch.onList(moduleId, result.value, askedAt);
          }
          return results;
        }),
    };
    known.set(registry, watched);
    return watched;
  };
}

function configurationOf({ pin, onYank }: Pick<Setting, 'pin' | 'onYank'>): Configuration {
  const modules = MODULE_IDS.filter((id) => id !== 'platform:agent').map((id) => {
    return { type: 'registry', name: MODULES[id].name, module_id: id, version: '1.*' };
  });
  const agent = { 'platform-agent': { release_channel: 'stable' } };
  const machine = readMachine(JSON.stringify({ modules, agent }));
  const policy = readUpdatePolicy(
    JSON.stringify({
      registry: REGISTRY,
      trust: pin,
      on_yank: onYank,
      max_index_age: `${MAX_INDEX_AGE_MS / 3_600_000}h`,
      // A file that its server changes twice in the same way counts as one of the release (A1).
      quarantine: '5m',
      restart_cooldown: '0s',
      restart_ceiling: 1000,
    }),
  );
  if (!machine.ok || !policy.ok) throw new Error(JSON.stringify([machine, policy]));
  return { machine: machine.value, policy: policy.value };
}

import { readMachine, readUpdatePolicy } from '../../src/config/index.ts';
import { Poller, type PollerEvent } from '../../src/poller/index.ts';
import { moduleListOf } from '../../src/registry/module-list.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import type { ListResult } from '../../src/registries/index.ts';
import { component, entry } from '../support/planned.ts';
import { judge } from './loop-judge.ts';
import {
  INTERVAL_MS,
  NAMES,
  type Base,
  type Life,
  type Name,
  type Published,
} from './loop-world.ts';
import type { MachineStore } from './machine-store.ts';
import { modelClock } from './model-clock.ts';

/*
 * One process of a machine: the real Poller on a machine.db in memory, and a consumer that does only what it is told to. The
 * arm depends on the camera.
 */

const ACKNOWLEDGE_MS = 3 * INTERVAL_MS;
/** No interval is longer or shorter than it is configured. */
const RANDOM = 0.5;

const CONFIGURATION = configurationOf();

function configurationOf() {
  const machine = readMachine(
    JSON.stringify({
      modules: NAMES.map((name) => entry(`acme:${name}`, '1.*', name)),
      components: [component('eye', 'acme:camera:usb'), component('hand', 'acme:arm:six', 'eye')],
    }),
  );
  const terms = { quarantine: '1h', restart_cooldown: '0s', require_digest: false };
  const policy = readUpdatePolicy(JSON.stringify({ ...terms, restart_ceiling: 1440 }));
  if (!machine.ok || !policy.ok) throw new Error('a document of the model cannot be read');
  return { machine: machine.value, policy: policy.value };
}

/** Starts a process. Its first round is half an interval away. */
export function started(store: MachineStore, { rows, world, times }: Base): Life {
  store.restore(rows);
  const clock = modelClock(times);
  const file = store.claimed(() => life.isOver);
  const own = {
    world,
    clock,
    file,
    hands: [],
    consumer: undefined,
    heard: undefined,
    rounds: 0,
    delivered: new Set<string>(),
    failedHere: new Set<Name>(),
    isOver: false,
  };
  const registry: PollableRegistry = registryOf(() => life);
  const poller = new Poller({
    file,
    clock,
    configuration: () => CONFIGURATION,
    registryFor: () => registry,
    platform: 'linux/arm64',
    random: () => RANDOM,
    intervalMs: INTERVAL_MS,
    acknowledgeWithinMs: ACKNOWLEDGE_MS,
    deployedVersion: ({ name }) => life.world.running[name as Name],
    onEvent: (event) => noted(life, event),
  });
  const life: Life = Object.assign(own, { poller, judge: judge(() => life) });
  poller.start();
  return life;
}

/** Ends a process at once, as a kill does. What it waits for would otherwise stay in memory. */
export function killed(life: Life): void {
  life.isOver = true;
  life.consumer?.abort(new Error('the process is killed'));
  void life.poller.stop();
}

function noted(life: Life, event: PollerEvent): void {
  if (life.isOver) return;
  if (event.kind === 'delivered') life.delivered.add(event.action.id);
  life.judge.hear(event);
}

function registryOf(life: () => Life): PollableRegistry {
  return {
    read: async () => await Promise.reject(new Error('pollers read all lists at once')),
    readAll: async (moduleIds) => {
      const now = life();
      now.heard = now.world.releases;
      now.rounds++;
      const lists = moduleIds.map((id) => [id, listOf(now, id.slice('acme:'.length))] as const);
      return await Promise.resolve(new Map(lists));
    },
  };
}

/** The other modules of a machine, of which the registry has nothing, are those of its subsystems. */
function listOf({ world, clock }: Life, name: string): ListResult {
  const known = NAMES.find((one) => one === name);
  return listWith(known ? world.releases[known] : [], clock.now());
}

/** Each list once: a poller waits for a turn of the event loop before it uses one that it has not seen. */
const LISTS = new Map<string, readonly Published[]>();

function listWith(releases: readonly Published[], fetchedAt: number): ListResult {
  const text = JSON.stringify(releases);
  const isNew = !LISTS.has(text);
  if (isNew) LISTS.set(text, releases);
  const rest = { dropped: [], source: 'network', from: 'a registry', fetchedAt } as const;
  const list = { ok: true, value: { ...rest, records: LISTS.get(text) ?? releases } } as const;
  if (isNew) moduleListOf(list);
  return list;
}

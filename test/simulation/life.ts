import { Poller, type Configuration, type PollerEvent } from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { type Clock } from '../../src/registry/index.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { connect } from '../../src/registry/http/connection.ts';
import type { RegistryRequest, Reply } from '../../src/registry/http/exchange.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { modregRegistry } from '../../src/registry/http/modreg-registry.ts';
import { savedListsIn } from '../../src/store/saved-lists-table.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { chanceOf } from './chance.ts';
import { consume } from './consumer.ts';
import { Killed, type Call } from './crash-points.ts';
import { configurationOf } from './documents.ts';
import { keyOf, type Target } from './ledger.ts';
import { networkTo } from './network.ts';
import { watchedLists, watchedRegistry } from './watched-registry.ts';
import { watchedState } from './watched-state.ts';
import { clockOf } from './timeline.ts';
import { AgentMistake, type Site, type World } from './world.ts';

/** A process of the machine's agent, from its start to its end. */
export interface Life {
  readonly number: number;
  readonly clock: Clock;
  readonly poller: Poller;
  /** Starts the poller, and a consumer of what it delivers. */
  readonly start: () => void;
  isAlive: boolean;
  /** The call of a port that is under way. */
  call: Call | undefined;
}

/** What a call comes to, unless the process is killed before, within or after it. */
export type Passing = <T>(call: Call, work: () => T) => T;

const LAST_EVENT = 'callback-error';

/** A process that is about to start. `number` is that of the start. */
export function begin(world: World, number: number): Life {
  const { line, points, disk, ledger, habits, complain } = world;
  const chance = chanceOf(world.seed, `life ${number}`);
  const isAlive = (): boolean => life.isAlive;
  const clock = clockOf(line, isAlive);
  const passing: Passing = (call, work) => {
    if (!life.isAlive) throw new Killed(call);
    points.pass(`before ${call}`);
    const outer = life.call;
    life.call = call;
    const done = work();
    life.call = outer;
    // Whoever would have waited for it may be killed now.
    if (done instanceof Promise) done.catch(() => undefined);
    points.pass(`after ${call}`);
    return done;
  };
  const file = disk.open(() => {
    if (!life.isAlive) throw new Killed('dead');
    if (life.call) points.pass(`within ${life.call}`);
  });
  const state = watchedState(machineStateIn(file), world, passing);
  ledger.life = number;
  ledger.hasLooked = false;
  ledger.isBlank = ledger.known.size === 0;
  ledger.polls.clear();
  ledger.lists.clear();
  const saved = watchedLists(savedListsIn(file), world, passing);
  const registries = new Map(
    world.sites.map((site) => [
      site.registry.address,
      registryAt(site, { world, passing, clock, chance, saved, isAlive }),
    ]),
  );
  const poller = new Poller({
    file: { ...file, state, setAside: undefined },
    clock,
    platform: 'linux/arm64',
    random: chance.next,
    intervalMs: habits.intervalMs,
    acknowledgeWithinMs: habits.acknowledgeWithinMs,
    environment: habits.isFastStart ? { PLATFORM_AGENT_FAST_START: '1' } : {},
    registryFor: ({ registry = '' }) => registries.get(registry) as PollableRegistry,
    configuration: () => passing('read the configuration', () => readConfiguration(world)),
    deployedVersion: (target) => passing('ask what runs', () => deployedVersion(world, target)),
    isServerBusy: () => world.mood.isServerBusy,
    ...(habits.asksForMaintenance
      ? { isMaintenanceAllowed: () => passing('ask for maintenance', () => maintenance(world)) }
      : {}),
    onEvent: (event) => {
      if (life.isAlive) told(event, complain, world);
    },
  });
  const life: Life = {
    number,
    clock,
    poller,
    isAlive: true,
    call: undefined,
    start: () => consume(world, life, passing, chance),
  };
  return life;
}

interface Ground {
  readonly world: World;
  readonly passing: Passing;
  readonly clock: Clock;
  readonly chance: ReturnType<typeof chanceOf>;
  readonly saved: ReturnType<typeof watchedLists>;
  readonly isAlive: () => boolean;
}

function registryAt({ registry, link }: Site, ground: Ground): PollableRegistry {
  const { world, passing, clock, chance, saved, isAlive } = ground;
  const { line, trace, ledger } = world;
  const { address } = registry;
  const exchange = networkTo(registry, link, {
    line,
    chance,
    isAlive,
    note: trace.note,
    onAnswer: (status) => {
      if (status !== 200 && status !== 304) return;
      const heard = ledger.heardAt.get(address) ?? new Set();
      ledger.heardAt.set(address, heard.add(line.wall()));
    },
  });
  const connection = connect(address, {
    limits: DEFAULT_LIMITS,
    clock,
    random: chance.next,
    onRetry: () => undefined,
    exchange: async (inquiry, surroundings) => {
      const isFeed = inquiry.url.pathname === '/v1/changes';
      const asking =
        inquiry.waitMs === undefined || inquiry.waitMs === 0
          ? 'ask for changes'
          : 'wait for a change';
      return await passing(isFeed ? asking : 'ask for a list', () => {
        trace.note(`${address} is asked ${inquiry.url.pathname}`);
        return counted(world, address, inquiry, exchange(inquiry, surroundings));
      });
    },
  });
  const remote = { ...modregRegistry(new URL(`${address}/`), connection), address, from: address };
  const cached = cachedRegistry(remote, { clock, saved });
  return watchedRegistry(address, cached, world, { clock, isAlive });
}

/** What is asked once more is counted: no more than three times, and no more than a tenth of all. (R1) */
async function counted(
  { ledger, complain }: World,
  address: string,
  { url: { pathname }, waitMs }: RegistryRequest,
  reply: Promise<Reply>,
): Promise<Reply> {
  const poll = ledger.polls.get(address);
  if (!poll || waitMs !== undefined) return await reply;
  poll.requests++;
  const failures = poll.failures.get(pathname) ?? 0;
  if (failures > 0) poll.retries++;
  if (failures >= 3)
    complain('R1', `${address} is asked ${pathname} ${failures + 1} times in a row`);
  if (poll.retries > Math.max(3, Math.floor((poll.requests - poll.retries) / 10))) {
    complain('R1', `${poll.retries} of ${poll.requests} requests are repeated ones`);
  }
  poll.failures.set(pathname, failures + 1);
  const { status } = await reply;
  if (status < 400) poll.failures.delete(pathname);
  return await reply;
}

function readConfiguration({ mood, ledger, habits, line }: World): Configuration | Promise<never> {
  if (mood.configuration === 'throws') throw new AgentMistake('the configuration is locked');
  if (mood.configuration === 'hangs') return new Promise<never>(() => undefined);
  if (ledger.wish !== mood.wish) {
    ledger.novelty++;
    ledger.wishedAt = line.elapsed();
  }
  ledger.wish = mood.wish;
  ledger.asksForMaintenance = habits.asksForMaintenance;
  return configurationOf(mood.wish);
}

function deployedVersion({ mood, running }: World, target: Pick<Target, 'kind' | 'name'>): unknown {
  if (mood.deployedVersion === 'throws') throw new AgentMistake('nobody knows');
  if (mood.deployedVersion === 'hangs') return new Promise(() => undefined);
  // What was never there does not run.
  return mood.deployedVersion === 'known' ? (running.get(keyOf(target)) ?? null) : undefined;
}

function maintenance({ mood, ledger, line }: World): unknown {
  switch (mood.maintenance) {
    case 'allowed':
      ledger.allowedAt = line.elapsed();
      return true;
    case 'not allowed':
      return false;
    case 'junk':
      return 'yes';
    case 'throws':
      throw new AgentMistake('the operator is out');
    case 'hangs':
      return new Promise(() => undefined);
    case 'nothing':
      return undefined;
  }
}

/** A mistake that is not the agent's is the product's. */
function told(event: PollerEvent, complain: World['complain'], { disk }: World): void {
  if (event.kind === LAST_EVENT && !(event.error instanceof AgentMistake)) {
    complain(
      'no mistakes',
      event.error instanceof Error ? String(event.error.stack) : String(event.error),
    );
  }
  if (event.kind === 'state-unavailable' && !disk.isFull()) complain('T52', event.error.message);
}

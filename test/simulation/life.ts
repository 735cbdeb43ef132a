import { SYSTEM_TAGS } from './desired.ts';
import {
  Poller,
  type Configuration,
  type PollerEvent,
  type PollerOptions,
} from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { CertainClock, type ClockState } from '../../src/registry/certain-clock.ts';
import { type Clock } from '../../src/registries/index.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { connect } from '../../src/registry/http/connection.ts';
import type { RegistryRequest, Reply } from '../../src/registry/http/exchange.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { modregRegistry } from '../../src/registry/http/modreg-registry.ts';
import { savedListsIn } from '../../src/store/saved-lists-table.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { agentIn } from './agent-life.ts';
import { chanceOf, type Chance } from './chance.ts';
import { consume } from './consumer.ts';
import { Killed, type Call } from './crash-points.ts';
import { configurationOf } from './documents.ts';
import { keyOf, type Target } from './ledger.ts';
import { noteArrival } from './hearing.ts';
import { networkTo } from './network.ts';
import { excuseNextRounds, noteWait } from './pace.ts';
import { noteReturned } from './returned-lists.ts';
import { suspectAtStart } from './unclean-starts.ts';
import { watchedLists } from './watched-lists.ts';
import { watchedRegistry } from './watched-registry.ts';
import { begunBefore, judgeTrials } from './stops.ts';
import { watchedState } from './watched-state.ts';
import { noteEntries } from './setups.ts';
import { maintenance } from './statuses.ts';
import { clockOf } from './timeline.ts';
import { CallbackError, type Site, type World } from './world.ts';

/** A process of the machine's agent, from its start to its end. */
export interface Life extends LifeState {
  readonly poller: Poller;
  /** Starts the poller, and a consumer of what it delivers. */
  readonly start: () => void;
  /** Ends both. */
  readonly stop: () => Promise<void>;
}

interface LifeState {
  readonly number: number;
  readonly clock: Clock;
  isAlive: boolean;
  /** Whether the poller was told to stop. */
  isEnding: boolean;
  /** The call of a port that is under way, and how often it has committed. */
  call: { readonly name: Call; commits: number } | undefined;
}

/** What belongs to a process. */
export interface LifeContext {
  readonly world: World;
  readonly life: LifeState;
  readonly killable: Killable;
  readonly chance: Chance;
}

/** Runs `work` and returns its result, unless the process is killed before, within or after the call. */
export type Killable = <T>(call: Call, work: () => T) => T;

const CALLBACK_ERROR = 'callback-error';

/**
 * Creates a process that has not started yet. `number` counts the processes of the machine; `exit` is called if it ends by
 * itself.
 */
export function begin(world: World, number: number, exit: (why: string) => void): Life {
  const { line, points, disk, ledger, settings, complain } = world;
  const chance = chanceOf(world.seed, `life ${number}`);
  const isAlive = (): boolean => life.isAlive;
  const clock = clockOf(line, isAlive);
  const killable: Killable = (call, work) => {
    if (!life.isAlive) throw new Killed(call);
    points.pass(`before ${call}`);
    const outer = life.call;
    const current = { name: call, commits: 0 };
    life.call = current;
    let done;
    try {
      done = work();
    } finally {
      life.call = outer;
    }
    if (current.commits > 1) complain('I9', `${call} consists of ${current.commits} commits`);
    // The caller may be killed now, and then does not handle a rejection.
    if (done instanceof Promise) done.catch(() => undefined);
    points.pass(`after ${call}`);
    return done;
  };
  const file = disk.open(() => {
    if (!life.isAlive) throw new Killed('dead');
    if (life.call) {
      life.call.commits++;
      points.pass(`within ${life.call.name}`);
    } else if (world.host) {
      // The agent writes what it does with a module.
      points.pass('within note an activation');
      world.trace.note('note an activation');
      world.line.after(0, () => judgeTrials(world));
    } else complain('I9', 'machine.db is written outside of every call');
  });
  const state = watchedState(machineStateIn(file), world, killable);
  ledger.life = number;
  ledger.readings = 0;
  ledger.hasPlanned = false;
  ledger.isBlank = ledger.known.size === 0;
  // Half of the machines had a file that was lost.
  ledger.isNew = number === 1 && chanceOf(world.seed, 'home').is(0.5);
  ledger.hasPolledSince = false;
  ledger.plannedSince = Infinity;
  ledger.answers.clear();
  ledger.started.clear();
  ledger.entered.clear();
  ledger.left.clear();
  ledger.begunAt = line.elapsed();
  ledger.wasFull = disk.isFull();
  suspectAtStart(world);
  ledger.polls.clear();
  excuseNextRounds(world);
  ledger.held.clear();
  ledger.lists.clear();
  ledger.returned.clear();
  ledger.told.clear();
  ledger.begun.clear();
  for (const id of begunBefore(world)) ledger.begun.add(id);
  ledger.reports.length = 0;
  const saved = watchedLists(savedListsIn(file), world, killable);
  const registries = new Map(
    world.sites.map((site) => [
      site.registry.address,
      registryAt(site, { world, killable, clock, chance, saved, isAlive }),
    ]),
  );
  const options: PollerOptions = {
    file: { ...file, state, setAside: undefined, lostRows: [], isNew: ledger.isNew },
    clock,
    platform: 'linux/arm64',
    random: chance.next,
    intervalMs: settings.intervalMs,
    acknowledgeWithinMs: settings.acknowledgeWithinMs,
    environment: settings.isFastStart ? { PLATFORM_AGENT_FAST_START: '1' } : {},
    registryFor: ({ registry = '' }) => registries.get(registry) as PollableRegistry,
    configuration: () => killable('read the configuration', () => readConfiguration(world)),
    deployedVersion: (target) =>
      killable('read the deployed version', () => deployedVersion(world, target)),
    isServerBusy: () => world.conditions.isServerBusy,
    systemTags: () => SYSTEM_TAGS,
    ...(settings.asksForMaintenance
      ? { isMaintenanceAllowed: () => killable('ask for maintenance', () => maintenance(world)) }
      : {}),
    onEvent: (event) => {
      if (life.isAlive) judgeEvent(event, complain, world);
    },
  };
  const life: LifeState = { number, clock, isAlive: true, isEnding: false, call: undefined };
  const context = { world, life, killable, chance };
  const { host } = world;
  return host
    ? Object.assign(life, agentIn({ ...context, host }, options, exit))
    : pollerIn(context, options);
}

interface ProcessContext {
  readonly world: World;
  readonly killable: Killable;
  readonly clock: Clock;
  readonly chance: ReturnType<typeof chanceOf>;
  readonly saved: ReturnType<typeof watchedLists>;
  readonly isAlive: () => boolean;
}

function registryAt({ registry, link }: Site, context: ProcessContext): PollableRegistry {
  const { world, killable, clock, chance, saved, isAlive } = context;
  const { line, wire, trace, ledger } = world;
  const { address } = registry;
  const exchange = networkTo(registry, link, {
    line,
    wire,
    chance,
    isAlive,
    note: trace.note,
    onArrival: (arrival) => {
      const moment = { elapsed: line.elapsed(), wall: line.wall() };
      noteArrival(ledger, address, { ...arrival, isOwn: true }, moment);
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
      return await killable(isFeed ? asking : 'ask for a list', () => {
        trace.note(`request to ${address}${inquiry.url.pathname}`);
        return counted(world, address, inquiry, exchange(inquiry, surroundings));
      });
    },
  });
  const remote = { ...modregRegistry(new URL(`${address}/`), connection), address, from: address };
  const state = (): ClockState =>
    world.conditions.isClockRight ? 'synchronized' : 'unsynchronized';
  const cached = cachedRegistry(remote, { clock, certain: new CertainClock(clock, state), saved });
  return watchedRegistry(registry, cached, world, { clock, isAlive });
}

/** Limits retries: three requests in a row for a path, and a tenth of all requests. (R1) */
async function counted(
  world: World,
  address: string,
  { url: { pathname }, waitMs }: RegistryRequest,
  reply: Promise<Reply>,
): Promise<Reply> {
  const { ledger, complain } = world;
  const poll = ledger.polls.get(address);
  if (waitMs !== undefined && waitMs > 0) noteWait(world, address);
  if (!poll || waitMs !== undefined) return await reply;
  poll.requests++;
  const failures = poll.failures.get(pathname) ?? 0;
  if (failures > 0) poll.retries++;
  if (failures >= 3) complain('R1', `${failures + 1} requests in a row to ${address}${pathname}`);
  if (poll.retries > Math.max(3, Math.floor((poll.requests - poll.retries) / 10))) {
    complain('R1', `${poll.retries} of ${poll.requests} requests are retries`);
  }
  poll.failures.set(pathname, failures + 1);
  const { status } = await reply;
  if (status < 400) poll.failures.delete(pathname);
  return await reply;
}

function readConfiguration(world: World): Configuration | Promise<never> {
  const { conditions, ledger, settings, line } = world;
  if (conditions.configuration === 'throws') throw new CallbackError('the configuration is locked');
  if (conditions.configuration === 'hangs') return new Promise<never>(() => undefined);
  if (ledger.desired !== conditions.desired) {
    ledger.novelty++;
    excuseNextRounds(world);
    ledger.desiredSince = line.elapsed();
    ledger.desiredBefore = ledger.desired;
    noteReturned(ledger, conditions.desired);
  }
  const before = ledger.desired;
  ledger.desired = conditions.desired;
  ledger.readings++;
  noteEntries(ledger, before, line.elapsed());
  ledger.asksForMaintenance = settings.asksForMaintenance;
  return configurationOf(conditions.desired);
}

function deployedVersion(
  { conditions, running, ledger }: World,
  target: Pick<Target, 'kind' | 'name'>,
): unknown {
  if (conditions.deployedVersion === 'throws')
    throw new CallbackError('the deployed version cannot be read');
  if (conditions.deployedVersion === 'hangs') return new Promise(() => undefined);
  if (conditions.deployedVersion !== 'known') return undefined;
  // A target without an entry was never installed.
  const version = running.get(keyOf(target)) ?? null;
  ledger.told.set(keyOf(target), version);
  return version;
}

/** A callback error that the simulated agent did not raise is a defect of the product. */
function judgeEvent(event: PollerEvent, complain: World['complain'], { disk }: World): void {
  if (event.kind === CALLBACK_ERROR && !(event.error instanceof CallbackError)) {
    complain(
      'no unexpected errors',
      event.error instanceof Error ? String(event.error.stack) : String(event.error),
    );
  }
  if (event.kind === 'state-unavailable' && !disk.isFull()) complain('T52', event.error.message);
}

/** A poller whose deliveries an agent consumes that is not modreg's. */
function pollerIn({ world, life, killable, chance }: LifeContext, options: PollerOptions): Life {
  const poller = new Poller(options);
  const whole: Life = Object.assign(life, {
    poller,
    start: () => consume(world, whole, killable, chance),
    stop: async () => await poller.stop(),
  });
  return whole;
}

import type { OpenAction } from '../core/plan/committed-action.ts';
import { Poller, type Delivery, type PollerEvent, type PollerOptions } from '../poller/index.ts';
import { openRegistries } from '../registries/open-registries.ts';
import { DatabaseError, openForPoller, savedListsIn, type ClaimedFile } from '../store/index.ts';
import { machineStateIn } from '../store/machine-state.ts';
import { machineRest } from './machine-rest.ts';
import type { PendingReads } from './pending-reads.ts';
import type { TestRegistry } from './test-registry.ts';
import type { VirtualTime } from './virtual-clock.ts';

/** The pollers of a machine, one after another, on one file (D316). */
export interface MachineLife {
  readonly events: readonly PollerEvent[];
  readonly deliveries: readonly Delivery[];
  /** The poller that runs, or ran last. */
  readonly poller: () => Poller;
  /** Throws an Error for `callee` unless a poller runs: nothing would happen (D475). `remedy` is what to call after a power cut. */
  readonly expectPower: (callee: string, remedy: string) => void;
  /** The actions that are not acknowledged. */
  readonly open: () => readonly OpenAction[];
  /** For how long each round is the same; undefined if that is not known (D429). */
  readonly restsFor: () => number | undefined;
  readonly cut: () => void;
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** Throws the first error of the agent under test that was not thrown yet. */
  readonly throwError: () => void;
}

type CarryOut = (delivery: Delivery) => void | Promise<void>;

interface LifeOptions
  extends Pick<PollerOptions, 'configuration'>, Partial<Omit<PollerOptions, 'configuration'>> {
  readonly deployed: ReadonlyMap<string, string | null>;
}

interface Surroundings {
  readonly clock: VirtualTime['ofMachine'];
  readonly registry: TestRegistry;
  readonly reads: PendingReads;
}

/** What the processes of the machine have done so far. */
interface Seen {
  readonly events: PollerEvent[];
  readonly deliveries: Delivery[];
  /** Of the agent under test, not thrown yet. */
  readonly errors: unknown[];
}

/** One process of the machine. */
interface Running {
  readonly poller: Poller;
  readonly file: ClaimedFile;
  /** Whether its power was cut, or it has ended: it changes nothing any more. */
  isOver: boolean;
  /** Resolves once its poller has stopped, and gets no more deliveries. */
  ended: Promise<unknown>;
}

/** Starts the first poller. */
export function machineLife(
  options: LifeOptions,
  around: Surroundings,
  carryOut: CarryOut,
): MachineLife {
  const memory = openForPoller(':memory:');
  const seen: Seen = { events: [], deliveries: [], errors: [] };
  const begin = (isNew: boolean): Running =>
    started({ memory, isNew, seen }, options, around, carryOut);
  let running = begin(true);
  let isClosed = false;
  const stop = async (): Promise<void> => {
    if (!running.isOver) await running.poller.stop();
    await running.ended;
  };
  return {
    ...seen,
    poller: () => running.poller,
    expectPower: (...call) => expectPower(isClosed, running, ...call),
    open: () => running.file.state.memory().open,
    restsFor: () => (running.isOver ? undefined : restOf(running, options, { seen, around })),
    cut: () => {
      if (running.isOver) return;
      const { poller, ended } = running;
      running.isOver = true;
      running.ended = Promise.all([poller.stop(), ended]);
    },
    restart: async () => {
      await stop();
      running.isOver = true;
      running = begin(false);
    },
    close: async () => {
      await stop();
      isClosed = true;
      memory.close();
    },
    throwError: () => throwFirst(seen.errors),
  };
}

function expectPower(
  isClosed: boolean,
  { isOver }: Running,
  ...[callee, remedy]: Parameters<MachineLife['expectPower']>
): void {
  if (isClosed) throw new Error(`${callee}: the machine is closed: start another one`);
  if (!isOver) return;
  throw new Error(`${callee}: the power is cut, and nothing happens: call ${remedy}`);
}

function throwFirst(errors: unknown[]): void {
  if (errors.length > 0) throw errors.shift();
}

function restOf(
  { file }: Running,
  { configuration }: LifeOptions,
  { seen: { events }, around }: { readonly seen: Seen; readonly around: Surroundings },
): number | undefined {
  const current = configuration();
  if (current instanceof Promise) return undefined;
  return machineRest(file, current, { events, now: around.clock.now() });
}

/** Starts a poller on the machine's file, as a new process does. */
function started(
  { memory, isNew, seen }: { memory: ClaimedFile; isNew: boolean; seen: Seen },
  options: LifeOptions,
  around: Surroundings,
  carryOut: CarryOut,
): Running {
  const process = { isOver: false };
  const onEvent = (event: PollerEvent): void => {
    if (process.isOver) return;
    seen.events.push(event);
    // The poller handles the rejection of an async function.
    return options.onEvent?.(event);
  };
  const file = fileWhile(() => !process.isOver, memory, isNew);
  const poller = pollerOn(file, { ...options, onEvent }, around);
  poller.start();
  const ended = carryOutAll(poller, seen.deliveries, attempting(carryOut, seen.errors));
  return Object.assign(process, { poller, file, ended });
}

/** The machine's file for one process: what that writes later is not written. */
function fileWhile(isPowered: () => boolean, memory: ClaimedFile, isNew: boolean): ClaimedFile {
  const { path } = memory;
  const checkInPlace = (): void => {
    if (!isPowered()) throw new DatabaseError('missing', 'the power was cut', { file: path });
  };
  const file = { ...memory, checkInPlace };
  return { ...file, isNew, state: machineStateIn(file) };
}

/** A poller of a machine in memory, which reads the lists of the registry. */
function pollerOn(
  file: ClaimedFile,
  { deployed, ...options }: LifeOptions,
  { clock, registry, reads }: Surroundings,
): Poller {
  const registries = openRegistries({
    saved: savedListsIn(file),
    fetch: registry.fetch,
    clock: reads.sleepingOn(clock),
    random: middle,
  });
  return new Poller({
    registryFor: (terms) => reads.counted(registries.registryFor(terms)),
    platform: 'linux/arm64',
    random: middle,
    deployedVersion: ({ name }) => deployed.get(name),
    ...options,
    clock,
    file,
  });
}

/** Both ends of an interval that varies by 10 % are equally far away. */
function middle(): number {
  return 0.5;
}

/** The agent under test, whose errors are kept. */
function attempting(carryOut: CarryOut, errors: unknown[]): (delivery: Delivery) => Promise<void> {
  return async (delivery) => {
    try {
      await carryOut(delivery);
    } catch (error) {
      errors.push(error);
    }
  };
}

/** Several actions may be carried out at once. Resolves once there are no more deliveries. */
async function carryOutAll(
  poller: Poller,
  deliveries: Delivery[],
  attempt: (delivery: Delivery) => Promise<void>,
): Promise<void> {
  for await (const delivery of poller.deliveries()) {
    deliveries.push(delivery);
    void attempt(delivery);
  }
}

import type { Delivery } from '../../src/poller/index.ts';
import type { CommittedAction } from '../../src/store/index.ts';
import type { ReleaseFailure } from '../../src/store/release-failure.ts';
import { type Chance, chanceOf } from './chance.ts';
import { Killed } from './crash-points.ts';
import { keyOf } from './ledger.ts';
import type { Life, Killable } from './life.ts';
import { described, say, unsay, type Report } from './reports.ts';
import { seenAction, targetOf } from './watched-state.ts';
import { CallbackError, type World } from './world.ts';

const IS_VERSION = /^\d+\.\d+\.\d+/;
const LONGEST_WORK_MS = 20_000;
const MINUTE = 60_000;
/** How long a release that crashes later seems to work. Another one may be deployed by then. */
const CRASHES_AFTER_MS = [0, 10 * MINUTE, 60 * MINUTE] as const;

/** Starts the poller, and consumes its deliveries. */
export function consume(world: World, life: Life, killable: Killable, chance: Chance): void {
  try {
    life.poller.start();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return;
  }
  void consumeDeliveries(world, life, killable, chance);
}

async function consumeDeliveries(
  world: World,
  life: Life,
  killable: Killable,
  chance: Chance,
): Promise<void> {
  const { complain, judge } = world;
  for (let isOver = false; !isOver;) {
    const ending = new AbortController();
    const endLoop = (): void => {
      judge.consumerEnded();
      ending.abort();
    };
    try {
      for await (const delivery of life.poller.deliveries(ending.signal)) {
        await handle(world, life, workFor(world, delivery, { killable, chance, endLoop }));
      }
      isOver = !ending.signal.aborted;
    } catch (error) {
      if (error instanceof Killed || !life.isAlive) return;
      if (!(error instanceof CallbackError)) {
        complain(
          'no unexpected errors',
          error instanceof Error ? String(error.stack) : String(error),
        );
        return;
      }
      await life.clock.sleep(1000);
    }
  }
}

/** Most consumers carry out an action while they wait for the next. */
async function handle(world: World, life: Life, work: Work): Promise<void> {
  const { consumer } = world.conditions;
  work.killable('hand over', () => receive(world, work.delivery));
  // After a violation the deliveries may never end.
  if (world.isBroken()) throw new Killed('an invariant is broken');
  if (consumer === 'throws' && work.chance.is(0.5)) {
    world.judge.consumerEnded();
    throw new CallbackError('the consumer throws');
  }
  const working = workOn(world, life, work);
  if (consumer === 'blocks') await working;
}

/** The consumer gets an action. */
export function receive({ disk, judge, trace }: World, { action, times }: Delivery): void {
  const number = Number(action.id.split('-')[1]);
  const row = disk
    .rows('SELECT number, state FROM actions')
    .find((one) => one['number'] === number);
  trace.note(`${action.id} is handed over`);
  judge.handedOver(seenAction(action), row?.['state'], times);
}

interface Means {
  readonly killable: Killable;
  readonly chance: Chance;
  /** Leaves the loop over the deliveries. Another one begins. */
  readonly endLoop: () => void;
}

interface Work extends Means {
  readonly delivery: Delivery;
  /** On the monotonic clock. */
  deadline: number;
  isReported: boolean;
}

function workFor({ line, settings }: World, delivery: Delivery, means: Means): Work {
  const deadline = line.elapsed() + settings.acknowledgeWithinMs;
  return { ...means, delivery, deadline, isReported: false };
}

async function workOn(world: World, life: Life, work: Work): Promise<void> {
  const { conditions, complain, settings } = world;
  const { chance, delivery } = work;
  try {
    const isSlow = conditions.consumer === 'slow' || conditions.consumer === 'blocks';
    const longest = isSlow ? 2 * settings.acknowledgeWithinMs : LONGEST_WORK_MS;
    const workMs = chance.between(0, longest);
    if (isSlow && chance.is(0.3)) extend(world, work, workMs);
    await life.clock.sleep(workMs);
    judgeSignal(world, life, work);
    if (conditions.consumer === 'forgets' && chance.is(0.9)) {
      // An agent that does not know what became of an action has it delivered again.
      delivery.signal.addEventListener('abort', work.endLoop, { once: true });
      if (delivery.signal.aborted) work.endLoop();
      return;
    }
    await carryOut(world, life, work);
    if (conditions.consumer === 'repeats') await carryOut(world, life, work);
  } catch (error) {
    if (error instanceof Killed || !life.isAlive) return;
    complain('no unexpected errors', error instanceof Error ? String(error.stack) : String(error));
  }
}

function extend({ line, judge }: World, work: Work, workMs: number): void {
  const { delivery, chance } = work;
  const ms = Math.max(1000, workMs - chance.between(0, MINUTE));
  delivery.extend(ms);
  delivery.progress(chance.next());
  work.deadline = Math.max(work.deadline, line.elapsed() + ms);
  judge.extended(delivery.action.id, ms);
}

/** At the deadline, and not before, the signal says that the time is over. (D39) */
function judgeSignal({ line, complain }: World, life: Life, { delivery, deadline }: Work): void {
  const { signal, action } = delivery;
  const left = deadline - line.elapsed();
  const { name } = Object(signal.reason) as { readonly name?: string };
  if (signal.aborted && name === 'TimeoutError' && left > 0) {
    complain('D39', `${action.id} was overdue ${left} ms before its deadline`);
  }
  if (!signal.aborted && left < 0 && !life.isEnding) {
    complain('D39', `${action.id} was not overdue ${-left} ms after its deadline`);
  }
}

/** Carries out each id once, however often it is delivered, unless another version is deployed by then. */
async function carryOut(world: World, life: Life, work: Work): Promise<void> {
  const { conditions, effects, running, trace, ledger, strays } = world;
  const { delivery, killable, chance } = work;
  const { action, done, failed } = delivery;
  const key = keyOf(action.target);
  const before = running.get(key) ?? null;
  // A restart of a local module changes no version. (D344)
  const isLocal = action.to === 'local';
  const isDone = effects.has(action.id) && (isLocal || before === action.to);
  if (!isDone && chance.is(conditions.obstructed)) {
    trace.note(`${action.id} is obstructed`);
    const failure = { blame: 'machine', reason: 'no space', running: before } as const;
    await acknowledge(world, work, failure, async () => await failed(failure));
    return;
  }
  const health = chanceOf(world.seed, `${action.to} ${key}`);
  const isBroken = action.direction !== 'rollback' && health.is(conditions.broken);
  killable('carry out', () => {
    if (isDone) return;
    effects.add(action.id);
    if (!isLocal) running.set(key, action.to);
    if (!ledger.open.has(action.id) || work.isReported) strays.add(key);
    trace.note(`${action.id} is carried out`);
  });
  // Only the failure of a version can be reported later.
  const isVersion = IS_VERSION.test(action.to);
  const crashesLater = isBroken && health.is(0.5) && isVersion;
  if (!isBroken || crashesLater) {
    await acknowledge(world, work, DONE, done);
    if (crashesLater) await crashLater(world, life, work);
    return;
  }
  const drawn = chance.one([action.to, before, null, undefined]);
  const now = isLocal ? before : drawn;
  // The part of an agent that supervises modules may know only the version.
  const namesVersion = chance.is(0.3) && isVersion;
  // A second acknowledgement is refused.
  if (now !== undefined && (namesVersion || !work.isReported)) running.set(key, now);
  // Until this is reported: the agent may be killed first.
  strays.add(key);
  if (namesVersion) {
    await reportFailure(
      world,
      life,
      { ...work, target: work.delivery.action.target },
      { version: action.to, reason: 'it crashed', running: now },
    );
    work.isReported = true;
    return;
  }
  const failure = { blame: 'release', reason: 'it crashed', running: now } as const;
  await acknowledge(world, work, failure, async () => await failed(failure));
}

export const DONE = { blame: undefined, reason: undefined, running: undefined } as const;

interface Failure {
  readonly blame: 'release' | 'machine' | 'undecided';
  readonly reason: string;
  readonly running: string | null | undefined;
}

/** A report that modreg accepted is on the disk, unless the disk is full. (I9) */
function judgeRecorded({ ledger, disk, complain }: World, spoken: Report | undefined): void {
  if (!spoken || disk.isFull() || !ledger.reports.includes(spoken)) return;
  complain('I9', `${described(spoken)} was accepted, and is not recorded`);
}

/** Only the first report of a delivery is accepted. A report through another delivery counts too. (D38) */
export async function acknowledge(
  world: World,
  work: Pick<Work, 'delivery' | 'isReported' | 'killable'>,
  said: typeof DONE | Failure,
  report: () => Promise<void>,
): Promise<void> {
  const { complain, ledger } = world;
  const { action, signal } = work.delivery;
  const { id, to: version } = action;
  const { target } = seenAction(action);
  const wasReported = work.isReported;
  let spoken: Report | undefined;
  try {
    work.isReported = true;
    const call = said === DONE ? 'acknowledge done' : 'acknowledge failed';
    await work.killable(call, async () => {
      spoken = say(world, { id, target, version, ...said }, world.line.elapsed());
      await report();
    });
    judgeRecorded(world, spoken);
    if (wasReported) complain('D38', `${action.id} was acknowledged twice`);
  } catch (error) {
    if (spoken) unsay(ledger, spoken);
    const isRefused = / was already reported as (done|failed); /.test(String(error));
    if (!isRefused) throw error;
    // What it carried out is not recorded.
    world.strays.add(keyOf(target));
    if (!wasReported && !signal.aborted)
      complain('D38', `${action.id} was refused: ${String(error)}`);
  }
}

/** The agent notices long after the acknowledgement that the release, or the one before it, does not work. */
async function crashLater(world: World, life: Life, work: Work): Promise<void> {
  const { running, trace, strays } = world;
  const { chance, delivery } = work;
  const { target, from = '', to } = delivery.action;
  await life.clock.sleep(chance.one(CRASHES_AFTER_MS));
  const version = IS_VERSION.test(from) && chance.is(0.3) ? from : to;
  const key = keyOf(target);
  const before = running.get(key);
  const after = before === version ? [version, null, undefined] : [before, undefined];
  const now = chance.one(after);
  // Until this is reported.
  strays.add(key);
  if (now !== undefined) running.set(key, now);
  trace.note(`${version} of ${key} crashes`);
  await reportFailure(
    world,
    life,
    { ...work, target: work.delivery.action.target },
    { version, reason: 'it crashed', running: now },
  );
}

export async function reportFailure(
  world: World,
  { poller }: Pick<Life, 'poller'>,
  { target, killable }: Pick<Means, 'killable'> & Pick<CommittedAction, 'target'>,
  failure: ReleaseFailure,
): Promise<void> {
  const { line } = world;
  const said = { id: undefined, target: targetOf(target), ...failure };
  let spoken: Report | undefined;
  await killable('report a failure', async () => {
    spoken = say(world, { ...said, blame: failure.blame ?? 'release' }, line.elapsed());
    await poller.reportFailure(target, failure);
  });
  judgeRecorded(world, spoken);
}

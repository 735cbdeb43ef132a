import type { Delivery } from '../../src/poller/index.ts';
import { type Chance, chanceOf } from './chance.ts';
import { Killed } from './crash-points.ts';
import { keyOf } from './ledger.ts';
import type { Life, Passing } from './life.ts';
import { seenAction } from './watched-state.ts';
import { AgentMistake, type World } from './world.ts';

const LONGEST_WORK_MS = 20_000;

/** Starts the poller, and takes what it delivers. */
export function consume(world: World, life: Life, passing: Passing, chance: Chance): void {
  try {
    life.poller.start();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return;
  }
  void taking(world, life, passing, chance);
}

async function taking(world: World, life: Life, passing: Passing, chance: Chance): Promise<void> {
  const { complain } = world;
  for (let isOver = false; !isOver;) {
    try {
      for await (const delivery of life.poller.deliveries()) {
        await take(world, life, { delivery, passing, chance });
      }
      isOver = true;
    } catch (error) {
      if (error instanceof Killed || !life.isAlive) return;
      if (!(error instanceof AgentMistake)) {
        complain('no mistakes', error instanceof Error ? String(error.stack) : String(error));
        return;
      }
      await life.clock.sleep(1000);
    }
  }
}

/** Most carry out what they are given beside taking the next. */
async function take(world: World, life: Life, work: Work): Promise<void> {
  const { consumer } = world.mood;
  work.passing('hand over', () => receive(world, work.delivery));
  // What is broken may go on without end.
  if (world.isBroken()) throw new Killed('it is seen to be broken');
  if (consumer === 'throws' && work.chance.is(0.5)) throw new AgentMistake('no hands');
  const working = workOn(world, life, work);
  if (consumer === 'stands') await working;
}

function receive({ disk, judge, trace }: World, { action }: Delivery): void {
  const number = Number(action.id.split('-')[1]);
  const row = disk
    .rows('SELECT number, state FROM actions')
    .find((one) => one['number'] === number);
  trace.note(`${action.id} is handed over`);
  judge.handedOver(seenAction(action), row?.['state']);
}

interface Work {
  readonly delivery: Delivery;
  readonly passing: Passing;
  readonly chance: Chance;
}

async function workOn(world: World, life: Life, work: Work): Promise<void> {
  const { mood, complain, habits } = world;
  const { chance } = work;
  try {
    const isSlow = mood.consumer === 'slow' || mood.consumer === 'stands';
    const longest = isSlow ? 2 * habits.acknowledgeWithinMs : LONGEST_WORK_MS;
    await life.clock.sleep(chance.between(0, longest));
    if (mood.consumer === 'forgets' && chance.is(0.7)) return;
    await carryOut(world, work);
    if (mood.consumer === 'babbles') await carryOut(world, work);
  } catch (error) {
    if (error instanceof Killed || !life.isAlive) return;
    complain('no mistakes', error instanceof Error ? String(error.stack) : String(error));
  }
}

/** Once for each id, however often it is delivered. */
async function carryOut(world: World, { delivery, passing, chance }: Work): Promise<void> {
  const { mood, effects, running, trace } = world;
  const { action, done, failed } = delivery;
  const key = keyOf(action.target);
  const before = running.get(key) ?? null;
  const isDone = effects.has(action.id);
  if (!isDone && chance.is(mood.obstructed)) {
    trace.note(`${action.id} came to nothing`);
    await passing(
      'say failed',
      async () => await failed({ blame: 'machine', reason: 'no space', running: before }),
    );
    return;
  }
  const health = chanceOf(world.seed, `${action.to} ${key}`);
  const isBroken = action.direction !== 'rollback' && health.is(mood.broken);
  passing('carry out', () => {
    if (isDone) return;
    effects.set(action.id, 1);
    running.set(key, action.to);
    trace.note(`${action.id} is carried out`);
  });
  if (!isBroken) {
    await passing('say done', async () => await done());
    return;
  }
  const now = chance.one([action.to, before, null, undefined]);
  if (now !== undefined) running.set(key, now);
  await passing(
    'say failed',
    async () => await failed({ blame: 'release', reason: 'it crashed', running: now }),
  );
}

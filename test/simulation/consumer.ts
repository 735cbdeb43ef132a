import type { Delivery } from '../../src/poller/index.ts';
import { type Chance, chanceOf } from './chance.ts';
import { Killed } from './crash-points.ts';
import { keyOf } from './ledger.ts';
import type { Life, Killable } from './life.ts';
import { seenAction } from './watched-state.ts';
import { CallbackError, type World } from './world.ts';

const LONGEST_WORK_MS = 20_000;

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
  const { complain } = world;
  for (let isOver = false; !isOver;) {
    try {
      for await (const delivery of life.poller.deliveries()) {
        await handle(world, life, { delivery, killable, chance });
      }
      isOver = true;
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
  if (consumer === 'throws' && work.chance.is(0.5)) throw new CallbackError('the consumer throws');
  const working = workOn(world, life, work);
  if (consumer === 'blocks') await working;
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
  readonly killable: Killable;
  readonly chance: Chance;
}

async function workOn(world: World, life: Life, work: Work): Promise<void> {
  const { conditions, complain, settings } = world;
  const { chance } = work;
  try {
    const isSlow = conditions.consumer === 'slow' || conditions.consumer === 'blocks';
    const longest = isSlow ? 2 * settings.acknowledgeWithinMs : LONGEST_WORK_MS;
    await life.clock.sleep(chance.between(0, longest));
    if (conditions.consumer === 'forgets' && chance.is(0.7)) return;
    await carryOut(world, work);
    if (conditions.consumer === 'repeats') await carryOut(world, work);
  } catch (error) {
    if (error instanceof Killed || !life.isAlive) return;
    complain('no unexpected errors', error instanceof Error ? String(error.stack) : String(error));
  }
}

/** Carries out each id once, however often it is delivered. */
async function carryOut(world: World, { delivery, killable, chance }: Work): Promise<void> {
  const { conditions, effects, running, trace } = world;
  const { action, done, failed } = delivery;
  const key = keyOf(action.target);
  const before = running.get(key) ?? null;
  const isDone = effects.has(action.id);
  if (!isDone && chance.is(conditions.obstructed)) {
    trace.note(`${action.id} is obstructed`);
    await killable(
      'acknowledge failed',
      async () => await failed({ blame: 'machine', reason: 'no space', running: before }),
    );
    return;
  }
  const health = chanceOf(world.seed, `${action.to} ${key}`);
  const isBroken = action.direction !== 'rollback' && health.is(conditions.broken);
  killable('carry out', () => {
    if (isDone) return;
    effects.set(action.id, 1);
    running.set(key, action.to);
    trace.note(`${action.id} is carried out`);
  });
  if (!isBroken) {
    await killable('acknowledge done', async () => await done());
    return;
  }
  const now = chance.one([action.to, before, null, undefined]);
  if (now !== undefined) running.set(key, now);
  await killable(
    'acknowledge failed',
    async () => await failed({ blame: 'release', reason: 'it crashed', running: now }),
  );
}

import type { Model, Played } from './explore.ts';
import { unsettled } from './loop-judge.ts';
import { killed, started } from './loop-machine.ts';
import { textOf } from './loop-text.ts';
import {
  HOUR,
  INTERVAL_MS,
  NAMES,
  TARGETS,
  VERSIONS,
  type Base,
  type Hand,
  type Life,
  type Name,
  type World,
} from './loop-world.ts';
import type { MachineStore } from './machine-store.ts';

/*
 * The action loop of a machine with two modules of three releases each. A state is the machine before its process started, and
 * what happened since: it is played again for each next move, because nothing copies what a process has in memory.
 */

export interface LoopState {
  readonly base: Base;
  readonly since: readonly string[];
  /** How much may still go other than as planned. */
  readonly surprises: number;
  readonly moves: readonly string[];
  readonly text: string;
}

type Move = (life: Life) => Promise<void> | void;

const KILL = 'the process is killed';
const END = 'the process ends';
const WALL = Date.parse('2026-11-21T12:00:00Z');

/** What an agent does if all goes as planned. Everything else is a surprise. */
const AS_PLANNED = /^(a consumer begins|ten minutes pass|an hour passes|\w+ (begins|works))$/;

/** The model, in which so many surprises happen on a path. */
export function actionLoop(store: MachineStore, surprises: number): Model<LoopState> {
  const releases = VERSIONS.slice(0, 2).map((version) => ({ version }));
  const world: World = {
    releases: { camera: releases, arm: releases },
    running: { camera: '1.0.0', arm: '1.0.0' },
    begun: [],
    clockSetMs: 0,
  };
  const times = { elapsed: 1000, wall: WALL };
  const state = store.elsewhere();
  for (const name of NAMES) state.report(TARGETS[name], world.running[name], times.wall);
  const base = { rows: store.save(), world, times };
  const calm = new Set<string>();
  return {
    initial: seenOnce(started(store, base), { base, since: [], surprises }),
    moves: ({ moves }) => moves,
    play: async (before, move) => await played(store, before, move),
    textOf: ({ text }) => text,
    calm: async (after) => await brokenInCalm(store, after, calm),
  };
}

function seen(life: Life, at: Pick<LoopState, 'base' | 'since' | 'surprises'>): LoopState {
  const { surprises } = at;
  const moves = movesOf(life).filter((move) => surprises > 0 || AS_PLANNED.test(move));
  return { ...at, moves, text: `${surprises} ${textOf(life)}` };
}

/** Plays what happened since the process started, and `move`. */
async function played(
  store: MachineStore,
  { base, since, surprises: before }: LoopState,
  move: string,
): Promise<Played<LoopState>> {
  const surprises = AS_PLANNED.test(move) ? before : before - 1;
  const life = await replayed(store, base, since);
  const { broken } = life.judge;
  if (move === KILL || move === END) {
    if (move === END) await life.poller.stop();
    const next = ended(store, life);
    return { state: seenOnce(started(store, next), { base: next, since: [], surprises }), broken };
  }
  await make(store, life, move);
  return { state: seenOnce(life, { base, since: [...since, move], surprises }), broken };
}

function seenOnce(life: Life, at: Parameters<typeof seen>[1]): LoopState {
  const state = seen(life, at);
  killed(life);
  return state;
}

async function replayed(store: MachineStore, base: Base, since: readonly string[]): Promise<Life> {
  const life = started(store, base);
  await life.clock.react();
  for (const move of since) await make(store, life, move);
  return life;
}

/** The machine after a kill of its process. */
function ended(store: MachineStore, life: Life): Base {
  killed(life);
  return { rows: store.save(), world: life.world, times: life.clock.times() };
}

async function make(store: MachineStore, life: Life, move: string): Promise<void> {
  const [name = '', ...rest] = move.split(' ');
  const of = NAMES.find((one) => one === name);
  if (of) await makeOf(life, of, rest.join(' '), store);
  else await GENERAL[move]?.(life);
  await life.clock.react();
}

const GENERAL: Readonly<Record<string, Move>> = {
  'ten minutes pass': async ({ clock }) => await clock.pass(INTERVAL_MS),
  'an hour passes': async ({ clock }) => await clock.pass(HOUR),
  'the clock is set back an hour': (life) => setClock(life, -HOUR),
  'the clock is set forward an hour': (life) => setClock(life, HOUR),
  'a consumer begins': (life) => {
    const ending = new AbortController();
    life.consumer = ending;
    void consume(life, ending.signal);
  },
  'the consumer ends': (life) => {
    life.consumer?.abort(new Error('the consumer ends'));
    life.consumer = undefined;
    life.hands.length = 0;
  },
};

function setClock(life: Life, ms: number): void {
  life.clock.step(ms);
  life.world = { ...life.world, clockSetMs: life.world.clockSetMs + ms };
}

async function consume(life: Life, signal: AbortSignal): Promise<void> {
  for await (const delivery of life.poller.deliveries(signal)) {
    const name = delivery.action.target.name as Name;
    const earlier = life.hands.findIndex((hand) => hand.delivery.action.id === delivery.action.id);
    if (earlier >= 0) life.judge.broken.push(`${name}: one consumer gets an action twice`);
    // What has stopped something is finished, also by the next process.
    const isBegun = life.world.begun.includes(delivery.action.id);
    life.hands.push({ name, delivery, isBegun });
  }
}

/** What happens to one module. */
async function makeOf(life: Life, name: Name, what: string, store: MachineStore): Promise<void> {
  const hand = life.hands.find((one) => one.name === name);
  const [version = '', does = ''] = what.split(' is ');
  if (does === 'published') publish(life, name, { version });
  else if (does === 'yanked') publish(life, name, { version, yanked: 'broken' });
  else if (hand) await makeInHand(life, hand, what);
  else if (what === 'fails later') {
    const running = life.world.running[name];
    const failure = { version: running, reason: 'it crashed', running };
    await life.poller.reportFailure(TARGETS[name], failure);
    life.judge.failed(name, failure);
  } else if (what === 'restart is requested') {
    const request = { requestedAt: life.clock.now(), isImmediate: false };
    store.elsewhere().requestRestart(TARGETS[name], request);
    life.poller.look();
  }
}

function publish(life: Life, name: Name, release: World['releases'][Name][number]): void {
  const { releases } = life.world;
  const others = releases[name].filter(({ version }) => version !== release.version);
  life.world = { ...life.world, releases: { ...releases, [name]: [...others, release] } };
}

async function makeInHand(life: Life, hand: Hand, what: string): Promise<void> {
  const { delivery, name } = hand;
  const { action } = delivery;
  if (what === 'begins') {
    const answer = delivery.mayProceed();
    await life.clock.react();
    if ((await answer).mayProceed) {
      life.judge.permitted(action);
      hand.isBegun = true;
      const begun = [...life.world.begun, action.id];
      run(life, name, action.to, begun);
    } else drop(life, hand);
    return;
  }
  drop(life, hand);
  const begun = life.world.begun.filter((id) => id !== action.id);
  if (what === 'works') {
    run(life, name, action.to, begun);
    await reported(delivery.done());
    life.judge.done(name, action);
    return;
  }
  const before = action.from ?? action.to;
  run(life, name, before, begun);
  const blame = what === 'cannot be replaced' ? 'machine' : 'release';
  if (blame === 'machine') life.failedHere.add(name);
  await reported(delivery.failed({ reason: 'it fails', running: before, blame }));
  const failure = { version: action.to, running: before, action };
  if (blame === 'release') life.judge.failed(name, failure);
}

function run(life: Life, name: Name, version: string, begun: World['begun']): void {
  life.world = { ...life.world, begun, running: { ...life.world.running, [name]: version } };
}

function drop({ hands }: Life, hand: Hand): void {
  hands.splice(hands.indexOf(hand), 1);
}

/** An outcome counts once: the failure of the release may have been reported before. */
async function reported(report: Promise<void>): Promise<void> {
  await report.catch((error: unknown) => {
    if (!/ was already reported as /.test(String(error))) throw error;
  });
}

/** What may happen next. Releases are published in their order. */
function movesOf(life: Life): string[] {
  const { world, hands, consumer } = life;
  return [
    ...NAMES.flatMap((name) => movesOfModule(life, name)),
    'ten minutes pass',
    'an hour passes',
    ...(world.clockSetMs > -HOUR ? ['the clock is set back an hour'] : []),
    ...(world.clockSetMs < HOUR ? ['the clock is set forward an hour'] : []),
    consumer ? 'the consumer ends' : 'a consumer begins',
    KILL,
    ...(hands.length === 0 ? [END] : []),
  ];
}

function movesOfModule({ world, hands, file }: Life, name: Name): string[] {
  const listed = world.releases[name];
  const next = VERSIONS.find((version) => !listed.some((one) => one.version === version));
  const hand = hands.find((one) => one.name === name);
  const requested = file.state.memory().of(TARGETS[name]).restartRequest;
  return [
    ...(next === undefined ? [] : [`${name} ${next} is published`]),
    ...listed
      .filter(({ yanked }) => yanked === undefined)
      .map((one) => `${name} ${one.version} is yanked`),
    ...(hand?.isBegun === false ? [`${name} begins`] : []),
    ...(hand ? [`${name} cannot be replaced`] : [`${name} fails later`]),
    ...(hand?.isBegun === true ? [`${name} works`, `${name} fails`] : []),
    ...(hand || requested ? [] : [`${name} restart is requested`]),
  ];
}

const MOST_ROUNDS = 12;

/** What stays undone in two hours of a new process, in which all that is delivered works. `calm` has the machines that were calm. */
async function brokenInCalm(
  store: MachineStore,
  { base, since }: LoopState,
  calm: Set<string>,
): Promise<string | undefined> {
  const before = await replayed(store, base, since);
  const life = started(store, ended(store, before));
  const text = textOf(life);
  const broken = calm.has(text) ? undefined : await brokenAsPlanned(store, life);
  calm.add(text);
  killed(life);
  return broken;
}

async function brokenAsPlanned(store: MachineStore, life: Life): Promise<string | undefined> {
  await make(store, life, 'a consumer begins');
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await make(store, life, 'ten minutes pass');
    for (let hand = life.hands[0]; hand; hand = life.hands[0]) {
      if (!hand.isBegun) await make(store, life, `${hand.name} begins`);
      if (life.hands[0] === hand) await make(store, life, `${hand.name} works`);
    }
    if (life.judge.broken[0] !== undefined) return `${life.judge.broken[0]}, once all works`;
    if (life.rounds > 1 && unsettled(life) === undefined) return undefined;
  }
  return `${unsettled(life)}, two hours after all works`;
}

import { RECOVERED_MS } from '../../src/agent/supervision/back-off.ts';
import { PROVEN_MS } from '../../src/agent/supervision/endurance.ts';
import type { Command, Lifecycle, LifecycleEvent } from '../../src/agent/supervision/lifecycle.ts';
import { step } from '../../src/agent/supervision/transitions.ts';
import type { Activation, Fault } from '../../src/core/machine/activation.ts';
import { textOf, type Entry, type Process } from './entry.ts';
import type { Model, Played } from './explore.ts';
import { brokenAt, brokenBy, isKept, isTried, PROBATION_MS, rootToRun } from './lifecycle-judge.ts';

/*
 * One module entry and its three releases: the table of `src/agent/supervision`, what it keeps on disk, and a process. Every
 * order of events is explored.
 */

const RELEASES = ['1.0.0', '1.1.0', '1.2.0'] as const;
const IDLE: Lifecycle = { state: 'idle' };
const OF_RELEASE: Fault = { reason: 'it fails', blame: 'release' };
const OF_MACHINE: Fault = { reason: 'the machine fails', blame: 'machine' };

/** What may happen to the process, and what the agent or an operator does. */
const EVENTS: Readonly<Record<string, LifecycleEvent>> = {
  'it is ready': { event: 'ready' },
  'it fails': { event: 'failed', fault: OF_RELEASE },
  'the machine fails it': { event: 'failed', fault: OF_MACHINE },
  'its process is gone': { event: 'gone' },
  'the wait ends': { event: 'waited' },
  'it is held': { event: 'hold' },
  'it is released': { event: 'release' },
  'a restart begins': { event: 'restart', action: 'restart' },
  'its entry leaves the config': { event: 'remove' },
  'the agent ends': { event: 'shut-down' },
};
const TIMES: Readonly<Record<string, number>> = {
  'ten minutes pass': RECOVERED_MS,
  'an hour passes': PROVEN_MS,
};
const KILL = 'the agent is killed';
const RESUME = 'the agent starts it';
const RESUME_HELD = 'the agent starts, and holds it';
/** How a release is activated, and how that looks to the table. */
const WAYS: Readonly<Record<string, object>> = {
  '': {},
  ' and nothing may run instead': { restorable: undefined },
  ' again': { isBack: true, restorable: undefined },
  ' because an operator refuses the other': { isRefused: true, restorable: undefined },
};
const ACTIVATE = 'activate ';
const UNPREPARED = 'not prepared: ';

const INITIAL: Entry = {
  lifecycle: IDLE,
  disk: undefined,
  process: undefined,
  waitsUntil: undefined,
  now: 0,
  open: undefined,
  kills: 0,
  hasFailed: false,
  worked: [],
};

export const LIFECYCLE: Model<Entry> = {
  initial: INITIAL,
  moves: movesOf,
  play,
  textOf,
  calm: brokenInCalm,
};

function movesOf(entry: Entry): string[] {
  const { lifecycle, disk, process, open, waitsUntil } = entry;
  const isAtRest = lifecycle.state === 'idle' && process === undefined;
  const isAway = isAtRest && disk !== undefined;
  const actions = RELEASES.flatMap((release) => [
    ...Object.keys(WAYS).map((way) => `${ACTIVATE}${release}${way}`),
    ...(isAtRest ? [] : [`${UNPREPARED}${release}`]),
  ]);
  const isTold: Readonly<Record<string, boolean>> = {
    'it is ready': process !== undefined && !process.isEnding && process.readyAt === undefined,
    'it fails': process?.isEnding === false,
    'the machine fails it': process?.isEnding === false,
    'its process is gone': process?.isEnding === true,
    'the wait ends': waitsUntil !== undefined,
    'a restart begins': open === undefined,
    // An agent that ends reads no config any more.
    'its entry leaves the config': !isLeaving(lifecycle),
  };
  return [
    ...Object.keys(EVENTS).filter((move) => !isAtRest && (isTold[move] ?? true)),
    // The poller delivers one action of an entry at a time, and the agent starts an entry before that.
    ...(open === undefined && !isAway ? actions : []),
    ...(isAway ? [RESUME, RESUME_HELD] : []),
    ...(isAtRest ? [] : [KILL, ...Object.keys(TIMES)]),
  ];
}

function isLeaving(lifecycle: Lifecycle): boolean {
  return lifecycle.state === 'stopping' && lifecycle.after.to === 'idle';
}

function play(entry: Entry, move: string): Played<Entry> {
  const ms = TIMES[move];
  if (ms !== undefined) return unbroken({ ...entry, now: entry.now + ms });
  if (move === KILL) return unbroken(ended({ ...entry, kills: entry.kills + 1 }));
  const event = eventOf(entry, move);
  if (!event) return unbroken(entry);
  // What an agent that ended had begun and not put on disk is delivered again.
  if (event.event === 'resume') return sent(ended(entry), event);
  return sent(move === 'the wait ends' ? afterWait(entry) : entry, event);
}

/** The time of a wait between two starts is that of back-off, and changes nothing here. */
function afterWait(entry: Entry): Entry {
  const { lifecycle, now, waitsUntil = now } = entry;
  const isCounted = lifecycle.state === 'running' || lifecycle.state === 'probation';
  return isCounted ? { ...entry, now: Math.max(now, waitsUntil) } : entry;
}

function eventOf({ disk }: Entry, move: string): LifecycleEvent | undefined {
  if (move === RESUME || move === RESUME_HELD) {
    return disk && { event: 'resume', row: disk, isHeld: move === RESUME_HELD };
  }
  const told = EVENTS[move];
  if (told) return told;
  const release = RELEASES.find((version) => move.includes(version)) ?? '';
  if (move.startsWith(UNPREPARED))
    return { event: 'unprepared', action: release, fault: OF_RELEASE };
  const way = WAYS[move.slice(`${ACTIVATE}${release}`.length)];
  const inUse = disk?.phase === 'stable' ? disk.current : disk?.previous;
  const candidate = { version: release, root: `/packages/${release}` };
  return { event: 'activate', action: release, candidate, restorable: inUse?.root, ...way };
}

/** The system ends the processes with the agent. What is on disk goes on, and other actions are delivered again. */
function ended({ disk, now, worked, open, kills, hasFailed }: Entry): Entry {
  const going = disk && 'action' in disk ? disk.action : undefined;
  const rest = { ...INITIAL, disk, now, worked };
  return open === going ? { ...rest, open, kills, hasFailed } : rest;
}

function unbroken(state: Entry): Played<Entry> {
  return { state, broken: [] };
}

/** What the agent does with an event, as `src/agent/supervised-module.ts` does: first the disk, then the state and the commands. */
function sent(entry: Entry, event: LifecycleEvent): Played<Entry> {
  const around = { now: entry.now, random: 0.5, probationMs: PROBATION_MS };
  const isUsed = event.event === 'ready' && entry.process !== undefined;
  const process = isUsed ? { ...entry.process, readyAt: entry.now } : goneAfter(entry, event);
  const result = step(entry.lifecycle, event, around);
  if (!result) return unbroken({ ...entry, process });
  const broken: string[] = [];
  const begun = 'action' in event ? event.action : entry.open;
  const isUnrestorable = event.event === 'activate' && event.restorable === undefined;
  const hasFailed = entry.hasFailed || event.event === 'failed' || event.event === 'unprepared';
  const before = {
    ...entry,
    process,
    open: begun,
    hasFailed,
    worked: isUnrestorable ? [] : entry.worked,
  };
  const written = result.row === undefined ? marked(entry.disk, result.marks) : result.row;
  const disk = written ?? undefined;
  const worked = workedAfter(before, disk);
  if (!isKept(worked, disk)) broken.push(`${event.event} leaves no version that worked`);
  let next: Entry = { ...before, disk, worked, lifecycle: result.next, waitsUntil: undefined };
  for (const command of result.commands) next = carriedOut(next, command, broken);
  broken.push(...brokenAt(next));
  if (next.lifecycle.state === 'running' && !isTried(entry))
    broken.push('a release is in use before the end of its probation');
  if (event.event === 'remove' && next.open !== undefined)
    broken.push(`${next.open} has no outcome after its entry left`);
  return { state: next, broken };
}

function goneAfter({ process }: Entry, { event }: LifecycleEvent): Process | undefined {
  return event === 'gone' ? undefined : process;
}

function marked(disk: Activation | undefined, marks: object | undefined): Activation | undefined {
  return disk?.phase === 'stable' ? { ...disk, ...marks } : disk;
}

function workedAfter({ worked }: Entry, disk: Activation | undefined): readonly string[] {
  if (disk?.phase !== 'stable' || worked.includes(disk.current.root)) return worked;
  return [...worked, disk.current.root].toSorted();
}

function carriedOut(entry: Entry, command: Command, broken: string[]): Entry {
  const { process, now, open } = entry;
  switch (command.command) {
    case 'start': {
      const { root } = command.run;
      if (process) broken.push('two processes at once');
      if (rootToRun(entry.disk) !== root) broken.push(`nothing on disk says why ${root} starts`);
      return { ...entry, process: { root, isEnding: false, readyAt: undefined } };
    }
    case 'stop':
      if (process?.isEnding !== false) broken.push('there is nothing to stop');
      return { ...entry, process: process && { ...process, isEnding: true } };
    case 'wait':
      return { ...entry, waitsUntil: now + command.ms };
    case 'done':
    case 'fail':
      if (open !== command.action) broken.push(`${command.action} has an outcome, and is not open`);
      broken.push(...brokenBy(command, entry));
      return { ...entry, open: undefined, kills: 0, hasFailed: false };
    case 'report':
      return entry;
    case 'works':
      if (!process || now - (process.readyAt ?? now) < PROBATION_MS)
        broken.push(`${command.version} is said to work before its probation has ended`);
      return entry;
  }
}

/** What happens once everything works. */
const CALM = ['it is released', 'its process is gone', 'the wait ends', 'it is ready', RESUME];
const CALM_TURNS = 20;

function brokenInCalm(entry: Entry): string | undefined {
  let calm = entry;
  for (let turn = 0; turn < CALM_TURNS && !isCalm(calm); turn++) {
    for (const move of CALM.filter((one) => movesOf(calm).includes(one))) {
      const { state, broken } = play(calm, move);
      if (broken[0] !== undefined) return `${broken[0]}, once everything works`;
      calm = state;
    }
  }
  if (calm.open !== undefined) return `${calm.open} has no outcome, although everything works`;
  const { state } = calm.lifecycle;
  return calm.worked.length > 0 && state !== 'running'
    ? `a version worked, and it stays ${state} although everything works`
    : undefined;
}

/** Whether nothing is left to do: it runs, or there is nothing to run. */
function isCalm({ lifecycle, open, disk }: Entry): boolean {
  const isAtRest = lifecycle.state === 'idle' && disk === undefined;
  return open === undefined && (lifecycle.state === 'running' || isAtRest);
}

import { describe, expect, it } from 'vitest';
import type { RollingBack, Trying } from '../../../src/core/machine/activation.ts';
import type { Lifecycle, LifecycleEvent } from '../../../src/agent/supervision/lifecycle.ts';
import { step } from '../../../src/agent/supervision/transitions.ts';
import { stepInWords } from '../support/step-words.ts';

const OLD = { version: '1.0.0', root: '/p/1.0.0' };
const NEW = { version: '1.1.0', root: '/p/1.1.0' };
const NEWER = { version: '1.2.0', root: '/p/1.2.0' };
const NO_CRASHES = { times: [], count: 0 };
const FAULT = { reason: 'it crashed', blame: 'release' } as const;
const SERVING = { run: OLD, previous: undefined, crashes: NO_CRASHES };
const TRYING: Trying = { phase: 'trying', action: 'a', candidate: NEW, previous: OLD, attempts: 1 };
const FIRST: Trying = { ...TRYING, previous: undefined };
const BACK: RollingBack = {
  phase: 'rolling-back',
  action: 'a',
  candidate: NEW,
  previous: OLD,
  fault: FAULT,
};

const STATES = new Map<string, Lifecycle>([
  ['idle', { state: 'idle' }],
  ['held', { state: 'held', ...SERVING }],
  ['starting', { state: 'starting', ...SERVING }],
  ['held to restart', { state: 'held', ...SERVING, restart: 'r' }],
  ['restarting', { state: 'starting', ...SERVING, restart: 'r' }],
  ['running', { state: 'running', since: 0, ...SERVING }],
  ['backing-off', { state: 'backing-off', ...SERVING }],
  ['trying', { state: 'trying', row: TRYING }],
  ['trying a first version', { state: 'trying', row: FIRST }],
  ['probation', { state: 'probation', row: TRYING }],
  ['rolling-back', { state: 'rolling-back', row: BACK }],
  ['stopping to end', { state: 'stopping', after: { to: 'idle' } }],
  ['stopping to hold', { state: 'stopping', after: { to: 'held', ...SERVING } }],
  ['stopping to back off', { state: 'stopping', after: { to: 'backing-off', ...SERVING } }],
  ['stopping to try', { state: 'stopping', after: { to: 'trying', row: TRYING } }],
  ['stopping to roll back', { state: 'stopping', after: { to: 'rolling-back', row: BACK } }],
  ['stopping to fail', { state: 'stopping', after: { to: 'failed', action: 'a', fault: FAULT } }],
]);

const EVENTS: readonly LifecycleEvent[] = [
  {
    event: 'resume',
    row: { phase: 'stable', current: OLD, previous: undefined, settled: undefined },
    isHeld: false,
  },
  { event: 'activate', action: 'b', candidate: NEWER, restorable: OLD.root },
  { event: 'restart', action: 'r' },
  { event: 'ready' },
  { event: 'failed', fault: FAULT },
  { event: 'gone' },
  { event: 'waited' },
  { event: 'hold' },
  { event: 'release' },
  { event: 'remove' },
  { event: 'shut-down' },
];

/** What each event leads to that means something in a state: what is written; the commands; the next state. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  idle: {
    resume: 'start 1.0.0; starting 1.0.0',
    activate: 'write trying 1.2.0 (1); start 1.2.0; trying 1.2.0',
  },
  held: {
    activate: 'write trying 1.2.0 (1) after 1.0.0; start 1.2.0; trying 1.2.0',
    restart: 'held to restart',
    release: 'start 1.0.0; starting 1.0.0',
    remove: 'idle',
    'shut-down': 'idle',
  },
  'held to restart': {
    activate: 'write trying 1.2.0 (1) after 1.0.0; start 1.2.0; trying 1.2.0',
    restart: 'held to restart',
    release: 'start 1.0.0; starting 1.0.0',
    remove: 'fail r (machine, 1.0.0): its entry left the config; idle',
    'shut-down': 'idle',
  },
  starting: {
    activate: 'write trying 1.2.0 (1) after 1.0.0; stop; stopping → trying',
    restart: 'stop; stopping → starting',
    ready: 'wait 3600000; running 1.0.0',
    failed: 'stop; stopping → backing-off (1 crash)',
    hold: 'stop; stopping → held',
    remove: 'stop; stopping → idle',
    'shut-down': 'stop; stopping → idle',
  },
  restarting: {
    activate: 'write trying 1.2.0 (1) after 1.0.0; stop; stopping → trying',
    restart: 'stop; stopping → starting',
    ready: 'done r, wait 3600000; running 1.0.0',
    failed: 'stop, fail r (release, 1.0.0): it crashed; stopping → backing-off (1 crash)',
    hold: 'stop; stopping → held',
    remove: 'stop, fail r (machine, 1.0.0): its entry left the config; stopping → idle',
    'shut-down': 'stop; stopping → idle',
  },
  running: {
    activate: 'write trying 1.2.0 (1) after 1.0.0; stop; stopping → trying',
    restart: 'stop; stopping → starting',
    failed: 'stop; stopping → backing-off (1 crash)',
    waited: 'mark 1.0.0; wait 3595000; running 1.0.0',
    hold: 'stop; stopping → held',
    remove: 'stop; stopping → idle',
    'shut-down': 'stop; stopping → idle',
  },
  'backing-off': {
    activate: 'write trying 1.2.0 (1) after 1.0.0; start 1.2.0; trying 1.2.0',
    restart: 'start 1.0.0; starting 1.0.0',
    waited: 'start 1.0.0; starting 1.0.0',
    hold: 'held',
    remove: 'idle',
    'shut-down': 'idle',
  },
  trying: {
    ready: 'wait 30000; probation 1.1.0',
    failed: 'write rolling-back 1.0.0; stop; stopping → rolling-back',
    remove:
      'write stable 1.0.0; stop, fail a (machine, 1.0.0): its entry left the config; stopping → idle',
    'shut-down': 'write trying 1.1.0 (0) after 1.0.0; stop; stopping → idle',
  },
  'trying a first version': {
    ready: 'wait 30000; probation 1.1.0',
    failed: 'stop; stopping → failed',
    remove:
      'write nothing; stop, fail a (machine, none): its entry left the config; stopping → idle',
    'shut-down': 'write trying 1.1.0 (0); stop; stopping → idle',
  },
  probation: {
    waited: 'write stable 1.1.0 after 1.0.0, a done; done a, wait 3600000; running 1.1.0',
    failed: 'write rolling-back 1.0.0; stop; stopping → rolling-back',
    remove:
      'write stable 1.0.0; stop, fail a (machine, 1.0.0): its entry left the config; stopping → idle',
    'shut-down': 'write trying 1.1.0 (0) after 1.0.0; stop; stopping → idle',
  },
  'rolling-back': {
    ready:
      'write stable 1.0.0 after the failure of 1.1.0, a failed; fail a (release, 1.0.0): it crashed, wait 600000; running 1.0.0',
    failed:
      'write stable 1.0.0 undecided, a undecided; stop, fail a (undecided, 1.0.0): it crashed; 1.0.0 does not start either: it crashed; stopping → backing-off (1 crash)',
    remove: 'write stable 1.0.0; stop, fail a (release, 1.0.0): it crashed; stopping → idle',
    'shut-down': 'stop; stopping → idle',
  },
  'stopping to end': { gone: 'idle', remove: 'stopping → idle', 'shut-down': 'stopping → idle' },
  'stopping to hold': {
    activate: 'write trying 1.2.0 (1) after 1.0.0; stopping → trying',
    gone: 'held',
    hold: 'stopping → held',
    release: 'stopping → starting',
    remove: 'stopping → idle',
    'shut-down': 'stopping → idle',
  },
  'stopping to back off': {
    activate: 'write trying 1.2.0 (1) after 1.0.0; stopping → trying',
    gone: 'wait 0; backing-off (0 crashes)',
    hold: 'stopping → held',
    remove: 'stopping → idle',
    'shut-down': 'stopping → idle',
  },
  'stopping to try': {
    gone: 'start 1.1.0; trying 1.1.0',
    remove:
      'write stable 1.0.0; fail a (machine, 1.0.0): its entry left the config; stopping → idle',
    'shut-down': 'write trying 1.1.0 (0) after 1.0.0; stopping → idle',
  },
  'stopping to roll back': {
    gone: 'start 1.0.0; rolling-back 1.0.0',
    remove: 'write stable 1.0.0; fail a (release, 1.0.0): it crashed; stopping → idle',
    'shut-down': 'stopping → idle',
  },
  'stopping to fail': {
    gone: 'write nothing; fail a (release, none): it crashed; idle',
    remove: 'write nothing; fail a (release, none): it crashed; stopping → idle',
    'shut-down': 'stopping → idle',
  },
};

describe.each([...STATES])('a module that is %s', (name, state) => {
  it.each(EVENTS)('$event', (event) => {
    expect(after(state, event)).toBe(TABLE[name]?.[event.event]);
  });
});

describe('[A2] a trial that an earlier agent began', () => {
  it.each([
    [1, 'write trying 1.1.0 (2) after 1.0.0; start 1.1.0; trying 1.1.0'],
    [2, 'write trying 1.1.0 (3) after 1.0.0; start 1.1.0; trying 1.1.0'],
    [3, 'write rolling-back 1.0.0; start 1.0.0; rolling-back 1.0.0'],
  ])('goes on after %i attempts: %s', (attempts, expected) => {
    expect(resumed({ ...TRYING, attempts })).toBe(expected);
  });

  it('of a first version fails after three attempts', () => {
    expect(resumed({ ...FIRST, attempts: 3 })).toBe(
      'write nothing; fail a (release, none): the agent or the machine went down in each of its 3 trials; idle',
    );
  });

  it('and that failed goes on with its rollback', () => {
    expect(resumed(BACK)).toBe('write rolling-back 1.0.0; start 1.0.0; rolling-back 1.0.0');
  });
});

it('a version that is running already is not started again', () => {
  const state: Lifecycle = { state: 'running', since: 0, ...SERVING };
  expect(
    after(state, { event: 'activate', action: 'b', candidate: OLD, restorable: undefined }),
  ).toBe('write stable 1.0.0, b done; done b, wait 3595000; running 1.0.0');
});

it('a version that may not be selected any more is not started again', () => {
  const state: Lifecycle = { state: 'running', since: 0, ...SERVING };
  const event = { event: 'activate', action: 'b', candidate: NEWER } as const;
  expect(after(state, { ...event, restorable: undefined })).toBe(
    'write trying 1.2.0 (1); stop; stopping → trying',
  );
});

it('[A4] a version that crashes is started again later each time, and reported once', () => {
  let state: Lifecycle = { state: 'running', since: 0, ...SERVING };
  let now = 0;
  const seen: string[] = [];
  const send = (event: LifecycleEvent): void => {
    const result = step(state, event, { now, random: 0, probationMs: 0 });
    if (!result) throw new Error(`${event.event} means nothing when ${state.state}`);
    state = result.next;
    for (const one of result.commands) {
      if (one.command === 'wait' && state.state === 'backing-off') seen.push(String(one.ms));
      if (one.command === 'report') seen.push(`report ${one.version}: ${one.reason}`);
    }
  };
  for (let crash = 1; crash <= 9; crash++) {
    send({ event: 'failed', fault: FAULT });
    send({ event: 'gone' });
    send({ event: 'waited' });
    send({ event: 'ready' });
    now += 1000;
  }
  expect(seen.join(' ')).toBe(
    '0 1000 2000 4000 report 1.0.0: it crashed 8000 16000 32000 60000 60000',
  );
  // Ten minutes without a crash.
  now += 600_000;
  send({ event: 'failed', fault: FAULT });
  send({ event: 'gone' });
  expect(seen.at(-1)).toBe('0');
});

it('a restart that the machine cannot carry out leaves its version the one in use', () => {
  const state = { state: 'starting', ...SERVING, restart: 'r' } as const;
  expect(after(state, { event: 'failed', fault: { reason: 'no port', blame: 'machine' } })).toBe(
    'stop, fail r (machine, 1.0.0): no port; stopping → backing-off (1 crash)',
  );
});

it('a crash that is the fault of the machine is not reported', () => {
  const state = {
    ...SERVING,
    state: 'starting',
    crashes: { times: [1, 2, 3, 4], count: 4 },
  } as const;
  const around = { now: 5, random: 0, probationMs: 0 };
  const blames = (['machine', 'release'] as const).map((blame) => {
    const result = step(state, { event: 'failed', fault: { reason: 'no port', blame } }, around);
    return result?.commands.map(({ command }) => command);
  });
  expect(blames).toEqual([['stop'], ['stop', 'report']]);
});

function resumed(row: Trying | RollingBack): string | undefined {
  return after({ state: 'idle' }, { event: 'resume', row, isHeld: false });
}

/** What an event leads to, in words; undefined if it means nothing. */
function after(state: Lifecycle, event: LifecycleEvent): string | undefined {
  const result = step(state, event, { now: 5000, random: 0, probationMs: 30_000 });
  return result && stepInWords(result);
}

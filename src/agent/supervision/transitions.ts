import type { Lifecycle, LifecycleEvent, Step, Surroundings } from './lifecycle.ts';
import { recovered } from './endurance.ts';
import { compared, crashed, down, endured } from './evidence.ts';
import {
  accepted,
  cancelled,
  continued,
  interrupted,
  removed,
  removedAtEnd,
  restored,
  resumed,
  rolledBack,
  settled,
  started,
  stopped,
  up,
} from './steps.ts';
import { tried } from './trial.ts';

type Of<S extends Lifecycle['state']> = Extract<Lifecycle, { readonly state: S }>;
type On<E extends LifecycleEvent['event']> = Extract<LifecycleEvent, { readonly event: E }>;
type Table = {
  readonly [S in Lifecycle['state']]: {
    readonly [E in LifecycleEvent['event']]?: (
      state: Of<S>,
      event: On<E>,
      around: Surroundings,
    ) => Step | undefined;
  };
};

const TO_IDLE = { to: 'idle' } as const;
const IDLE: Step = { next: { state: 'idle' }, commands: [] };

/** Every event that means something in a state. */
const TABLE: Table = {
  idle: {
    resume: (_, { row, isHeld }, around) => resumed(row, isHeld, around),
    activate: (_, event) => tried(event, undefined, 'none'),
  },
  held: {
    release: started,
    activate: (serving, event) => tried(event, serving, 'none'),
    restart: (serving, { action }) => ({ next: { ...serving, restart: action }, commands: [] }),
    remove: () => IDLE,
    'shut-down': () => IDLE,
  },
  starting: {
    ready: ({ restart, ...serving }, _, around) => {
      const { next, commands } = up(serving, around);
      if (restart === undefined) return { next, commands };
      return { next, commands: [{ command: 'done', action: restart }, ...commands] };
    },
    failed: (serving, { fault }, around) => crashed(serving, { fault, upMs: 0 }, around),
    activate: (serving, event) => tried(event, serving, 'running'),
    unprepared: (serving, event) => {
      const both = compared(serving, event);
      return (
        both && { next: { ...serving, run: both.run }, marks: both.marks, commands: [both.fail] }
      );
    },
    restart: (serving, { action }) => stopped({ ...serving, to: 'starting', restart: action }),
    hold: (serving) => stopped({ ...serving, to: 'held' }),
    remove: () => stopped(TO_IDLE),
    'shut-down': () => stopped(TO_IDLE),
  },
  running: {
    failed: (serving, { fault }, around) =>
      crashed(serving, { fault, upMs: around.now - serving.since }, around),
    waited: (state, _, around) => endured(state, around),
    activate: (serving, event, around) =>
      serving.run.root === event.candidate.root
        ? settled(serving, event.action, around)
        : tried(event, recovered(serving, around), 'running'),
    restart: (serving, { action }, around) =>
      stopped({ ...recovered(serving, around), to: 'starting', restart: action }),
    hold: (serving, _, around) => stopped({ ...recovered(serving, around), to: 'held' }),
    remove: () => stopped(TO_IDLE),
    'shut-down': () => stopped(TO_IDLE),
  },
  'backing-off': {
    waited: started,
    activate: (serving, event) => tried(event, serving, 'none'),
    unprepared: (serving, event) => {
      const both = compared(serving, event);
      if (!both) return undefined;
      const { next, commands } = started({ ...serving, run: both.run });
      return { next, marks: both.marks, commands: [...commands, both.fail] };
    },
    restart: (serving, { action }) => started({ ...serving, restart: action }),
    hold: (serving) => ({ next: { ...serving, state: 'held' }, commands: [] }),
    remove: () => IDLE,
    'shut-down': () => IDLE,
  },
  trying: {
    ready: (trial, _, { probationMs }) => ({
      next: { ...trial, state: 'probation' },
      commands: [{ command: 'wait', ms: probationMs }],
    }),
    failed: (trial, { fault }, around) => rolledBack(trial, fault, 'running', around),
    remove: ({ row }) => removed(row),
    'shut-down': ({ row }) => interrupted(row),
  },
  probation: {
    waited: ({ row }, _, around) => accepted(row, around),
    failed: (trial, { fault }, around) => rolledBack(trial, fault, 'running', around),
    remove: ({ row }) => removed(row),
    'shut-down': ({ row }) => interrupted(row),
  },
  'rolling-back': {
    ready: ({ row }, _, around) => restored(row, around),
    failed: ({ row }, { fault }, around) => down(row, fault, around),
    remove: ({ row }) => removed(row),
    'shut-down': () => stopped(TO_IDLE),
  },
  stopping: {
    gone: ({ after }, _, around) => continued(after, around),
    activate: ({ after }, event) => ('run' in after ? tried(event, after, 'ending') : undefined),
    unprepared: ({ after }, event) => {
      const both = after.to === 'backing-off' ? compared(after, event) : undefined;
      if (!both || after.to !== 'backing-off') return undefined;
      const { next } = stopped({ ...after, run: both.run }, 'ending');
      return { next, marks: both.marks, commands: [both.fail] };
    },
    hold: ({ after }) => ('run' in after ? stopped({ ...after, to: 'held' }, 'ending') : undefined),
    release: ({ after }) =>
      after.to === 'held' ? stopped({ ...after, to: 'starting' }, 'ending') : undefined,
    remove: ({ after }) => removedAtEnd(after),
    'shut-down': ({ after }) =>
      after.to === 'trying' ? interrupted(after.row, 'ending') : stopped(TO_IDLE, 'ending'),
  },
};

/**
 * What an event changes: the next state, what is written first, and what the agent then does. Pure. Returns undefined if
 * the event means nothing in this state; an action that came with it must be refused.
 */
export function step(
  state: Lifecycle,
  event: LifecycleEvent,
  around: Surroundings,
): Step | undefined {
  // A cast: the compiler cannot see that both keys select the function for exactly these two values.
  const transition = TABLE[state.state][event.event] as
    | ((state: Lifecycle, event: LifecycleEvent, around: Surroundings) => Step | undefined)
    | undefined;
  const result = transition?.(state, event, around);
  if (!result || event.event !== 'remove') return result;
  // Nothing would say later how its action ended.
  return { ...result, commands: [...result.commands, ...cancelled(state)] };
}

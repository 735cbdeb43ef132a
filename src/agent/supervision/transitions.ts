import type { Lifecycle, LifecycleEvent, Step, Surroundings } from './lifecycle.ts';
import {
  accepted,
  cancelled,
  continued,
  crashed,
  down,
  interrupted,
  removed,
  removedAtEnd,
  restored,
  resumed,
  rolledBack,
  settled,
  started,
  stopped,
  tried,
} from './steps.ts';

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
    resume: (_, { row, isHeld }) => resumed(row, isHeld),
    activate: (_, event) => tried(event, undefined, 'none'),
  },
  held: {
    release: started,
    activate: ({ run }, event) => tried(event, run, 'none'),
    restart: (serving, { action }) => ({ next: { ...serving, restart: action }, commands: [] }),
    remove: () => IDLE,
    'shut-down': () => IDLE,
  },
  starting: {
    ready: ({ run, previous, crashes, restart }, _, { now }) => ({
      next: { state: 'running', run, previous, crashes, since: now },
      commands: restart === undefined ? [] : [{ command: 'done', action: restart }],
    }),
    failed: (serving, { fault }, around) => crashed(serving, { fault, upMs: 0 }, around),
    activate: ({ run }, event) => tried(event, run, 'running'),
    restart: (serving, { action }) => stopped({ ...serving, to: 'starting', restart: action }),
    hold: (serving) => stopped({ ...serving, to: 'held' }),
    remove: () => stopped(TO_IDLE),
    'shut-down': () => stopped(TO_IDLE),
  },
  running: {
    failed: (serving, { fault }, around) =>
      crashed(serving, { fault, upMs: around.now - serving.since }, around),
    activate: (serving, event) =>
      serving.run.root === event.candidate.root
        ? settled(serving, event.action)
        : tried(event, serving.run, 'running'),
    restart: (serving, { action }) => stopped({ ...serving, to: 'starting', restart: action }),
    hold: (serving) => stopped({ ...serving, to: 'held' }),
    remove: () => stopped(TO_IDLE),
    'shut-down': () => stopped(TO_IDLE),
  },
  'backing-off': {
    waited: started,
    activate: ({ run }, event) => tried(event, run, 'none'),
    restart: (serving, { action }) => started({ ...serving, restart: action }),
    hold: (serving) => ({ next: { ...serving, state: 'held' }, commands: [] }),
    remove: () => IDLE,
    'shut-down': () => IDLE,
  },
  trying: {
    ready: ({ row }, _, { probationMs }) => ({
      next: { state: 'probation', row },
      commands: [{ command: 'wait', ms: probationMs }],
    }),
    failed: ({ row }, { fault }) => rolledBack(row, fault, 'running'),
    remove: ({ row }) => removed(row),
    'shut-down': ({ row }) => interrupted(row),
  },
  probation: {
    waited: ({ row }, _, { now }) => accepted(row, now),
    failed: ({ row }, { fault }) => rolledBack(row, fault, 'running'),
    remove: ({ row }) => removed(row),
    'shut-down': ({ row }) => interrupted(row),
  },
  'rolling-back': {
    ready: ({ row }, _, { now }) => restored(row, now),
    failed: ({ row }, { fault }, around) => down(row, fault, around),
    remove: ({ row }) => removed(row),
    'shut-down': () => stopped(TO_IDLE),
  },
  stopping: {
    gone: ({ after }, _, around) => continued(after, around),
    activate: ({ after }, event) =>
      'run' in after ? tried(event, after.run, 'ending') : undefined,
    hold: ({ after }) => ('run' in after ? stopped({ ...after, to: 'held' }, 'ending') : undefined),
    release: ({ after }) =>
      after.to === 'held' ? stopped({ ...after, to: 'starting' }, 'ending') : undefined,
    remove: ({ after }) => removedAtEnd(after),
    'shut-down': () => stopped(TO_IDLE, 'ending'),
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

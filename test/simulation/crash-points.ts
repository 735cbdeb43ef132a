/** What a process that was killed goes on to: nothing. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A call that commits. */
type Commit =
  | ('report' | 'commit' | 'deliver' | 'withdraw' | 'acknowledge' | 'start' | 'log')
  | ('save a list' | 'confirm lists');

/** A call of a port, or what an actor does within the process. */
export type Call =
  | Commit
  | ('read the memory' | 'read a list' | 'read the configuration' | 'ask what runs')
  | ('ask for maintenance' | 'ask for a list' | 'ask for changes' | 'wait for a change')
  | ('hand over' | 'carry out' | 'say done' | 'say failed');

const COMMITS: readonly Commit[] = [
  ...(['report', 'commit', 'deliver', 'withdraw', 'acknowledge', 'start', 'log'] as const),
  ...(['save a list', 'confirm lists'] as const),
];

const CALLS: readonly Call[] = [
  ...COMMITS,
  ...(['read the memory', 'read a list', 'read the configuration', 'ask what runs'] as const),
  ...(['ask for maintenance', 'ask for a list', 'ask for changes', 'wait for a change'] as const),
  ...(['hand over', 'carry out', 'say done', 'say failed'] as const),
];

/** Where a process can be killed: before and after a call, and just before what it writes is committed. */
export const CRASH_POINTS: readonly string[] = [
  ...CALLS.flatMap((call) => [`before ${call}`, `after ${call}`]),
  ...COMMITS.map((call) => `within ${call}`),
];

/** The point that a seed has its turn for. */
export function turnOf(seed: number): string {
  return CRASH_POINTS[seed % CRASH_POINTS.length] ?? '';
}

/** Kills the process where it comes by a point that was chosen. */
export interface CrashPoints {
  /** Has the process killed when it comes by `point`, after as many times as `passes`. */
  readonly arm: (point: string, passes: number) => void;
  readonly disarm: () => void;
  readonly isArmed: (point: string) => boolean;
  /** The process comes by. Throws where it is killed here. */
  readonly pass: (point: string) => void;
}

/** `kill` is told where the process was. */
export function crashPoints(kill: (point: string) => void): CrashPoints {
  let armed: { readonly point: string; passes: number } | undefined;
  return {
    arm: (point, passes) => {
      armed = { point, passes };
    },
    disarm: () => {
      armed = undefined;
    },
    isArmed: (point) => armed?.point === point,
    pass(point) {
      if (armed?.point !== point) return;
      if (armed.passes > 0) {
        armed.passes--;
        return;
      }
      armed = undefined;
      kill(point);
      throw new Killed(point);
    },
  };
}

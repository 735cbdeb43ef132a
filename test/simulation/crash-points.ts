/** Thrown to end everything that a killed process was doing. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A call that commits. */
type Commit =
  | (
      | 'report'
      | 'commit'
      | 'deliver'
      | 'withdraw'
      | 'acknowledge'
      | 'start'
      | 'end'
      | 'log'
      | 'note what is held'
      | 'reportFailure'
      | 'reportWorking'
    )
  | ('save a list' | 'confirm lists' | 'take back');

/** A call of a port, or a step of an actor within the process. */
export type Call =
  | Commit
  | ('prepare a version' | 'prefetch a version' | 'ask to begin' | 'run first')
  | ('start a process' | 'stop a process' | 'end orphans')
  | ('read the memory' | 'read a list' | 'read the configuration' | 'read the deployed version')
  | ('ask for maintenance' | 'ask for a list' | 'ask for changes' | 'wait for a change')
  | 'report what works'
  | ('hand over' | 'carry out' | 'acknowledge done' | 'acknowledge failed' | 'report a failure');

const COMMITS: readonly Commit[] = [
  ...(['report', 'commit', 'deliver', 'withdraw', 'acknowledge', 'start', 'end', 'log'] as const),
  ...(['save a list', 'confirm lists', 'reportFailure'] as const),
];

const CALLS: readonly Call[] = [
  ...COMMITS,
  ...([
    'read the memory',
    'read a list',
    'read the configuration',
    'read the deployed version',
  ] as const),
  ...(['ask for maintenance', 'ask for a list', 'ask for changes', 'wait for a change'] as const),
  ...(['hand over', 'carry out', 'acknowledge done', 'acknowledge failed'] as const),
  'report a failure',
];

const AGENT_CALLS: readonly Call[] = [
  'prepare a version',
  'prefetch a version',
  'ask to begin',
  'take back',
  'run first',
  'start a process',
  'stop a process',
  'end orphans',
  'report what works',
  'reportWorking',
];

/** Where a process can be killed: before and after each call, and just before its commit. */
const CRASH_POINTS: readonly string[] = [
  ...CALLS.flatMap((call) => [`before ${call}`, `after ${call}`]),
  ...COMMITS.map((call) => `within ${call}`),
];

/** Where modreg's own agent can be killed. */
const AGENT_CRASH_POINTS: readonly string[] = [
  ...CRASH_POINTS.filter((point) => !point.endsWith(' carry out')),
  ...AGENT_CALLS.flatMap((call) => [`before ${call}`, `after ${call}`]),
  'within note an activation',
  'within take back',
  'within reportWorking',
];

export function crashPointsOf(isOwnAgent: boolean): readonly string[] {
  return isOwnAgent ? AGENT_CRASH_POINTS : CRASH_POINTS;
}

/** The crash point that a seed aims at. */
export function crashPointOf(seed: number, isOwnAgent: boolean): string {
  const points = crashPointsOf(isOwnAgent);
  return points[seed % points.length] ?? '';
}

/** Kills the process when it reaches the armed point. */
export interface CrashPoints {
  /** Kills the process when it reaches `point`, after passing it `passes` times. */
  readonly arm: (point: string, passes: number) => void;
  readonly disarm: () => void;
  readonly isArmed: (point: string) => boolean;
  /** Called when the process reaches `point`. Throws if the process is killed here. */
  readonly pass: (point: string) => void;
}

/** `kill` receives the point that the process reached. */
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

/** Nothing handles what a killed agent was doing. Any other rejection that nothing handles is a defect. */
export function hearRejections(complain: (invariant: string, found: string) => void): void {
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => {
    if (error instanceof Killed) return;
    complain('no unexpected errors', error instanceof Error ? String(error.stack) : String(error));
  });
}

/** What a machine reports at once, as JSON: its state, if that has changed, and the outcomes of actions, which it numbers. */
export interface MachineReport {
  /** Random: the numbers of outcomes belong to this queue. */
  readonly queue: string;
  /** Random for each process, so that two with the same credentials are noticed. */
  readonly instance: string;
  /** The number before the first outcome of this report. */
  readonly after: number;
  /** The number of the last one. A number up to it that has no outcome was dropped by the machine. */
  readonly to: number;
  readonly state?: ReportedState | null | undefined;
  readonly outcomes: readonly ReportedOutcome[];
}

/** The full state of a machine. */
export interface ReportedState {
  /** Higher than that of each earlier state. */
  readonly number: number;
  /** In RFC 3339, by the clock of the machine. */
  readonly at: string;
  /** The version of modreg. */
  readonly modreg: string;
  readonly platform: string;
  readonly modules: readonly ReportedModule[];
}

/** The state of a module entry or a subsystem. Nothing in it differs between machines that would decide alike, except its name. */
export interface ReportedModule {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly module_id: string;
  /** As written; null if none is configured. */
  readonly constraint: string | null;
  /** A version, `none` or `unknown`, or other text as the agent reported it. */
  readonly deployed: string;
  /** The version that the decision selects; null if there is none. */
  readonly target: string | null;
  /** One word: `up-to-date`, `hold`, `stuck`, … */
  readonly decision: string;
  /** Why it is stuck, with `…` in the place of each time; null for other decisions. */
  readonly reason: string | null;
  /** The same as data; absent for other decisions, and from an earlier modreg. */
  readonly because?: ReportedReason | undefined;
  /** The names of the components that stop for a restart. */
  readonly stops: readonly string[];
  /** What the decision depends on, besides the time and the release list; null if the machine does not report it. */
  readonly facts: object | null;
}

/** A reason without its times, which differ from machine to machine. Two with the same code and facts are the same. */
export interface ReportedReason {
  /** For programs: `no-match`, `registry-timeout`. */
  readonly code: string;
  /** What it says between its times. */
  readonly facts: readonly string[];
}

/** The most facts of a reason. */
export const MOST_FACTS = 16;

/** The outcome of an action. */
export interface ReportedOutcome {
  readonly number: number;
  readonly at: string;
  /** The id of the action, which no other action has. */
  readonly action: string;
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly module_id: string;
  readonly direction: string;
  readonly from: string | null;
  readonly to: string;
  /** `withdrawn`: it was delivered, and ended without an acknowledgement. */
  readonly result: 'done' | 'failed' | 'withdrawn';
  /** Why it failed; null if it did not. */
  readonly reason: string | null;
}

/** The most outcomes of a report. */
export const MOST_OUTCOMES = 512;

/**
 * The largest number of an outcome or of a state, and the most missing outcomes that are counted of a machine: more than any machine
 * needs. Sums of it stay within what SQLite can add (T246).
 */
export const LARGEST_NUMBER = 1_000_000_000_000;

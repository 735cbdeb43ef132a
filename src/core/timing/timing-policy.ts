/** The maintenance windows of one policy, as one. Times are milliseconds since the epoch. */
export interface Window {
  /** When one of the windows opened that are open at `at`; undefined where none is. */
  openSince(at: number): number | undefined;
  /** When the window next opens, of a time when it is closed; undefined when it never does. */
  nextOpening(at: number): number | undefined;
  /** When they close that are open at `at`; undefined when they are closed, or go on for very many openings. */
  closing(at: number): number | undefined;
}

/** What came of asking whether maintenance is allowed: anything but `allowed` does not allow it. (D29) */
export type MaintenanceAnswer =
  'allowed' | 'not-allowed' | 'missing' | 'failed' | 'timed-out' | 'not-a-boolean';

/** What says whether a machine may act now. Another question than what it should run. */
export interface Timing {
  /** Undefined where no maintenance window is configured. */
  readonly window: Window | undefined;
  /** Undefined where nobody is asked. */
  readonly answer: MaintenanceAnswer | undefined;
  /** Whether the server processes changes of its config. */
  readonly isServerBusy: boolean;
  /** When it was restarted to be replaced, in milliseconds since the epoch, in any order. */
  readonly restarts: readonly number[];
  readonly restAfterRestartMs: number;
  readonly restartCeiling: number;
}

/** Why nothing is replaced now, and until when at least, where that is known. (D25, D29) */
export type Hold =
  | { readonly reason: 'window-closed'; readonly until: number | undefined }
  | {
      readonly reason: 'maintenance-not-allowed';
      readonly answer: Exclude<MaintenanceAnswer, 'allowed'>;
      readonly until?: undefined;
    }
  | { readonly reason: 'server-busy'; readonly until?: undefined }
  | { readonly reason: 'resting'; readonly until: number }
  | { readonly reason: 'restart-ceiling'; readonly until: number; readonly restarts: number }
  /** The policy lets no lower version in, whatever the time. (D18) */
  | { readonly reason: 'downgrade-not-allowed'; readonly until?: undefined };

/** One reason not to replace anything at a time, in milliseconds since the epoch. */
export type TimingPolicy = (timing: Timing, at: number) => Hold | undefined;

/** An installed version of a module. */
export interface Installed {
  /** As the registry spells it; `local` for a local module. */
  readonly version: string;
  /** Its package folder; for a local module its program. */
  readonly root: string;
  /** Present once it was up for an hour without an end. */
  readonly isProven?: true | undefined;
  /** A crash loop of it was reported, and it has not been up for ten minutes since (A4). */
  readonly hasFailed?: true | undefined;
  /** It failed as another version did, and has not been up for its probation since: it is started for ever (D80). */
  readonly isUndecided?: true | undefined;
}

/** Why a version does not work on this machine, and whose failure that is. */
export interface Fault {
  readonly reason: string;
  readonly blame: 'release' | 'machine';
}

/** What an agent has on disk about the version of one module entry. An entry without one has no version yet. */
export type Activation =
  /** `current` works. */
  | {
      readonly phase: 'stable';
      readonly current: Installed;
      /** The version before it, which is kept on disk. */
      readonly previous: Installed | undefined;
      /** The action that ended last, which may still await its acknowledgement. */
      readonly settled:
        | {
            readonly action: string;
            /** Why it failed; undefined if it did not. */
            readonly fault: Fault | undefined;
            /** The version that failed. Rows of 0.1 do not have it. */
            readonly version?: string | undefined;
            /** Present if `current` fails in the same way, whatever `fault` blames: 0.2 knows no such blame (D80). */
            readonly isUndecided?: true | undefined;
          }
        | undefined;
      /** What failed here before `current`, until `current` has been up for ten minutes: both may fail for one reason (D80). */
      readonly failed?: Installed | undefined;
    }
  /** `candidate` is being tried, and replaces `previous` if it works. */
  | {
      readonly phase: 'trying';
      readonly action: string;
      readonly candidate: Installed;
      readonly previous: Installed | undefined;
      /** How often it was started for this action, including this time. */
      readonly attempts: number;
      /** The version that it replaces, which failed: if `candidate` fails too, it is started again (D80). */
      readonly failed?: Installed | undefined;
    }
  /** `candidate` failed, and `previous` is being started again. */
  | {
      readonly phase: 'rolling-back';
      readonly action: string;
      readonly candidate: Installed;
      readonly previous: Installed;
      readonly fault: Fault;
    };

export type Trying = Extract<Activation, { readonly phase: 'trying' }>;
export type RollingBack = Extract<Activation, { readonly phase: 'rolling-back' }>;

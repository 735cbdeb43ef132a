import {
  parseConstraint,
  parseModuleId,
  parseVersion,
  type ActionTarget,
  type Artifact,
  type Hold,
} from '../core/index.ts';
import { describeValue, excerpt } from '../core/text/quote.ts';
import { expectSpelling, type Members } from '../core/text/spelling.ts';
import type { moduleEnvironment } from '../config/module-environment.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { CommittedAction, ActionOutcome } from '../store/index.ts';
import type { Working } from '../store/failed-entries.ts';
import type { ReleaseFailure } from '../store/release-failure.ts';

/**
 * An action that is delivered to a consumer, which keeps it until it reports an outcome. Reporting rejects with an Error
 * if an outcome was reported before, even one that waits for a full disk.
 */
export interface Delivery {
  /** The action to execute. */
  readonly action: CommittedAction;
  /** How often it was delivered, including this time. It is delivered again after its process or its consumer has ended. */
  readonly times: number;
  /** The module entry as configured at the delivery; undefined for a subsystem. */
  readonly entry: ModuleEntry | undefined;
  /** The terms of the update policy for the target. */
  readonly terms: UpdateTerms;
  /**
   * The environment variables of the module's process, as `moduleEnvironment` of `modreg/config` computes them. The error
   * lists each variable that is unset or forbidden. For a subsystem only `PLATFORM_HOME`.
   */
  readonly environment: ReturnType<typeof moduleEnvironment>;
  /** Folders of this machine. modreg creates none of them. */
  readonly folders: {
    /**
     * Where the files of this release belong: `$PLATFORM_HOME/packages/acme/lidar/1.2.9-3f8a91c20b7d`, with the first twelve
     * characters of the digest if there is one; undefined for a `pin_url`. `PLATFORM_MODULE_ROOT` is this folder.
     */
    readonly root: string | undefined;
    /** What the module keeps across versions: `PLATFORM_MODULE_DATA`; undefined for a subsystem. */
    readonly data: string | undefined;
  };
  /**
   * The only release that an agent may deploy by itself if the action fails: what modreg would decide at the delivery if the
   * new version failed and nothing was running (D37). Undefined if it would roll back to nothing, and for a restart.
   */
  readonly rollback:
    | {
        /** Its version. */
        readonly version: string;
        /** Its file for the machine's platform; undefined if the registry lists none. */
        readonly artifact: Artifact | undefined;
        /** Where its files belong, as `folders.root` is for the new version. */
        readonly root: string;
      }
    | undefined;
  /**
   * Aborted at the deadline with a TimeoutError. Aborted with an AbortError if the action is withdrawn, its outcome is
   * reported elsewhere, or another consumer gets it after this one has ended. The outcome should still be reported.
   */
  readonly signal: AbortSignal;
  /**
   * Moves the deadline to `ms` milliseconds from now, unless it is later already. Has no effect once `signal` is aborted.
   * Throws a RangeError if `ms` is less than a second or more than a day.
   */
  readonly extend: (ms: number) => void;
  /**
   * Reads the configuration, and asks whether the action may be begun now: whether nothing holds it, nothing that it depends on is being replaced, and
   * its version may still be selected. Call it before the first thing that cannot be undone, such as the stop of a process,
   * and begin at once if it may. Otherwise nothing may be changed: the action is taken back, counts as no restart, and is
   * delivered again when it may, unless a newer release takes its place (D72). Rejects if the poller ends meanwhile.
   */
  readonly mayProceed: () => Promise<
    | { readonly mayProceed: true }
    | {
        readonly mayProceed: false;
        /** All reasons that hold it; empty if it is not held: its version may not be selected any more, or it waits for a module. */
        readonly because: readonly Hold[];
        /** Why, in one escaped line. */
        readonly text: string;
      }
  >;
  /** Reports progress from 0 to 1 as an event, once for each whole percent. Throws a RangeError for any other number. */
  readonly progress: (fraction: number) => void;
  /** Reports that the target version is deployed and works. On a full disk, this resolves at once and is written later. */
  readonly done: () => Promise<void>;
  /** Reports that the action failed. Rejects with a TypeError if `running` or `blame` has an unexpected value, or a name is misspelt. */
  readonly failed: (failure: FailureReport) => Promise<void>;
}

/** Why an action failed, and what is deployed now. */
export type FailureReport = Omit<ActionOutcome & { readonly kind: 'failed' }, 'kind'>;

const FAILURE_REPORT: Members<FailureReport> = {
  reason: true,
  running: true,
  blame: true,
  restarted: true,
};
const LONGEST_RUNNING = 2048;
/** The rest of a longer reason is not recorded. */
const LONGEST_REASON = 1024;

/** Checks a failure report at run time. Throws a TypeError if a field has an unexpected value or a misspelt name. */
export function checkedFailure(report: unknown): FailureReport {
  const { reason, running, blame, restarted } = Object(report) as {
    readonly [field: string]: unknown;
  };
  if (blame !== 'release' && blame !== 'machine' && blame !== 'undecided') {
    throw new TypeError(
      `failed(): found ${describeValue(blame)} as blame, expected release, machine or undecided`,
    );
  }
  // Without a check, "runing: null" would say that it is not known what runs (D313).
  expectSpelling('failed()', 'the report', Object(report) as object, FAILURE_REPORT);
  // A report is not lost for lack of a reason.
  return {
    reason: excerpt(String(reason), LONGEST_REASON),
    running: checkedRunning('failed', running),
    blame,
    ...(restarted === false && { restarted }),
  };
}

/** Checks the failure of a release at run time. Throws a TypeError if a field has an unexpected value. */
export function checkedReleaseFailure(report: unknown): ReleaseFailure {
  const { version, reason, running, blame } = Object(report) as {
    readonly [field: string]: unknown;
  };
  if (blame !== undefined && blame !== 'release' && blame !== 'undecided') {
    const found = `found ${describeValue(blame)} as blame`;
    throw new TypeError(`reportFailure(): ${found}, expected release, undecided or nothing`);
  }
  const parsed = parseVersion(version);
  if (!parsed.ok) {
    const found = `found ${describeValue(version)} as version`;
    throw new TypeError(`reportFailure(): ${found}, expected the version that failed`);
  }
  return {
    version: parsed.value.text,
    reason: excerpt(String(reason), LONGEST_REASON),
    running: checkedRunning('reportFailure', running),
    blame,
  };
}

/** Checks the report of a version that works at run time. Throws a TypeError if a field has an unexpected value. */
export function checkedWorking(report: unknown): Working {
  const { version, isProven } = Object(report) as { readonly [field: string]: unknown };
  if (typeof version !== 'string' || typeof isProven !== 'boolean') {
    const found = `found ${describeValue(report)}`;
    const expected = 'the version that works, and whether it has worked for an hour';
    throw new TypeError(`reportWorking(): ${found}, expected ${expected}`);
  }
  return { version, isProven };
}

/** Checks a target at run time. Throws a TypeError if it is neither a module nor a subsystem. */
export function checkedTarget(call: string, target: ActionTarget): ActionTarget {
  const { kind, name, moduleId } = Object(target) as { readonly [field: string]: unknown };
  const isModule = kind === 'module' && typeof name === 'string' && parseModuleId(moduleId).ok;
  const isSubsystem =
    kind === 'subsystem' && (name === 'platform-agent' || name === 'platform-server');
  if (isModule || isSubsystem) return target;
  const expected = 'the target of an action: a module entry with its module id, or a subsystem';
  throw new TypeError(`${call}(): found ${describeValue(target)}, expected ${expected}`);
}

function checkedRunning(call: string, running: unknown): string | null | undefined {
  const isText = typeof running === 'string' && running.length <= LONGEST_RUNNING;
  if ((isText && !isBranch(running)) || running === undefined || running === null) return running;
  const expected = 'a version, null if nothing is deployed, or undefined if that is not known';
  throw new TypeError(
    `${call}(): found ${describeValue(running)} as running, expected ${expected}`,
  );
}

/** Whether the text is what the config asks for, such as `latest`, and not the version that was selected. A local build may have any other name. */
function isBranch(running: string): boolean {
  const constraint = parseConstraint(running);
  return constraint.ok && constraint.value.kind !== 'patch';
}

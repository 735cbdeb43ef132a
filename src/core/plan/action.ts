import type { Decision, Replacement } from '../decision/decision.ts';
import { replacementText } from '../decision/replacement-text.ts';
import { decisionWords, reportedText } from '../explanation/decision-words.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Platform } from '../releases/platform.ts';
import { artifactFor, type Artifact } from '../releases/release.ts';
import { toldAs, type Said, type Words } from '../text/time-words.ts';
import { formatConstraint } from '../version/constraint.ts';
import type { SubsystemTarget } from './subsystem.ts';
import type { ModuleEntry } from '../machine/machine.ts';
import type { Stop } from './stops.ts';

/** A restart and upgrade that the machine's agent must carry out. */
export interface Action {
  readonly kind: 'restart-and-upgrade';
  /** The module or the subsystem to replace. */
  readonly target: ActionTarget;
  /** The deployed version, for people, or an address without credentials; undefined if nothing is deployed. */
  readonly from: string | undefined;
  /** The version to deploy, or the address of a `pin_url`; for a `restart`, what is deployed. */
  readonly to: string;
  /** The file for the machine's platform; undefined if the registry lists none. */
  readonly artifact: Artifact | undefined;
  /** The direction of the replacement, relative to the deployed version. `restart`: what is deployed restarts. */
  readonly direction: 'install' | 'upgrade' | 'downgrade' | 'rollback' | 'restart';
  /** The components that stop for this action alone, in stop order. A `Restart` lists those of all its actions. */
  readonly stops: readonly Stop[];
  /** Why the action is due: data for programs, and text for people. */
  readonly reason: {
    /** The reason in one escaped line, for people. */
    readonly text: string;
    /** @internal The same with its times as data; absent if it has none. */
    readonly words?: Words | undefined;
  } & (
    | {
        /** The constraint of the configuration selects the version. */
        readonly kind: 'constraint';
        /** As written: `1.2.*`. */
        readonly constraint: string;
      }
    | {
        /** The configuration pins the address in `to`. */
        readonly kind: 'pin-url';
      }
    | {
        /** The deployed version failed on this machine, or an operator rolled it back. */
        readonly kind: 'failure';
        /** The version that is replaced. */
        readonly version: string;
        /** When its quarantine ends, in milliseconds since the epoch; undefined if it has no time limit. */
        readonly until: number | undefined;
        /** Whether an operator rolled it back. */
        readonly isRolledBack: boolean;
      }
    | {
        /** An operator requested a restart. */
        readonly kind: 'request';
        /** When, in milliseconds since the epoch. */
        readonly requestedAt: number;
        /** Whether nothing could hold it. */
        readonly isImmediate: boolean;
      }
  );
  /** When it was decided, in milliseconds since the epoch. */
  readonly decidedAt: number;
}

/** Why an action is due. */
export type ActionReason = Action['reason'];

/** What an action replaces: a module entry, or a subsystem that has versions. */
export type ActionTarget =
  | {
      readonly kind: 'module';
      /** The name of the module entry. */
      readonly name: string;
      /** The module whose releases are deployed. */
      readonly moduleId: ModuleId;
    }
  | {
      readonly kind: 'subsystem';
      /** As the agent configuration spells it. */
      readonly name: 'platform-agent' | 'platform-server';
    };

/** The action of a decision; undefined if nothing is due. */
export function actionOf(
  decision: Decision,
  target: ActionTarget,
  stops: readonly Stop[],
): Action | undefined {
  if (decision.kind !== 'replace') return undefined;
  const { deployed, eligibility } = decision.input;
  return {
    kind: 'restart-and-upgrade',
    target,
    from: reportedText(deployed),
    to: replacementText(decision),
    artifact: artifactOf(decision, eligibility.platform),
    direction: decision.direction,
    stops,
    reason: reasonOf(decision, decisionWords(decision)),
    decidedAt: eligibility.now,
  };
}

function reasonOf(replacement: Replacement, said: Said): ActionReason {
  const told = toldAs(said);
  if (replacement.direction === 'restart') {
    const { requestedAt, isImmediate } = replacement.request;
    return { kind: 'request', requestedAt, isImmediate, ...told };
  }
  if (!replacement.resolution) return { kind: 'pin-url', ...told };
  if (replacement.direction !== 'rollback') {
    return {
      kind: 'constraint',
      constraint: formatConstraint(replacement.resolution.input.constraint),
      ...told,
    };
  }
  const { version, until, isRolledBack } = replacement.failure;
  return { kind: 'failure', version: version.text, until, isRolledBack, ...told };
}

/** The file of a replacement for a platform; undefined if the registry lists none. */
export function artifactOf({ to }: Replacement, platform: Platform): Artifact | undefined {
  if ('isLocal' in to) return undefined;
  if (!('url' in to)) return artifactFor(to, platform);
  // A `pin_url` may carry the digest of its file as `#sha256=…` or `#sha512=…` (D36).
  const [, url = to.url, digest] = /^([^#]*)#(sha(?:256|512)=.*)$/.exec(to.url) ?? [];
  return { platform, url, digest: digest?.replace('=', ':') };
}

interface PlannedRow {
  readonly decision: Decision;
  readonly stops: readonly Stop[];
}

/** The actions of a plan that are due now. */
export function actionsIn({
  modules,
  subsystems,
}: {
  readonly modules: readonly (PlannedRow & Pick<ModuleEntry, 'name' | 'moduleId'>)[];
  readonly subsystems: readonly (PlannedRow & { readonly target: SubsystemTarget })[];
}): Action[] {
  const actions = [
    ...modules.map(({ name, moduleId, decision, stops }) =>
      actionOf(decision, { kind: 'module', name, moduleId }, stops),
    ),
    ...subsystems.map(({ target, decision, stops }) =>
      target.option === 'disable_subsystem'
        ? undefined
        : actionOf(decision, { kind: 'subsystem', name: target.name }, stops),
    ),
  ];
  return actions.filter((action) => action !== undefined);
}

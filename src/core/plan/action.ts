import { replacementText, type Decision, type Replacement } from '../decision/decision.ts';
import { describeDecision, reportedText } from '../explanation/decision-words.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { canonicalPlatform, type Platform } from '../releases/platform.ts';
import { artifactsFor, type Artifact } from '../releases/release.ts';
import type { Direction } from '../decision/timing.ts';
import type { Stop } from './stops.ts';
import type { VersionedSubsystem } from './subsystem.ts';

/** What the machine's agent is to do. (Versioning, rule 1) */
export interface Action {
  readonly kind: 'restart-and-upgrade';
  readonly target: ActionTarget;
  /** What runs, to be shown: an address without credentials; undefined where nothing does. */
  readonly from: string | undefined;
  /** A version, or the address of a `pin_url`: what is deployed once this is done. */
  readonly to: string;
  /** The file for the machine's platform, where it is known. */
  readonly artifact: Artifact | undefined;
  readonly direction: Direction;
  /** What stops with this one alone; a plan's restarts say what stops together. */
  readonly stops: readonly Stop[];
  /** Why, in one escaped line. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly decidedAt: number;
}

export type ActionTarget =
  | { readonly kind: 'module'; readonly name: string; readonly moduleId: ModuleId }
  | { readonly kind: 'subsystem'; readonly name: VersionedSubsystem };

/** The action that a decision comes to; undefined where nothing is due. */
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
    reason: describeDecision(decision),
    decidedAt: eligibility.now,
  };
}

function artifactOf({ to }: Replacement, platform: Platform): Artifact | undefined {
  if ('url' in to) return { platform, url: to.url };
  const artifacts = artifactsFor(to, platform) ?? [];
  // One that is made for the platform, rather than one for any.
  return artifacts.find((one) => canonicalPlatform(one.platform) === platform) ?? artifacts[0];
}

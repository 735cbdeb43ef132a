import { siteRefusal } from '../releases/eligibility.ts';
import type { Refusal } from '../releases/refusal.ts';
import { bypassedFloors } from '../releases/floors.ts';
import { bypassedRollout } from '../releases/rollout-refusal.ts';
import type { Version } from '../version/version.ts';
import { deployedVersion } from './deployed.ts';
import { recallOf } from './recall.ts';
import { replacementOf, type Decision } from './decision.ts';

/**
 * What an operator should know about a decision. `ahead`: the deployed version is kept although the constraint does not select
 * it. `downgrade`: all versions of a module share its data. `conflicting-constraints`: another module entry has the same
 * module id.
 */
export type Warning =
  | { readonly kind: 'ahead' }
  | { readonly kind: 'downgrade' }
  | { readonly kind: 'conflicting-constraints' }
  | {
      /** The release is yanked or deprecated. */
      readonly kind: 'deployed-yanked' | 'yanked' | 'deprecated';
      /** The deployed version or, for `yanked` and `deprecated`, the one to deploy. */
      readonly version: Version;
      /** The reason, `""` if none was given. */
      readonly because: string;
      /** Present if `on_yank: replace` does not replace the deployed version, because its author did not sign the yank (D165). */
      readonly isUnsigned?: true;
    }
  | {
      /** The policy of the site refuses the deployed version, which stays (D94). */
      readonly kind: 'deployed-refused';
      /** The deployed version. */
      readonly version: Version;
      /** What the policy refuses: `1.2.7`, `1.3.*` or `1.*`. */
      readonly versions: string;
      /** Why, as the policy says; undefined if it does not. */
      readonly because: string | undefined;
    }
  | {
      readonly kind: 'deployed-not-a-version';
      /** The reported text. */
      readonly text: string;
    }
  | {
      readonly kind: 'pin-not-published';
      /** The deployed version: the pinned one, or a build of it (D35). */
      readonly version: Version;
    }
  | {
      readonly kind: 'stale-list';
      /** When the registry last confirmed the saved list, in milliseconds since the epoch. */
      readonly confirmedAt: number;
      /** Why the registry could not confirm it now, in one escaped line. */
      readonly message: string;
    }
  | {
      /** The deployed version failed in another entry, and is kept here (D81). */
      readonly kind: 'failed-in-another-entry';
      /** The deployed version. */
      readonly version: Version;
      /** The name of the entry. */
      readonly entry: string;
      /** Why, as the agent reported it; undefined if it is not known. */
      readonly because: string | undefined;
    }
  | {
      /** The deployed version failed, and another one in the same way (D80). */
      readonly kind: 'undecided';
      /** The deployed version. */
      readonly version: Version;
      /** The other one; undefined if it is not known. */
      readonly sameAs: string | undefined;
      /** Why, as the agent reported it; undefined if it is not known. */
      readonly because: string | undefined;
    }
  | {
      readonly kind: 'rollout-bypassed';
      /** The pinned version. */
      readonly version: Version;
      /** Why its rollout excludes the machine. */
      readonly against: Extract<
        Refusal,
        { reason: 'not-in-rollout' | 'rollout-halted' | 'rollout-unconfirmed' }
      >;
    }
  | {
      /** A release is refused for what it requires, and nothing that the machine gets by itself will meet it (D88). */
      readonly kind: 'requirement-unreachable';
      /** The version of the release. */
      readonly version: Version;
      /** `platform-server`, `platform-agent` or a module id; `tags` for a tag. */
      readonly of: string;
      /** The range, or the tag. */
      readonly range: string;
      /**
       * What would help. `tag`: a tag of the policy. `missing`: an entry of the module, or a version that the policy provides.
       * `provides`: another version that the policy provides. `constraint`: a constraint of the entry `name` that accepts
       * `version`. `unpublished`: a release that fits. `each-other`: a release that does not require what requires it.
       */
      readonly edit:
        | {
            /** What has to change. */
            readonly kind: 'tag' | 'missing' | 'provides' | 'unpublished' | 'each-other';
          }
        | {
            readonly kind: 'constraint';
            /** The name of the module entry or the subsystem. */
            readonly name: string;
            /** The newest published version that fits. */
            readonly version: Version;
          };
    }
  | {
      /** What replaces the deployed version breaks a requirement of what is deployed in another entry (D88). */
      readonly kind: 'breaks-requirement';
      /** The version that is deployed next. */
      readonly to: string;
      /** The name of the other entry. */
      readonly name: string;
      /** What is deployed in it. */
      readonly version: Version;
      /** `platform-server`, `platform-agent` or the module id. */
      readonly of: string;
      /** The range that the version requires. */
      readonly range: string;
    }
  | {
      /** A pin or a first install passes floors without running them (D91). */
      readonly kind: 'floor-bypassed';
      /** The version to deploy. */
      readonly version: Version;
      /** The floors that are passed, the lowest first. */
      readonly floors: readonly Version[];
    }
  | {
      /** The file of a `pin_url` without a digest is not verified. */
      readonly kind: 'unverified-download';
    }
  | {
      readonly kind: 'shadowed-pin';
      /** The `pin_version` that `pin_url` takes precedence over. */
      readonly version: Version;
    };

/** Warnings of a deployed version that should not run, though nothing replaces it (D293). */
export const OF_WHAT_RUNS: ReadonlySet<string> = new Set<Warning['kind']>([
  'deployed-yanked',
  'deployed-refused',
  'failed-in-another-entry',
  'undecided',
]);

/** What lets a machine meet a requirement. */
export type Edit = Extract<Warning, { readonly kind: 'requirement-unreachable' }>['edit'];

/** The warnings about one decision. The plan adds `conflicting-constraints`. */
export function decisionWarnings(decision: Decision): Warning[] {
  // Warned of: a yanked (D7) or deprecated (D8) release, a deployed pin that is no longer published (D20), a saved
  // list (D21), a shadowed pin (D27), a file that is not verified (D36), a pin that bypasses a rollout (D50).
  const { input, resolution } = decision;
  const { requirement, list } = input;
  if (requirement.kind === 'pin-url') {
    const { shadowed, url } = requirement;
    const shadowing = shadowed ? [{ kind: 'shadowed-pin', version: shadowed } as const] : [];
    return url.includes('#sha') ? shadowing : [...shadowing, { kind: 'unverified-download' }];
  }
  if (!resolution || 'error' in list) return [];
  return [
    ...deployedWarnings(decision),
    ...replacementWarnings(decision),
    ...(list.stale ? [{ kind: 'stale-list', ...list.stale } as const] : []),
  ];
}

function deployedWarnings(decision: Decision): Warning[] {
  const { input, resolution } = decision;
  const { deployed } = input;
  const kept = decision.kind === 'keep' ? decision.because : undefined;
  const warnings: Warning[] = [];
  if (deployed.kind === 'other') {
    warnings.push({ kind: 'deployed-not-a-version', text: deployed.text });
  } else if (kept === 'ahead') {
    warnings.push({ kind: 'ahead' });
  }
  if (deployed.kind !== 'version' || !resolution) return warnings;
  const { index, constraint } = resolution.input;
  const { version } = deployed;
  const release = index.find(version);
  if (release?.yanked !== undefined) {
    const yank = { kind: 'deployed-yanked', version, because: release.yanked } as const;
    const isUnsigned = recallOf(input, resolution, version) === 'unsigned';
    warnings.push(isUnsigned ? { ...yank, isUnsigned } : yank);
  }
  if (release?.deprecated !== undefined) {
    warnings.push({ kind: 'deprecated', version, because: release.deprecated });
  }
  const against = siteRefusal(input.eligibility, version);
  if (against) warnings.push({ ...against, kind: 'deployed-refused', version });
  if (input.quarantine.length > 0) warnings.push(...failureWarnings(input, version));
  const isMissing = constraint.kind === 'patch' && resolution.kind === 'unsatisfied';
  if (isMissing && kept === 'up-to-date') {
    warnings.push({ kind: 'pin-not-published', version });
  }
  return warnings;
}

/** A failure that does not count against the deployed version (D80, D81). */
function failureWarnings(
  { quarantine, eligibility: { now } }: Decision['input'],
  version: Version,
): Warning[] {
  const entry = quarantine.find(
    ({ version: text, until = Infinity }) => text === version.text && now < until,
  );
  const { failedIn, undecided, reason: because } = entry ?? {};
  if (undecided) return [{ kind: 'undecided', version, sameAs: undecided.sameAs, because }];
  if (failedIn === undefined) return [];
  return [{ kind: 'failed-in-another-entry', version, entry: failedIn, because }];
}

function replacementWarnings(decision: Decision): Warning[] {
  const replacement = replacementOf(decision);
  if (!replacement || replacement.direction === 'restart' || 'url' in replacement.to) return [];
  const { direction, to, resolution } = replacement;
  const { version, yanked, deprecated } = to;
  const warnings: Warning[] = direction === 'downgrade' ? [{ kind: 'downgrade' }] : [];
  if (yanked !== undefined) warnings.push({ kind: 'yanked', version, because: yanked });
  if (deprecated !== undefined) warnings.push({ kind: 'deprecated', version, because: deprecated });
  // A pin bypasses the rollout (D50).
  const against = resolution && bypassedRollout(resolution.input, to);
  if (against) warnings.push({ kind: 'rollout-bypassed', version, against });
  if (resolution && (direction === 'install' || direction === 'upgrade')) {
    // What was deployed may be no version: then it is not known which floors it passed.
    const deployed = deployedVersion(decision.input.deployed);
    const floors = bypassedFloors(resolution.input, { version, deployed });
    if (floors.length > 0) warnings.push({ kind: 'floor-bypassed', version, floors });
  }
  return warnings;
}

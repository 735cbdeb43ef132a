import type { Version } from '../version/version.ts';
import { replacementOf, type Decision } from './decision.ts';

/** What a person should know of a decision, beside it. */
export type Warning =
  /** What runs is not among what may be chosen, and stays. (D16, D17, D30) */
  | { readonly kind: 'ahead' }
  /** All versions of a module share its data. (D18) */
  | { readonly kind: 'downgrade' }
  | {
      readonly kind: 'deployed-yanked' | 'yanked' | 'deprecated';
      readonly version: Version;
      /** Why, "" where nobody said so. */
      readonly because: string;
    }
  | { readonly kind: 'deployed-not-a-version'; readonly text: string }
  /** The pin runs, and is published no more. (D20) */
  | { readonly kind: 'pin-not-published'; readonly version: Version }
  /** A saved list stands in for the registry's. (D21) */
  | { readonly kind: 'stale-list'; readonly confirmedAt: number; readonly message: string }
  /** `pin_url` wins over this `pin_version`. (D27) */
  | { readonly kind: 'shadowed-pin'; readonly version: Version }
  /** Another module entry has the same module_id. (D24) */
  | { readonly kind: 'conflicting-constraints' };

/** What there is to warn of, but for what only the whole machine shows. */
export function decisionWarnings(decision: Decision): Warning[] {
  const { input, resolution } = decision;
  const { requirement, list } = input;
  if (requirement.kind === 'pin-url') {
    const { shadowed } = requirement;
    return shadowed ? [{ kind: 'shadowed-pin', version: shadowed }] : [];
  }
  if (!resolution || 'error' in list) return [];
  return [
    ...ofDeployed(decision),
    ...ofReplacement(decision),
    ...(list.stale ? [{ kind: 'stale-list', ...list.stale } as const] : []),
  ];
}

function ofDeployed({ input, resolution, ...verdict }: Decision): Warning[] {
  const { deployed } = input;
  const isKept = verdict.kind === 'keep';
  const warnings: Warning[] = [];
  if (deployed.kind === 'other') {
    warnings.push({ kind: 'deployed-not-a-version', text: deployed.text });
  } else if (isKept && verdict.because === 'ahead') {
    warnings.push({ kind: 'ahead' });
  }
  if (deployed.kind !== 'version' || !resolution) return warnings;
  const { index, constraint } = resolution.input;
  const { version } = deployed;
  const release = index.find(version);
  if (release?.yanked !== undefined) {
    warnings.push({ kind: 'deployed-yanked', version, because: release.yanked });
  }
  if (release?.deprecated !== undefined) {
    warnings.push({ kind: 'deprecated', version, because: release.deprecated });
  }
  const isPin = isKept && constraint.kind === 'patch' && resolution.kind === 'unsatisfied';
  if (isPin && verdict.because === 'up-to-date') {
    warnings.push({ kind: 'pin-not-published', version: constraint.version });
  }
  return warnings;
}

function ofReplacement(decision: Decision): Warning[] {
  const replacement = replacementOf(decision);
  if (!replacement || 'url' in replacement.to) return [];
  const { direction, to } = replacement;
  const { version, yanked, deprecated } = to;
  const warnings: Warning[] = direction === 'downgrade' ? [{ kind: 'downgrade' }] : [];
  if (yanked !== undefined) warnings.push({ kind: 'yanked', version, because: yanked });
  if (deprecated !== undefined) warnings.push({ kind: 'deprecated', version, because: deprecated });
  return warnings;
}

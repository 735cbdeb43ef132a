import { releaseOf } from '../../core/decision/replacement-text.ts';
import {
  compareVersions,
  decide,
  type DecideInput,
  type Decision,
  type NextChange,
  type ReleaseIndex,
  type Version,
} from '../../core/index.ts';
import { nextChange } from '../../core/decision/next-change.ts';
import type { RolledBack } from '../../core/releases/eligibility-policy.ts';

/** A rollback, and what the planner makes of it. */
export interface IntendedRollback {
  readonly rolledBack: RolledBack & { readonly to: Version };
  /** The decision that carries it out. */
  readonly decision: Decision;
  /** The decision once that is done. */
  readonly afterwards: Decision;
  /** When the passing of time alone changes `afterwards`; undefined if no such time is known. */
  readonly next: NextChange | undefined;
}

/**
 * What a rollback from the deployed version `from` does: it refuses the versions above its target that `index` has (D32).
 * `input` is that of the next decision. The target is `wanted` if that is named (D390). If no release may replace `from`, or
 * another one than `wanted` would, the decision that says why.
 */
export function intendedRollback(
  from: Version,
  index: ReleaseIndex,
  {
    input,
    until,
    wanted,
  }: {
    readonly input: DecideInput;
    readonly until: number | undefined;
    readonly wanted?: Version | undefined;
  },
): IntendedRollback | { readonly refusal: Decision } {
  // A rollback takes the place of an earlier one from the same version.
  const others = input.quarantine.filter((one) => !(one.rolledBack && one.version === from.text));
  // A requested restart is no rollback, and the rollback restarts the module too (D404).
  const refusing = (rolledBack: RolledBack): DecideInput => ({
    ...input,
    restartRequest: undefined,
    quarantine: [...others, { version: from.text, until, rolledBack }],
  });
  const up = textsFrom(index, (version) =>
    wanted ? compareVersions(version, wanted) > 0 : compareVersions(version, from) >= 0,
  );
  const target = decide(refusing({ from, to: wanted, refused: up }));
  const release = target.kind === 'replace' ? releaseOf(target) : undefined;
  if (!release || (wanted && wanted.text !== release.version.text)) return { refusal: target };
  const to = release.version;
  const refused = textsFrom(index, (version) => compareVersions(version, to) > 0);
  const rolledBack = { from, to, refused };
  const rollback = refusing(rolledBack);
  const { timing, eligibility } = rollback;
  const afterwards = decide({
    ...rollback,
    deployed: { kind: 'version', version: to },
    previous: from,
    timing: { ...timing, restarts: [...timing.restarts, eligibility.now] },
  });
  return { rolledBack, decision: decide(rollback), afterwards, next: nextChange(afterwards) };
}

function textsFrom(index: ReleaseIndex, isMeant: (version: Version) => boolean): Set<string> {
  const versions = Array.from(index.releases(), ({ version }) => version);
  return new Set(versions.filter(isMeant).map(({ text }) => text));
}

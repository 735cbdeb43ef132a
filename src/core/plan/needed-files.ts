import { decideChecked } from '../decision/decide.ts';
import { replacementOf, type Decision, type DecideInput } from '../decision/decision.ts';
import { deployedVersion } from '../decision/deployed.ts';
import { artifactFor } from '../releases/release.ts';
import type { Resolution, ResolveInput } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';
import { afterFailure } from './permitted-rollback.ts';

/** Which release of a list is meant. */
type Query = Pick<ResolveInput, 'constraint' | 'eligibility'>;

/** The queries of the releases whose files a machine may need: of what is decided, and of what would be decided if that failed at once (D140). */
export function filesNeeded(input: DecideInput): Query[] {
  const { deployed, list, eligibility } = input;
  const decision = decideChecked(input);
  const decided = queriesIn(decision);
  const next = deployedBy(decision) ?? deployedVersion(deployed);
  if (!next) return decided;
  const release = 'index' in list ? list.index.find(next) : undefined;
  const digest = release && artifactFor(release, eligibility.platform)?.digest;
  return [...decided, ...queriesIn(decideChecked(afterFailure(next, digest, input)))];
}

/** The query of the release of `version`, whatever is against it. */
export function queryOf(version: Version): Query {
  return { constraint: { kind: 'patch', version }, eligibility: { now: 0 } };
}

/** Those of what it selects; of what is restored in its place, if it is a rollback to what was deployed before. */
function queriesIn(decision: Decision): Query[] {
  const resolution = 'resolution' in decision ? decision.resolution : undefined;
  const restored = replacementOf(decision)?.direction === 'rollback' && deployedBy(decision);
  if (restored && restored.text !== selectedBy(resolution)?.text) return [queryOf(restored)];
  return resolution ? [resolution.input] : [];
}

/** What runs after it, or what it selects. */
function deployedBy(decision: Decision): Version | undefined {
  const replacement = replacementOf(decision);
  if (replacement && 'version' in replacement.to) return replacement.to.version;
  return selectedBy('resolution' in decision ? decision.resolution : undefined);
}

function selectedBy(resolution: Resolution | undefined): Version | undefined {
  return resolution?.kind === 'resolved' ? resolution.release.version : undefined;
}

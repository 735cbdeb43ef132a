import { deployedVersion } from '../decision/deployed.ts';
import { replacementOf, type Decision } from '../decision/decision.ts';
import { isTimeOfMachine } from '../decision/upgrade-request.ts';
import { reasonCode } from '../explanation/reason.ts';
import { termInForce } from '../releases/quarantine.ts';
import { newerRefused, newestRefused } from '../releases/resolve.ts';
import { compareVersions } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';
import type { PlanRow } from './plan.ts';
import type { StateFacts } from './row-state.ts';

/**
 * What a person can do something about (D468). `failing`: what is deployed ends again and again. `failing-alone`: so does a version that
 * no rollback replaces. `machine`: an action fails because of the
 * machine. `held-and-waits`: what is held waits for its time, too (D410). `waits`: a replacement waits for its time, `restart-waits`: so does a requested restart. `yanked`: the deployed release was
 * yanked, and stays (D389).
 */
export type Remedy =
  | 'failing'
  | 'failing-alone'
  | 'machine'
  | 'registry'
  | 'held'
  | 'held-and-waits'
  | 'waits'
  | 'restart-waits'
  | 'yanked'
  | 'quarantined';

/** What a remedy follows from. */
interface RemedyFacts extends Pick<StateFacts, 'open' | 'isFailing'> {
  /** The code of the reason. */
  readonly code: string | undefined;
  /** Whether the replacement is a requested restart. */
  readonly isRestart: boolean;
  /** Whether the deployed release was yanked, and nothing replaces it. */
  readonly isYanked: boolean;
  /** Whether a rollback could replace what runs. A version that failed too often does not count as deployed. */
  readonly canGoBack: boolean;
}

/** What a person can do about a module, by what matters most; undefined if nothing stands in its way. */
export function remedyBy(facts: RemedyFacts): Remedy | undefined {
  const { open, isFailing, code, isRestart, isYanked, canGoBack } = facts;
  if (open?.state === 'delivered') return undefined;
  if (isFailing) return canGoBack ? 'failing' : 'failing-alone';
  if (open && open.failures > 0) return 'machine';
  if (code === 'operator-hold') return 'held';
  if (code !== undefined && isTimeOfMachine(code)) return isRestart ? 'restart-waits' : 'waits';
  if (code !== undefined && OF_REGISTRY.has(code)) return 'registry';
  return isYanked ? 'yanked' : undefined;
}

/** The errors of a registry that a person can find the cause of. An unknown module is another matter. */
const OF_REGISTRY: ReadonlySet<string> = new Set([
  'bad-address',
  'bad-certificate',
  'bad-redirect',
  'list-stale',
  'list-too-large',
  'not-a-registry',
  'registry-busy',
  'registry-refused',
  'registry-timeout',
  'registry-unreachable',
  'registry-untrusted',
  'trust-expired',
  'unreadable-file',
]);

/** The same of a row of a plan, in which the newest release may be in quarantine. */
export function remedyOf(
  { decision, warnings }: PlanRow,
  now: Pick<StateFacts, 'open' | 'isFailing'>,
): Remedy | undefined {
  const isYanked =
    decision.kind === 'keep' && warnings.some(({ kind }) => kind === 'deployed-yanked');
  const isRestart = replacementOf(decision)?.direction === 'restart';
  const found = remedyBy({
    ...now,
    code: reasonCode(decision),
    isRestart,
    isYanked,
    canGoBack: now.isFailing && hasLower(decision),
  });
  if (found === 'held' && !isRestart && waitsForTime(decision)) return 'held-and-waits';
  return found ?? (quarantinedIn({ decision }) === undefined ? undefined : 'quarantined');
}

/** Whether more than a hold of an operator holds a replacement, and an upgrade at once passes it. */
function waitsForTime(decision: Decision): boolean {
  return decision.kind === 'hold' && decision.because.some(({ reason }) => isTimeOfMachine(reason));
}

/** Whether a version is deployed, and its list, if it is known, has a lower one. */
function hasLower({ input: { deployed, list } }: Decision): boolean {
  const version = deployedVersion(deployed);
  if (!version || 'error' in list) return version !== undefined;
  return Array.from(list.index.releases()).some((one) => compareVersions(one.version, version) < 0);
}

/** What is in quarantine, so that nothing newer is selected, as it is lifted: `1.2.8`, `1.3.*`; undefined if nothing is. */
export function quarantinedIn({ decision }: Pick<PlanRow, 'decision'>): string | undefined {
  const { resolution } = decision;
  const version = newestInQuarantine(decision);
  if (!resolution || !version) return undefined;
  const { index, eligibility } = resolution.input;
  return termInForce(version, index.find(version)?.artifacts, eligibility)?.version;
}

/** What follows while the release that could be selected is in quarantine without an end: nothing by itself (D488). */
export function untilLiftedWords({
  decision,
  nextChange,
}: Pick<PlanRow, 'decision' | 'nextChange'>): string | undefined {
  if (decision.kind !== 'stuck' || nextChange) return undefined;
  const version = quarantinedIn({ decision });
  return version && `nothing, until a person lifts ${version} or another release is published`;
}

function newestInQuarantine(decision: Decision): Version | undefined {
  if (decision.kind === 'stuck' && decision.code === 'quarantined') return decision.failure.version;
  if (decision.kind === 'stuck' && decision.code === 'no-match') {
    const refused = newestRefused(decision.resolution);
    return refused?.reason === 'quarantined' ? refused.release.version : undefined;
  }
  const deployed = deployedVersion(decision.input.deployed);
  if (decision.kind !== 'keep' || !decision.resolution || !deployed) return undefined;
  const [newest] = newerRefused(decision.resolution, deployed);
  return newest?.reason === 'quarantined' ? newest.release.version : undefined;
}

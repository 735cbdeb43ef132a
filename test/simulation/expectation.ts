import semver from 'semver';
import type { JudgedMachine, JudgedModule } from '../support/judged-machine.ts';
import { parsed } from '../support/judged-versions.ts';
import { planJudge, verdictOn } from '../support/plan-judge.ts';
import {
  keyOf,
  knownOf,
  SERVER,
  termsOf,
  type Ledger,
  type ListInForce,
  type Target,
} from './ledger.ts';
import { isBlamed, isRetried } from './seen-quarantine.ts';
import { CERTAIN, type Facts } from './orders.ts';
import { setupOf } from './setups.ts';
import { machineParts } from './machine-parts.ts';
import type { Moment } from './timeline.ts';
import { requestFor } from './requests.ts';
import type { WireRelease } from './published.ts';
import { PLATFORM, type DesiredTerms, type Desired } from './desired.ts';

/** The facts of a decision that are not in the ledger. */
export interface Case {
  readonly target: Target;
  readonly list: ListInForce | undefined;
  readonly moment: Moment;
  /** What holds the target. Without it, nothing that the policy does not say. */
  readonly facts?: Facts | undefined;
  /** The id of an action whose own restart does not count. */
  readonly without?: string;
  /** Whether the decision beside a requested restart is meant: that of a delivered replacement, which comes first. (D41) */
  readonly ignoresRequest?: boolean;
}

/** The result of a naive reading of the decision table: `upgrade 1.2.9`, `hold upgrade 1.2.9`, `restart 1.2.3`, `ahead`, `stuck no-list`. */
export function expectation(ledger: Ledger, of: Case): string {
  const asked = questionOf(ledger, of);
  return asked ? planJudge(...asked) : 'not asked for';
}

/** Whether `version` is eligible, even if newer eligible releases exist, or one that is not deprecated is preferred. */
export function mayRun(ledger: Ledger, of: Case, version: string): boolean {
  const asked = questionOf(ledger, of);
  if (!asked) return false;
  const { chosen, refused } = verdictOn(...asked);
  const isOutranked = refused.some(
    ({ text, reason }) => text === version && (reason === 'older' || reason === 'deprecated'),
  );
  return chosen === version || isOutranked;
}

/** Whether the entry of a target is that of a local module, which no constraint asks for. */
export function isLocalEntry({ desired }: Pick<Ledger, 'desired'>, target: Target): boolean {
  const isEntry = ({ isLocal, name, moduleId }: Desired['modules'][number]): boolean =>
    isLocal && name === target.name && moduleId === target.moduleId;
  return target.kind === 'module' && desired?.modules.some(isEntry) === true;
}

export function constraintOf(desired: Desired, target: Target): string | undefined {
  if (target.kind === 'module') {
    return desired.modules.find(
      ({ name, moduleId, isLocal }) =>
        name === target.name && moduleId === target.moduleId && !isLocal,
    )?.constraint;
  }
  const { pin, pinUrl, channel } =
    target.name === SERVER.name ? desired.server : { ...desired.agent, channel: 'stable' };
  return pinUrl ?? pin ?? (channel === 'latest' ? 'latest-with-prerelease' : 'latest');
}

function questionOf(
  ledger: Ledger,
  { target, list, moment, facts = CERTAIN, without, ignoresRequest = false }: Case,
): [JudgedMachine, JudgedModule] | undefined {
  const { desired } = ledger;
  const constraint = desired && constraintOf(desired, target);
  if (!desired || constraint === undefined) return undefined;
  const terms = termsOf(desired, target.name);
  const { running, previous, failed } = knownOf(ledger, target);
  const isDisabled = desired.server.isDisabled && target.name !== 'platform-agent';
  const machine = {
    now: moment.wall,
    platform: PLATFORM,
    // No release of the simulator is in rollout.
    machineId: undefined,
    group: undefined,
    has: machineParts(ledger, desired),
    isAsOf: false,
    isDisabled,
    isServerBusy: ledger.isServerBusy,
    answer: facts.answer,
  };
  return [
    machine,
    {
      constraint,
      isSubsystem: target.kind === 'subsystem',
      previous,
      failed,
      deployed: running,
      list: list?.trusted.map(entryOf),
      confirmedAt: list?.isStale === true ? list.confirmedAt : undefined,
      readAt: undefined,
      clock: ledger.isClockRight ? undefined : ledger.clocks.get(terms.registry),
      quarantine: quarantineOf(ledger, target, list?.list.releases ?? []),
      restarts: restartsOf(ledger, target, moment, without),
      request: ignoresRequest ? undefined : requestFor(ledger, target),
      hold: facts.isHeld ? { from: moment.wall, ms: 1 } : undefined,
      wish: facts.wish,
      vetoes: facts.vetoes,
      isOverdue: facts.isOverdue,
      terms: { ...judgedTerms(terms, moment.wall), refuse: desired.terms.refuse },
    },
  ];
}

function entryOf({
  version,
  published_at,
  artifacts,
  yanked,
  floor,
  deprecated,
  requires,
}: WireRelease): NonNullable<JudgedModule['list']>[number] {
  const publishedAt = published_at === undefined ? undefined : Date.parse(published_at);
  return { version, publishedAt, artifacts, yanked, deprecated, floor, requires };
}

function quarantineOf(
  ledger: Ledger,
  target: Target,
  releases: readonly WireRelease[],
): JudgedModule['quarantine'] {
  const { moduleId } = target;
  const { running } = knownOf(ledger, target);
  const judged: { version: string; until: number | undefined; isElsewhere?: boolean }[] = [];
  for (const entry of ledger.quarantine.values()) {
    const { moduleId: of, version, digest, until, backTo, refused, entries = [] } = entry;
    if (of !== moduleId) continue;
    const own = entries.find(({ key }) => key === keyOf(target));
    // An edit of the entry since then gives it another try. (D82)
    if (isRetried(entry, keyOf(target), setupOf(ledger.desired, target.name))) continue;
    const isFailedAnywhere = entries.some(isBlamed);
    // What failed elsewhere, or is undecided, is kept where it is deployed; what may be tried again is not refused. (D80, D81)
    const isOnlyHere = entries.length === 0 || (own !== undefined && isBlamed(own));
    const isElsewhere = !isOnlyHere && (isFailedAnywhere || !own);
    const isRefused = isOnlyHere || isFailedAnywhere || (own ?? entries[0])?.state === 'waiting';
    if (!isRefused || (!isOnlyHere && version === running)) continue;
    const artifacts = releases.find((release) => release.version === version)?.artifacts;
    const files = artifacts?.filter(({ platform }) => platform === PLATFORM) ?? [];
    // A different file under the same version has not failed.
    const isOther = digest !== undefined && files.length > 0 && files[0]?.digest !== digest;
    if (!isOther) judged.push({ version, until, isElsewhere });
    if (backTo === undefined) continue;
    // A rollback refuses what the list had above its target; without a list, what is between the two.
    const known = [...releases.map((one) => one.version), ...deployedVersions(ledger, moduleId)];
    const between = known.filter(
      (text) => compareBuild(text, backTo) > 0 && compareBuild(text, version) < 0,
    );
    judged.push(...(refused ?? between).map((text) => ({ version: text, until })));
  }
  return judged;
}

/** Deployed and failed versions need not be listed. */
function deployedVersions({ known }: Ledger, moduleId: string): string[] {
  return [...known.values()]
    .filter((one) => one.moduleId === moduleId)
    .flatMap(({ running, failed }) => [running, failed])
    .filter((text) => typeof text === 'string' && parsed(text) !== null)
    .filter((text) => text !== null && text !== undefined);
}

function compareBuild(a: string, b: string): number {
  return semver.compareBuild(parsed(a) ?? a, parsed(b) ?? b);
}

const MINUTE = 60_000;
const DAY = 86_400_000;

function judgedTerms(terms: DesiredTerms, now: number): JudgedModule['terms'] {
  const { windows, blackouts, restMs, ceiling, maxIndexAgeMs, allowDowngrade } = terms;
  const midnight = Math.floor(now / DAY) * DAY;
  const openings = [-1, 0, 1].flatMap((day) =>
    windows.map(({ minute, minutes }) => {
      const start = midnight + day * DAY + minute * MINUTE;
      return [start, start + minutes * MINUTE] as const;
    }),
  );
  return {
    restMs,
    ceiling,
    maxIndexAgeMs,
    allowDowngrade,
    requireDigest: terms.requireDigest,
    replacesYanked: terms.onYank === 'replace',
    minimumAge: { ms: terms.minimumAgeMs, unknown: terms.unknownAge, byStep: terms.byStepMs },
    openings: windows.length === 0 ? undefined : openings,
    blackouts: blackouts?.map(({ from, until }) => ({ from, until, timeZone: 'UTC' })),
  };
}

/** The delivery times of a target, on the wall clock as the machine knows it. */
function restartsOf(
  { restarts, life }: Ledger,
  target: Target,
  { elapsed, wall }: Moment,
  without?: string,
): number[] {
  const all = restarts.get(keyOf(target)) ?? [];
  return all
    .filter(({ id }) => id !== without)
    .map((restart) =>
      restart.life === life ? Math.floor(wall - (elapsed - restart.elapsed)) : restart.wall,
    );
}

import semver from 'semver';
import { isNewer, judge, parsed } from './judge.ts';

/*
 * The rows of the decision table that decide about a machine, once more, as slowly and as plainly as
 * possible: it shares no code with the product, and reads versions by semver.
 */

interface Entry {
  readonly version: string;
  readonly publishedAt?: number | undefined;
  readonly artifacts?:
    readonly { readonly platform: string; readonly digest?: string | undefined }[] | undefined;
  readonly yanked?: string | undefined;
}

export interface JudgedModule {
  readonly constraint: string;
  /** `null` when nothing is deployed, undefined when it is not known. */
  readonly deployed: string | null | undefined;
  readonly previous: string | undefined;
  /** Undefined without a list. */
  readonly list: readonly Entry[] | undefined;
  /** Of a saved list that stands in. */
  readonly confirmedAt: number | undefined;
  readonly quarantine: readonly { readonly version: string; readonly until?: number | undefined }[];
  readonly restarts: readonly number[];
  readonly terms: JudgedTerms;
}

export interface JudgedTerms {
  readonly minimumAge: { readonly ms: number; readonly unknown: 'refuse' | 'allow' };
  readonly allowDowngrade: boolean;
  /** When it is open; undefined for at all times. */
  readonly openings: readonly (readonly [number, number])[] | undefined;
  readonly restMs: number;
  readonly ceiling: number;
  readonly maxIndexAgeMs: number;
}

export interface JudgedMachine {
  readonly now: number;
  readonly platform: string;
  readonly isAsOf: boolean;
  readonly isServerBusy: boolean;
  readonly answer: string | undefined;
  readonly isDisabled: boolean;
}

const DAY = 86_400_000;

/** `upgrade 1.2.9`, `hold upgrade 1.2.9`, `ahead`, `stuck no-match`. */
export function planJudge(machine: JudgedMachine, module: JudgedModule): string {
  const { deployed, list, confirmedAt, terms } = module;
  if (machine.isDisabled) return 'disabled';
  if (deployed === undefined) return 'stuck deployed-unknown';
  if (list === undefined) return 'stuck no-list';
  // A time far ahead is that of a clock that was wrong.
  const age = confirmedAt === undefined ? 0 : Math.abs(machine.now - confirmedAt);
  const isTooOld = age > terms.maxIndexAgeMs;
  if (isTooOld) return 'stuck list-stale';
  const { chosen, refused } = verdictOn(machine, module);
  const pinned = isPin(module.constraint);
  const isVersion = deployed !== null && isStrict(deployed);
  const isFailed = module.quarantine.some(
    ({ version, until = Infinity }) => version === deployed && machine.now < until,
  );
  const isIn = isVersion && isInBranch(module.constraint, deployed);
  if (isVersion && isFailed) {
    // It ran here, so its age does not count.
    const mayRun = refused.filter(({ reason }) =>
      ['older', 'too-young', 'unknown-age'].includes(reason),
    );
    const eligible = [chosen, ...mayRun.map(({ text }) => text)];
    const back = eligible.find((text) => text !== undefined && text === module.previous) ?? chosen;
    if (back !== undefined) return `rollback ${back}`;
    if (pinned && isIn) return 'stuck quarantined';
  }
  if (deployed !== null && !isVersion && !pinned) return 'ahead';
  if (chosen === undefined) return nothingEligible(module, refused, isIn);
  if (!isVersion) return due(machine, module, deployed === null ? 'install' : 'upgrade', chosen);
  if (pinned ? isIn : semver.compare(deployed, chosen) === 0) return 'up-to-date';
  const isLower = isNewer(chosen, deployed);
  if (!isLower && isIn) return 'ahead';
  return due(machine, module, isLower ? 'upgrade' : 'downgrade', chosen);
}

/** What an independent reading of the table chooses and refuses. */
export function verdictOn(
  { now, platform, isAsOf }: JudgedMachine,
  { constraint, list = [], quarantine, terms: { minimumAge } }: JudgedModule,
): ReturnType<typeof judge> {
  return judge(constraint, list, {
    now,
    platform,
    quarantine,
    notAfter: isAsOf ? now : undefined,
    minimumAge: minimumAge.ms === 0 ? undefined : minimumAge,
  });
}

function nothingEligible(
  { constraint }: JudgedModule,
  refused: readonly { readonly text: string; readonly reason: string }[],
  isIn: boolean,
): string {
  if (!isPin(constraint)) return isIn ? 'ahead' : 'stuck no-match';
  const meant = refused.filter(
    ({ text, reason }) =>
      reason !== 'other-version' && isStrict(text) && isInBranch(constraint, text),
  );
  const exact = meant.find(({ text }) => text === constraint);
  const [newest] = meant.toSorted((a, b) => (isNewer(a.text, b.text) ? -1 : 1));
  const pin = exact ?? newest;
  if (!pin) return isIn ? 'up-to-date' : 'stuck pin-not-published';
  return isIn ? 'ahead' : `stuck ${pin.reason}`;
}

function due(machine: JudgedMachine, module: JudgedModule, direction: string, to: string): string {
  const { terms, restarts } = module;
  const { now } = machine;
  const isOpen = terms.openings?.some(([start, end]) => start <= now && now < end) ?? true;
  const isAllowed = machine.answer === undefined || machine.answer === 'allowed';
  // What lies further ahead than the term is that of a clock that was wrong.
  const today = restarts.filter((at) => at > now - DAY && at <= now + DAY).length;
  const isHeld =
    (direction !== 'install' && !(isOpen && isAllowed)) ||
    (direction === 'downgrade' && !terms.allowDowngrade) ||
    machine.isServerBusy ||
    restarts.some((at) => at <= now + terms.restMs && now < at + terms.restMs) ||
    today >= terms.ceiling;
  return isHeld ? `hold ${direction} ${to}` : `${direction} ${to}`;
}

export function isPin(constraint: string): boolean {
  return isStrict(constraint);
}

/** Whether the numbers of the constraint allow `version`; of a pin without a build, any build of it. */
export function isInBranch(constraint: string, version: string): boolean {
  if (constraint.startsWith('latest')) return true;
  if (isPin(constraint)) {
    return constraint.includes('+') ? version === constraint : version.split('+')[0] === constraint;
  }
  const wanted = constraint.split('.').filter((part) => part !== '*');
  return wanted.every((part, place) => version.split('.')[place] === part);
}

// semver.valid strips a leading "v" or "=" and blanks.
function isStrict(text: string): boolean {
  return parsed(text) !== null && /^\d\S*$/.test(text);
}

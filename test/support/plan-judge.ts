import semver from 'semver';
import { judge } from './judge.ts';
import type { JudgedEntry } from './judged-entry.ts';
import { lowestFloor } from './judged-floors.ts';
import type { JudgedMachine, JudgedModule, JudgedVeto, JudgedTerms } from './judged-machine.ts';
import { isNewer, parsed } from './judged-versions.ts';

/*
 * A second, deliberately simple implementation of the decision-table rows for a deployed module. It shares no code with
 * the product, and parses versions with semver.
 */

const DAY = 86_400_000;
const HOUR = DAY / 24;

/** The reasons against a release that do not matter if it was deployed before. */
export const ALLOWED_BEFORE: readonly string[] = [
  'older',
  'too-young',
  'unknown-age',
  'not-in-rollout',
  'rollout-halted',
  'rollout-unconfirmed',
  'behind-floor',
  'deprecated',
];

/** The expected decision: `upgrade 1.2.9`, `hold upgrade 1.2.9`, `restart 1.2.3`, `ahead`, `stuck no-match`. */
export function planJudge(machine: JudgedMachine, module: JudgedModule): string {
  const word = withoutRequest(machine, module);
  const { request, deployed } = module;
  const isWaiting = word === 'up-to-date' || word === 'ahead' || word.startsWith('hold ');
  const isRunning =
    typeof deployed === 'string' &&
    (isStrict(deployed) || (module.isSubsystem === true && isAddress(deployed)));
  if (!request || !isWaiting || !isRunning) return word;
  // Only the maintenance window, its answer and a busy server hold a restart, and not one that must be made at once.
  const isHeld =
    (machine.isServerBusy && module.isOverdue !== true) || !isMaintained(machine, module);
  const mayRestart = request.isImmediate || !isHeld;
  if (mayRestart && !isHeldByOperator(machine, module)) return `restart ${deployed}`;
  return word.startsWith('hold ') ? word : `hold restart ${deployed}`;
}

/** Refusals of a floor that end without anybody's help. */
const WAITING: ReadonlySet<string> = new Set([
  'too-young',
  'not-yet-published',
  'not-in-rollout',
  'rollout-halted',
  'rollout-unconfirmed',
]);

function withoutRequest(machine: JudgedMachine, module: JudgedModule): string {
  const word = withoutFloors(machine, module);
  const { list, deployed, clock } = module;
  const isMoved = /^(hold )?(install|upgrade|rollback) /.test(word);
  const isDecided = !/^(disabled|stuck (no-list|list-stale|deployed-unknown))/.test(word);
  if (isMoved || !isDecided || !list || typeof deployed !== 'string' || !isStrict(deployed)) {
    return word;
  }
  const { refused } = verdictOn(machine, module);
  const floor = floorOn(machine, module);
  const against = refused.find(({ text }) => text === floor)?.reason;
  const isBlocking = refused.some(({ reason }) => reason === 'behind-floor');
  if (against === undefined || against === 'older' || !isBlocking) return word;
  const isUncertain = against === 'unknown-age' && hasTime(list, floor) && clock !== undefined;
  const isWaiting = WAITING.has(against) || isUncertain;
  if (!isWaiting) return 'stuck behind-floor';
  return /^(hold )?downgrade /.test(word) ? 'ahead' : word;
}

function hasTime(list: readonly JudgedEntry[], floor: string | undefined): boolean {
  return list.some(({ version, publishedAt }) => version === floor && publishedAt !== undefined);
}

function withoutFloors(machine: JudgedMachine, module: JudgedModule): string {
  const { deployed, failed, list, confirmedAt, terms } = module;
  if (machine.isDisabled) return 'disabled';
  if (isAddress(module.constraint)) return forAddress(machine, module);
  if (deployed === undefined && failed === undefined) return 'stuck deployed-unknown';
  if (list === undefined) return 'stuck no-list';
  const age = confirmedAt === undefined ? 0 : machine.now - confirmedAt;
  // A time in the future was recorded by a wrong clock, beyond the step of a synchronized one.
  const isTooOld = age > terms.maxIndexAgeMs || age < -300_000;
  if (isTooOld) return 'stuck list-stale';
  const { chosen, refused } = verdictOn(machine, module);
  const pinned = isPin(module.constraint);
  const isVersion = typeof deployed === 'string' && isStrict(deployed);
  // A failed release is recovered from, whatever is deployed.
  const suspect = [isVersion ? deployed : undefined, failed].find((text) =>
    module.quarantine.some(
      ({ version, until = Infinity }) => version === text && machine.now < until,
    ),
  );
  const isFailed = suspect !== undefined;
  const isIn = isVersion && isInBranch(module.constraint, deployed);
  if (isFailed) {
    // An age limit does not apply to a version that has already run here, nor does a rollout.
    const worked = module.quarantine.filter(({ isElsewhere }) => isElsewhere);
    // Nor does what it requires.
    const before = verdictOn({ ...machine, modules: undefined, has: undefined }, module);
    const mayRun = before.refused.filter(
      ({ reason, text }) =>
        ALLOWED_BEFORE.includes(reason) ||
        (reason === 'quarantined' && worked.some(({ version }) => version === text)),
    );
    const eligible = [before.chosen, ...mayRun.map(({ text }) => text)];
    const back = eligible.find((text) => text !== undefined && text === module.previous) ?? chosen;
    // If a version that may run is deployed, nothing is left to recover from.
    const isRecovered = typeof deployed === 'string' && eligible.includes(deployed);
    if (back !== undefined && !isRecovered) return `rollback ${back}`;
    if (back === undefined && pinned && isInBranch(module.constraint, suspect))
      return 'stuck quarantined';
  }
  if (deployed === undefined && !isFailed) return 'stuck deployed-unknown';
  // The address of an earlier `pin_url` is outside every branch.
  const isText =
    typeof deployed === 'string' &&
    !isVersion &&
    !(module.isSubsystem === true && isAddress(deployed));
  if (isText && !pinned && !isFailed) return 'ahead';
  if (chosen === undefined)
    return nothingEligible(module, refused, { isIn, isFailed: suspect === deployed });
  if (!isVersion) return due(machine, module, deployed === null ? 'install' : 'upgrade', chosen);
  const isYanked = list.some(({ version, yanked }) => version === deployed && yanked !== undefined);
  const mustGo = isYanked && terms.replacesYanked && !pinned;
  if (!mustGo && (pinned ? isIn : semver.compare(deployed, chosen) === 0)) return 'up-to-date';
  const isLower = isNewer(chosen, deployed);
  if (!mustGo && !isLower && isIn) return 'ahead';
  return due(machine, module, isLower ? 'upgrade' : 'downgrade', chosen);
}

/** An address is compared with the deployed one only. */
function forAddress(machine: JudgedMachine, module: JudgedModule): string {
  const { deployed, constraint } = module;
  if (deployed === undefined) return 'stuck deployed-unknown';
  if (deployed === constraint) return 'up-to-date';
  return due(machine, module, deployed === null ? 'install' : 'upgrade', constraint);
}

/** The chosen and the refused releases of a module. */
export function verdictOn(
  { now, platform, machineId, group, isAsOf, modules, tags = [], has }: JudgedMachine,
  { constraint, list = [], quarantine, deployed, ...module }: JudgedModule,
): ReturnType<typeof judge> {
  const { minimumAge, requireDigest, refuse } = module.terms;
  const hasAge = Math.max(minimumAge.ms, ...Object.values(minimumAge.byStep ?? {})) > 0;
  const confirmedAt = module.confirmedAt ?? module.readAt;
  const from = deployed === undefined ? module.failed : deployed;
  const terms = {
    now,
    platform,
    quarantine,
    clock: module.clock,
    rollouts: { machineId, group, confirmedAt, deployed: deployed ?? undefined },
    download: { requireDigest, allowHttp: [] },
    has: modules
      ? { deployed: new Map(modules.map((one, place) => [`acme:m${place}`, [one.deployed]])), tags }
      : has,
    notAfter: isAsOf ? now : undefined,
    minimumAge: hasAge ? minimumAge : undefined,
    refuse,
    deployed: typeof deployed === 'string' && isStrict(deployed) ? deployed : undefined,
    firstSeen: module.firstSeen,
  };
  const deployedVersion = typeof from === 'string' && isStrict(from) ? { text: from } : undefined;
  const skipped = module.skipped?.map((version) => ({ version }));
  const verdict = judge(constraint, list, {
    ...terms,
    floors: { deployed: deployedVersion, skipped },
  });
  // A machine that may have nothing gets a version.
  const isStranded = verdict.chosen === undefined && deployed === undefined;
  return isStranded ? judge(constraint, list, terms) : verdict;
}

/** The floor that the machine has to run next. */
export function floorOn(
  { now }: JudgedMachine,
  { constraint, list = [], quarantine, deployed, skipped = [] }: JudgedModule,
): string | undefined {
  if (typeof deployed !== 'string' || !isStrict(deployed)) return undefined;
  const readable = list.filter(({ version }) => isStrict(version));
  const floors = { deployed: { text: deployed }, skipped: skipped.map((version) => ({ version })) };
  return lowestFloor(constraint, readable, { now, quarantine, floors });
}

function nothingEligible(
  { constraint, deployed }: JudgedModule,
  refused: readonly { readonly text: string; readonly reason: string }[],
  { isIn, isFailed }: { readonly isIn: boolean; readonly isFailed: boolean },
): string {
  if (!isPin(constraint)) return isIn ? 'ahead' : 'stuck no-match';
  const pin = refused.find(({ text }) => text === constraint);
  // A build of a pin that is not published stays, unless it failed.
  const isBuild =
    !isFailed && typeof deployed === 'string' && deployed.startsWith(`${constraint}+`);
  if (!pin) return isIn || isBuild ? 'up-to-date' : 'stuck pin-not-published';
  return isIn ? 'ahead' : `stuck ${pin.reason}`;
}

function due(machine: JudgedMachine, module: JudgedModule, direction: string, to: string): string {
  const { terms, restarts } = module;
  const { now } = machine;
  const isForbidden =
    isHeldByOperator(machine, module) || (direction === 'downgrade' && !terms.allowDowngrade);
  if (isWished(machine, module, to)) {
    // Nobody knows what must not be stopped.
    const isUnasked = machine.answer === 'failed' || machine.answer === 'timed-out';
    const isVetoed = vetoesAgainst(module).some(({ isNamed }) => !isNamed);
    const mayNot = isForbidden || (direction !== 'install' && (isUnasked || isVetoed));
    return mayNot ? `hold ${direction} ${to}` : `${direction} ${to}`;
  }
  // A time more than a day ahead was recorded by a wrong clock.
  const today = restarts.filter((at) => at > now - DAY && at <= now + DAY).length;
  const isHeld =
    isForbidden ||
    (direction !== 'install' && !isMaintained(machine, module)) ||
    (machine.isServerBusy && module.isOverdue !== true) ||
    restarts.some((at) => at <= now + terms.restMs && now < at + terms.restMs) ||
    today >= terms.ceiling;
  return isHeld ? `hold ${direction} ${to}` : `${direction} ${to}`;
}

/** Whether an operator requested exactly this replacement at once, within the last hour. */
export function isWished({ now }: JudgedMachine, module: JudgedModule, to: string): boolean {
  const { wish, deployed } = module;
  if (!wish || (wish.from ?? undefined) !== (deployed ?? undefined) || wish.to !== to) return false;
  return Math.abs(now - wish.at) < HOUR;
}

/** Whether an operator holds it; a clock that was set back ends nothing. */
function isHeldByOperator({ now }: JudgedMachine, { hold }: JudgedModule): boolean {
  return hold !== undefined && Math.max(0, now - hold.from) < hold.ms;
}

/** Whether the window is open, and the agent and all that would stop allow it. */
function isMaintained({ now, answer }: JudgedMachine, module: JudgedModule): boolean {
  const isOver = answer === 'not-allowed' && module.isOverdue === true;
  const isAllowed = isOver || (answer ?? 'allowed') === 'allowed';
  return isOpenAt(now, module.terms) && isAllowed && vetoesAgainst(module).length === 0;
}

function vetoesAgainst({ vetoes = [], isOverdue }: JudgedModule): readonly JudgedVeto[] {
  return vetoes.filter(({ isOverridable }) => !(isOverridable && isOverdue === true));
}

/** Whether a window is open, or there is none, and no blackout lasts. */
export function isOpenAt(now: number, { openings, blackouts = [] }: JudgedTerms): boolean {
  if (blackouts.some(({ from, until }) => from <= now && now < until)) return false;
  return openings?.some(([start, end]) => start <= now && now < end) ?? true;
}

export function isPin(constraint: string): boolean {
  return isStrict(constraint) || isAddress(constraint);
}

export function isAddress(text: string): boolean {
  return text.startsWith('https://');
}

/** Whether `version` is in the branch of the constraint. A pin without build metadata allows any build. */
export function isInBranch(constraint: string, version: string): boolean {
  if (constraint.startsWith('latest')) return true;
  if (isPin(constraint)) return version === constraint;
  const wanted = constraint.split('.').filter((part) => part !== '*');
  return wanted.every((part, place) => version.split('.')[place] === part);
}

// semver.valid strips a leading "v" or "=" and blanks.
function isStrict(text: string): boolean {
  return parsed(text) !== null && /^\d\S*$/.test(text);
}

/** Whether a version is in quarantine. */
export function inForce(
  { now }: JudgedMachine,
  { quarantine }: JudgedModule,
  version: string,
): boolean {
  return quarantine.some((entry) => entry.version === version && now < (entry.until ?? Infinity));
}

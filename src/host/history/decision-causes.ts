import { compareVersions, parseVersion, type DecideInput } from '../../core/index.ts';
import {
  inBlackout,
  restartCeiling,
  restartCooldown,
  type TimingPolicy,
} from '../../core/decision/timing-policies.ts';
import { confirmedAtOf } from '../../core/decision/confirmed-at.ts';
import { describeAddress } from '../../core/explanation/decision-words.ts';
import { requestedRestart, whoWords } from '../../core/explanation/requester-words.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { isTooOld } from '../../core/releases/list-age.ts';
import { CONFIRMED_WITHIN_MS } from '../../core/releases/rollout-refusal.ts';
import { haveSameFacts } from '../../store/facts.ts';
import type { PastDecision, RecordedDecision } from '../../store/decision-history.ts';
import { NO_RELEASES, restoredInput } from '../restored-input.ts';

/** Two consecutive decisions about a target: the last facts of one, and the first facts of the next. */
interface Change {
  readonly before: DecideInput;
  readonly after: DecideInput;
  readonly from: RecordedDecision;
  readonly to: RecordedDecision;
}

/**
 * What made `after` replace `before`, in words, as far as their facts show it. Only what differs between the last plan
 * with the one decision and the first plan with the other counts. Empty if nothing is certain.
 */
export function causesOf(before: PastDecision, after: PastDecision): readonly string[] {
  const [from, to] = [before.last, after.first];
  if (from.moduleId !== to.moduleId) return ['the entry names another module'];
  const [one, other] = [from, to].map(({ facts }) => restoredInput(facts, NO_RELEASES));
  if (!one?.ok || !other?.ok) return [];
  const change = { before: one.value, after: other.value, from, to };
  const causes = CAUSES.flatMap((cause) => cause(change));
  if (causes.length > 0) return causes;
  const ended = endedConfirmation(change);
  return ended.length > 0 ? ended : agedRelease(change);
}

type Cause = (change: Change) => readonly string[];

const changedConstraint: Cause = ({ from, to }) => {
  if (from.constraint === to.constraint) return [];
  return [`the constraint changed from ${from.constraint ?? 'none'} to ${to.constraint ?? 'none'}`];
};

/** The terms of the policy in an input, by the name of their field. */
const TERMS: Readonly<Record<string, (input: DecideInput) => unknown>> = {
  minimum_release_age: ({ eligibility: { minimumAge } }) =>
    minimumAge && { ms: minimumAge.ms, unknown: minimumAge.unknown },
  minimum_release_age_by_step: ({ eligibility }) => eligibility.minimumAge?.byStep,
  age_exempt: ({ eligibility }) => eligibility.minimumAge?.exempt,
  age_after_yank: ({ eligibility }) => eligibility.minimumAge?.afterYank,
  refuse: ({ eligibility }) => eligibility.refuse,
  'unknown fields': ({ timing }) => timing.unknownFields,
  maintenance: ({ timing }) => timing.window?.windows,
  blackout: ({ timing }) => timing.blackouts,
  allow_downgrade: ({ allowDowngrade }) => allowDowngrade,
  on_yank: ({ onYank }) => onYank,
  require_digest: ({ eligibility }) => eligibility.artifactRules?.requireDigest,
  allow_http: ({ eligibility }) => eligibility.artifactRules?.allowHttp,
  restart_cooldown: ({ timing }) => timing.restartCooldownMs,
  restart_ceiling: ({ timing }) => timing.restartCeiling,
  max_index_age: ({ maxIndexAgeMs }) => maxIndexAgeMs,
};

const changedPolicy: Cause = ({ before, after, from, to }) => {
  const terms = Object.entries(TERMS).flatMap(([name, term]) =>
    haveSameFacts(term(before), term(after)) ? [] : [name],
  );
  const names = hasChangedTrust(before, after) ? [signersOf(to), ...terms] : terms;
  const isMoved = from.list && to.list && from.list.address !== to.list.address;
  const all = isMoved ? ['registry', ...names] : names;
  return all.length === 0 ? [] : [`the policy changed: ${all.join(', ')}`];
};

/** The term that says who has to sign a list: the keys of an npm registry, else a trust document (D200). */
function signersOf({ list }: Change['to']): string {
  return list?.address.startsWith('npm:') ? 'npm_keys' : 'trust';
}

/** Whether only one of two lists had its signatures checked (D133). */
function hasChangedTrust({ list: before }: DecideInput, { list: after }: DecideInput): boolean {
  if ('error' in before || 'error' in after) return false;
  return (before.trust === undefined) !== (after.trust === undefined);
}

const deployedVersion: Cause = ({ from, to }) => {
  if (from.deployed === to.deployed) return [];
  if (to.deployed === 'none') return ['nothing is deployed any more'];
  if (to.deployed === 'unknown') return ['the deployed version is not known any more'];
  return [`${to.deployed} was deployed`];
};

/** What of the machine its releases require, if that is not the same any more (D87). */
const required: Cause = ({ before, after }) => {
  const then = before.eligibility.machine?.asked?.deployed;
  return Array.from(after.eligibility.machine?.asked?.deployed ?? []).flatMap(([of, now]) => {
    const known = then?.get(of);
    if (known === undefined || haveSameFacts(known, now)) return [];
    const texts = now.map((one) =>
      'text' in one ? excerpt(String(one.text)) : 'no known version',
    );
    return [
      `what its releases require changed: ${excerpt(of)} is ${texts.join(' and ') || 'absent'}`,
    ];
  });
};

const quarantine: Cause = ({ before, after }) => {
  const known = new Set(before.quarantine.map(keyOf));
  const kept = new Set(after.quarantine.map(({ version }) => version));
  const [then, now] = [before.eligibility.now, after.eligibility.now];
  return [
    ...after.quarantine.filter((entry) => !known.has(keyOf(entry))).map(failureWords),
    ...after.quarantine.flatMap(({ version, retry }) =>
      retry !== undefined && retry !== retryOf(version, before)
        ? [`the entry was edited since ${version} failed`]
        : [],
    ),
    ...before.quarantine.flatMap(({ version, until = Infinity }) => {
      if (!kept.has(version)) return [`the quarantine of ${version} was lifted`];
      return then < until && until <= now ? [`the quarantine of ${version} ended`] : [];
    }),
  ];
};

function retryOf(version: string, { quarantine: all }: DecideInput): number | undefined {
  return all.find((entry) => entry.version === version)?.retry;
}

const restartRequest: Cause = ({ before, after }) => {
  const [was, is] = [before.restartRequest, after.restartRequest];
  if (is && !haveSameFacts(was, is)) return [requestedRestart(is)];
  return was && !is ? ['the request of a restart ended'] : [];
};

/** Who requested it at once and why is in the reason of the decision (D76). */
const upgradeRequest: Cause = ({ before, after }) => {
  const [was, is] = [before.upgradeRequest, after.upgradeRequest];
  if (is && !haveSameFacts(was, is)) {
    const to = describeAddress(is.to);
    return [`${excerpt(is.by)} requested ${to} at once`];
  }
  return was && !is ? [`the request of ${excerpt(was.by)} ended`] : [];
};

/** Who lets the machine pass a floor, and why (D92). */
const skippedFloors: Cause = ({ before, after }) => {
  const [were, are] = [before.skippedFloors ?? [], after.skippedFloors ?? []];
  const notIn = (skips: typeof were, known: typeof were): typeof were =>
    skips.filter(({ version }) => !known.some((one) => one.version === version));
  return [
    ...notIn(are, were).map(({ version, by, because }) => {
      const why = because === undefined ? '' : `: ${quote(because)}`;
      return `${excerpt(by)} skipped floor ${excerpt(version)}${why}`;
    }),
    ...notIn(were, are).map(({ version }) => `floor ${excerpt(version)} counts again`),
  ];
};

/** Why an operator holds it is in the reason of the decision. */
const operatorHolds: Cause = ({ before, after }) => {
  const [were, are] = [before.timing.operatorHolds ?? [], after.timing.operatorHolds ?? []];
  const others = (holds: typeof were, known: typeof were): typeof were =>
    holds.filter((hold) => !known.some(({ of, since }) => of === hold.of && since === hold.since));
  const said = ({ of, by }: (typeof were)[number]): string =>
    `${of === 'machine' ? 'the hold of the machine' : 'the hold'} by ${excerpt(by)}`;
  return [
    ...others(are, were).map((hold) => `${said(hold)} began`),
    ...others(were, are).map((hold) => `${said(hold)} ended`),
  ];
};

type Quarantined = DecideInput['quarantine'][number];

/** A version that fails again has a new term. */
function keyOf({ version, until, digest, rolledBack }: Quarantined): string {
  return JSON.stringify([version, until, digest, rolledBack?.to?.text]);
}

/** Why it failed is in the reason of the decision. */
function failureWords({ version, rolledBack, byOperator }: Quarantined): string {
  if (byOperator) return `an operator refused ${version}`;
  return rolledBack
    ? `${whoWords(rolledBack.requester)} rolled ${version} back`
    : `${version} failed`;
}

const releaseList: Cause = ({ before, after, from, to }) => {
  const [had, has] = ['index' in before.list, 'index' in after.list];
  if (had !== has) return [`the release list ${has ? 'could' : 'could not'} be read`];
  if (!from.list || !to.list || from.list.address !== to.list.address) return [];
  if (from.list.digest === to.list.digest) return [];
  return [
    isNewer(to.newest, from.newest) ? `${to.newest} was published` : 'the release list changed',
  ];
};

function isNewer(one: string | undefined, other: string | undefined): boolean {
  const [newer, older] = [parseVersion(one), parseVersion(other)];
  return (
    newer.ok && (other === undefined || (older.ok && compareVersions(newer.value, older.value) > 0))
  );
}

const staleList: Cause = ({ before, after }) => {
  const [was, is] = [before, after].map(({ list }) => ('stale' in list ? list.stale : undefined));
  if (was && !is) return 'index' in after.list ? ['the registry confirmed the list again'] : [];
  if (!is) return [];
  if (!was) return 'index' in before.list ? ['the registry could not confirm the list'] : [];
  const isRefused = ({ eligibility, maxIndexAgeMs }: DecideInput): boolean =>
    isTooOld(is.confirmedAt, eligibility.now, maxIndexAgeMs);
  return isRefused(after) && !isRefused(before) ? ['the saved list became too old'] : [];
};

const maintenanceAnswer: Cause = ({ before, after }) => {
  const [was, is] = [before.timing.answer, after.timing.answer];
  if (is === undefined || was === is) return [];
  if (is !== 'allowed') return ['the agent did not allow maintenance'];
  return was === undefined ? [] : ['the agent allowed maintenance'];
};

const busyServer: Cause = ({ before, after }) => {
  const [was, is] = [before.timing.isServerBusy, after.timing.isServerBusy];
  if (was === is) return [];
  return [`the server ${is ? 'began to process' : 'has processed'} config changes`];
};

/** The passing of time, judged by the terms before it. It matters only if it began or ended a hold. */
const time: Cause = ({ before: { timing, eligibility }, after, from, to }) => {
  const [then, { now }] = [eligibility.now, after.eligibility];
  const [wasHeld, isHeld] = [from, to].map(({ decision }) => decision === 'hold');
  const [wasOpen, isOpen] = [then, now].map((at) => timing.window?.openSince(at) !== undefined);
  const ended = (policy: TimingPolicy): boolean =>
    wasHeld === true && policy(timing, then) !== undefined && policy(timing, now) === undefined;
  const isNewlyHeld = isHeld && DUE.has(from.decision);
  const isClosed = isNewlyHeld && wasOpen && !isOpen;
  const isBlackout = isNewlyHeld && !inBlackout(timing, then) && inBlackout(timing, now);
  const { longestHoldEnd = Infinity } = timing;
  const isLongest = wasHeld && then < longestHoldEnd && longestHoldEnd <= now;
  const isRestarted = isHeld && after.timing.restarts.length > timing.restarts.length;
  return [
    ...(ended(inBlackout) ? ['the blackout ended'] : []),
    ...(isBlackout ? ['a blackout began'] : []),
    ...(wasHeld && !wasOpen && isOpen ? ['the maintenance window opened'] : []),
    ...(isClosed ? ['the maintenance window closed'] : []),
    ...(ended(restartCooldown) ? ['the restart cooldown ended'] : []),
    ...(ended(restartCeiling) ? ['another restart is allowed'] : []),
    ...(isLongest ? ['it had been held for longest_hold'] : []),
    ...(isRestarted ? ['an action was begun, which counts as a restart'] : []),
  ];
};

const DUE: ReadonlySet<string> = new Set([
  'install',
  'upgrade',
  'downgrade',
  'rollback',
  'restart',
]);

const CAUSES: readonly Cause[] = [
  changedConstraint,
  changedPolicy,
  deployedVersion,
  required,
  quarantine,
  restartRequest,
  skippedFloors,
  upgradeRequest,
  operatorHolds,
  releaseList,
  staleList,
  maintenanceAnswer,
  busyServer,
  time,
];

/** Another target although nothing else has changed: a release in rollout needs a list that was confirmed in the last hour (D51). */
const endedConfirmation: Cause = ({ before, after, from, to }) => {
  const [wasConfirmed, isConfirmed] = [before, after].map(hasRecentList);
  if (!wasConfirmed || isConfirmed || from.target === to.target) return [];
  return ['the list was not confirmed for an hour, which a release in rollout needs'];
};

function hasRecentList({ list, eligibility: { now } }: DecideInput): boolean {
  const confirmedAt = 'index' in list ? confirmedAtOf(list) : undefined;
  return confirmedAt === undefined || !isTooOld(confirmedAt, now, CONFIRMED_WITHIN_MS);
}

/** A decision depends on its input alone. If only the time differs and nothing else has ended, a release became old enough. */
const agedRelease: Cause = ({ before, after, from, to }) => {
  const isSame = haveSameFacts(before, after) && haveSameFacts(from.list, to.list);
  if (!isSame || !before.eligibility.minimumAge || from.target === to.target) return [];
  return to.target === undefined ? [] : [`${to.target} reached the minimum age`];
};

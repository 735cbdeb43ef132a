import semver from 'semver';
import { branchReasons } from './judged-branch.ts';
import type { JudgedEntry } from './judged-entry.ts';
import {
  fileFor,
  fits,
  hasConflict,
  isTrusted,
  ordered,
  type JudgedDownload,
} from './judged-files.ts';
import { lowestFloor, type JudgedFloors } from './judged-floors.ts';
import { lacks, type JudgedMachineParts } from './judged-requirements.ts';
import { rolloutReason, type JudgedRollouts } from './judged-rollouts.ts';
import { ageFor, covers, deployedIn, type JudgedAge, type JudgedRefusal } from './judged-terms.ts';
import { isNewer, isStrict, parsed } from './judged-versions.ts';

/*
 * A second, deliberately simple implementation of the decision table. It shares no code with the product, and parses
 * versions with semver. It ignores digests in a quarantine.
 */

/** A clock that a registry corrects, or one of which only an earlier time is certain. (D57) */
export type JudgedClock =
  | { readonly kind: 'wrong'; readonly aheadMs: number }
  | { readonly kind: 'unsynchronized' | 'distrusted'; readonly certainAt?: number | undefined };

interface Terms {
  readonly now: number;
  readonly platform?: string | undefined;
  readonly quarantine?:
    readonly { readonly version: string; readonly until?: number | undefined }[] | undefined;
  readonly minimumAge?: JudgedAge | undefined;
  /** What the site refuses: `1.2.7`, `1.3.*` or `1.*`. (D94) */
  readonly refuse?: readonly (string | JudgedRefusal)[] | undefined;
  /** The text of the deployed version, if it is one. (D96, D97) */
  readonly deployed?: string | { readonly text: string } | undefined;
  /** What is wrong with the clock that says `now`. */
  readonly clock?: JudgedClock | undefined;
  readonly notAfter?: number | undefined;
  /** Set if rollouts count. */
  readonly rollouts?: JudgedRollouts | undefined;
  /** Set if requirements count. (D86) */
  readonly has?: JudgedMachineParts | undefined;
  /** Set if floors count. */
  readonly floors?: JudgedFloors | undefined;
  /** Set if files are downloaded to a machine. */
  readonly download?: JudgedDownload;
  readonly firstSeen?:
    | {
        readonly since: number;
        readonly added: ReadonlyMap<string, { readonly after: number; readonly at: number }>;
      }
    | undefined;
}

interface Verdict {
  readonly text: string;
  readonly reason: string;
}

/** The chosen version, and the reason against every other entry, in no particular order. */
export function judge(
  constraint: string,
  records: readonly JudgedEntry[],
  eligibility: Terms,
): { readonly chosen: string | undefined; readonly refused: Verdict[] } {
  const readable = records.filter(({ version }) => parsed(version) !== null && isStrict(version));
  const unreadable = records.filter((record) => !readable.includes(record));
  const texts = [...new Set(readable.map(({ version }) => version))];
  const refused = unreadable.map(({ version }) => ({ text: version, reason: 'not-a-version' }));
  const eligible: string[] = [];
  for (const text of texts) {
    const duplicates = readable.filter(({ version }) => version === text);
    const reason = firstReason(constraint, duplicates, eligibility);
    if (reason === undefined) eligible.push(text);
    else refused.push({ text, reason });
  }
  const floor = lowestFloor(constraint, readable, eligibility);
  const isBehind = (text: string): boolean =>
    floor !== undefined && semver.compare(text, floor) > 0;
  refused.push(...eligible.filter(isBehind).map((text) => ({ text, reason: 'behind-floor' })));
  const open = eligible.filter((text) => !isBehind(text));
  // What has to be run next, in any of its builds, whatever is preferred below it.
  const atFloor = open.filter((text) => floor !== undefined && semver.compare(text, floor) === 0);
  const candidates = atFloor.length > 0 ? atFloor : open;
  const preferred = candidates.filter((text) => {
    const isDeprecated = readable.some(
      ({ version, deprecated }) => version === text && deprecated !== undefined,
    );
    return !isDeprecated && !isLower(text, deployedIn(eligibility));
  });
  const chosen = newestOf(preferred) ?? newestOf(candidates);
  const others = open.filter((text) => text !== chosen);
  const passedOver = others.map((text) => {
    const isBetter = chosen !== undefined && isNewer(text, chosen);
    return { text, reason: isBetter ? 'deprecated' : 'older' };
  });
  return { chosen, refused: [...refused, ...passedOver] };
}

function newestOf(texts: readonly string[]): string | undefined {
  return texts.reduce<string | undefined>(
    (best, text) => (best === undefined || isNewer(text, best) ? text : best),
    undefined,
  );
}

/** Whether `text` has a lower precedence than what is deployed, if that is known. */
function isLower(text: string, deployed: string | undefined): boolean {
  const [one, other] = [parsed(text), deployed === undefined ? null : parsed(deployed)];
  return one !== null && other !== null && semver.compare(one, other) < 0;
}

function firstReason(
  constraint: string,
  duplicates: readonly JudgedEntry[],
  terms: Terms,
): string | undefined {
  const { now, platform, minimumAge, notAfter, download, firstSeen, quarantine = [] } = terms;
  const text = duplicates[0]?.version ?? '';
  const artifacts = duplicates.flatMap((duplicate) => duplicate.artifacts ?? []);
  const isListed = duplicates.some((duplicate) => duplicate.artifacts !== undefined);
  const times = duplicates.flatMap(({ publishedAt }) =>
    publishedAt === undefined ? [] : [publishedAt],
  );
  const claimed = times.length === 0 ? undefined : Math.min(...times);
  const time = claimed === undefined ? undefined : believed(claimed, text, firstSeen);
  // Without a certain time, an age is known only of what was old enough at the last one.
  const { clock = { kind: 'wrong', aheadMs: 0 } } = terms;
  const isCertain = clock.kind === 'wrong';
  const today = clock.kind === 'wrong' ? now - clock.aheadMs : (clock.certainAt ?? -Infinity);
  const age = ageFor(text, terms);
  const isYoung = age !== undefined && time !== undefined && !(today - time >= age || age <= 0);
  const isUnknown = time === undefined || (isYoung && !isCertain);
  const isPin = /^\d+\.\d+\.\d/.test(constraint);
  const reasons: [string, boolean][] = [
    ['conflicting-digest', hasConflict(artifacts)],
    ...branchReasons(constraint, text),
    ['yanked', !isPin && duplicates.some(({ yanked }) => yanked !== undefined)],
    [
      'no-artifact',
      platform !== undefined && isListed && !artifacts.some((a) => fits(a.platform, platform)),
    ],
    [
      'untrusted-artifact',
      platform !== undefined &&
        download !== undefined &&
        !isTrusted(
          fileFor(duplicates.length > 1 ? ordered(artifacts) : artifacts, platform),
          download,
        ),
    ],
    ['refused-by-site', (terms.refuse ?? []).some((form) => covers(form, text))],
    [
      'quarantined',
      quarantine.some(({ version, until = Infinity }) => covers(version, text) && now < until),
    ],
    ['requirement-unmet', text !== terms.rollouts?.deployed && lacks(duplicates, terms.has)],
    ['not-yet-published', notAfter !== undefined && time !== undefined && time > notAfter],
    ['unknown-age', !isPin && age !== undefined && minimumAge?.unknown === 'refuse' && isUnknown],
    ['too-young', !isPin && !isUnknown && isYoung],
  ];
  const first = reasons.find(([, applies]) => applies)?.[0];
  return first ?? (isPin ? undefined : rolloutReason(text, duplicates, terms));
}

/** A publish time outside the span in which the release can have been published is the nearest end of the span. (D34) */
function believed(claimed: number, text: string, firstSeen: Terms['firstSeen']): number {
  if (!firstSeen) return claimed;
  const span = firstSeen.added.get(text);
  if (!span) return claimed > firstSeen.since ? firstSeen.since : claimed;
  if (span.after > span.at || claimed > span.at) return span.at;
  return claimed < span.after ? span.after : claimed;
}

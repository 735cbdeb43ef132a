import { createHash } from 'node:crypto';
import semver from 'semver';
import { ageFor, covers, deployedIn, type JudgedAge, type JudgedRefusal } from './judged-terms.ts';

/*
 * A second, deliberately simple implementation of the decision table. It shares no code with the product, and parses
 * versions with semver. It ignores digests in a quarantine.
 */

interface Entry {
  readonly version: string;
  readonly publishedAt?: number | undefined;
  readonly artifacts?: readonly Artifact[] | undefined;
  readonly yanked?: string | undefined;
  readonly requires?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly floor?: true | undefined;
  readonly deprecated?: string | undefined;
  readonly rollout?:
    | {
        readonly salt: string;
        readonly share: number;
        readonly groups?: readonly string[] | undefined;
        readonly halted?: string | undefined;
      }
    | undefined;
}

interface Artifact {
  readonly platform: string;
  readonly url?: string | undefined;
  readonly digest?: string | undefined;
}

/** A clock that a registry corrects, or one of which only an earlier time is certain. (D57) */
export type JudgedClock =
  | { readonly kind: 'wrong'; readonly aheadMs: number }
  | { readonly kind: 'unsynchronized' | 'distrusted'; readonly certainAt?: number | undefined };

interface JudgedMachineParts {
  readonly deployed: ReadonlyMap<string, readonly (string | null | undefined)[]>;
  readonly tags: readonly string[];
}

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
  readonly rollouts?:
    | {
        readonly machineId?: string | undefined;
        readonly group?: string | undefined;
        readonly confirmedAt?: number | undefined;
        readonly deployed?: string | undefined;
      }
    | undefined;
  /** What is deployed of each module, null for nothing and undefined if it is not known, and the tags of the machine. (D86) */
  readonly has?: JudgedMachineParts | undefined;
  /** Set if floors count. */
  readonly floors?:
    | {
        readonly deployed?: { readonly text: string } | undefined;
        readonly skipped?: readonly { readonly version: string }[] | undefined;
      }
    | undefined;
  /** Set if files are downloaded to a machine. */
  readonly download?: { readonly requireDigest: boolean; readonly allowHttp: readonly string[] };
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
  records: readonly Entry[],
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
  const preferred = open.filter((text) => {
    const isDeprecated = readable.some(
      ({ version, deprecated }) => version === text && deprecated !== undefined,
    );
    return text === floor || (!isDeprecated && !isLower(text, deployedIn(eligibility)));
  });
  const chosen = newestOf(preferred) ?? newestOf(open);
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

/** The first version that has to run before all above it, counted from what is deployed. */
export function lowestFloor(
  constraint: string,
  readable: readonly Entry[],
  { floors, quarantine = [], now }: Terms,
): string | undefined {
  const from = floors?.deployed?.text;
  if (from === undefined || /^\d+\.\d+\.\d/.test(constraint)) return undefined;
  const isBroken = quarantine.some(
    ({ version, until = Infinity }) => version === from && now < until,
  );
  const yanked = readable.filter((entry) => entry.yanked !== undefined);
  const standing = readable
    .filter(({ floor }) => floor === true)
    .map(({ version }) => version)
    .filter((text) => !yanked.some(({ version }) => version === text))
    .filter((text) => floors?.skipped?.some(({ version }) => version === text) !== true)
    .filter((text) => branchReasons(constraint, text).every(([, applies]) => !applies))
    .filter((text) => semver.compare(text, from) > (isBroken ? -1 : 0));
  return standing.toSorted((a, b) => semver.compareBuild(a, b)).at(0);
}

// semver.valid strips a leading "v" or "=" and blanks.
function isStrict(text: string): boolean {
  return /^\d/.test(text) && !/\s/.test(text);
}

export function isNewer(a: string, b: string): boolean {
  const [one, other] = [parsed(a), parsed(b)];
  if (!one || !other) throw new Error(`${a} or ${b} is no version`);
  return (semver.compareBuild(one, other) || (a < b ? -1 : 1)) > 0;
}

/** Cached results of semver: parsing takes longer than everything else here. */
const PARSED: Map<string, semver.SemVer | null> = new Map();
const MOST_PARSED = 20_000;

export function parsed(text: string): semver.SemVer | null {
  const known = PARSED.get(text);
  if (known !== undefined) return known;
  if (PARSED.size >= MOST_PARSED) PARSED.clear();
  const version = semver.parse(text);
  PARSED.set(text, version);
  return version;
}

function firstReason(
  constraint: string,
  duplicates: readonly Entry[],
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

/** Whether the machine lacks anything that an entry of a version requires. */
function lacks(duplicates: readonly Entry[], has: Terms['has']): boolean {
  if (!has) return false;
  return duplicates.some(({ requires = {} }) =>
    Object.entries(requires).some(([of, texts]) =>
      texts.some((text) => {
        if (of === 'tags') return !has.tags.includes(text);
        const deployed = has.deployed.get(of) ?? [];
        const isMet = deployed.every(
          (one) =>
            typeof one === 'string' &&
            isStrict(one) &&
            semver.satisfies(one, text, { includePrerelease: true }),
        );
        return deployed.length === 0 || !isMet;
      }),
    ),
  );
}

const HOUR = 3_600_000;

/** What a rollout says against a release that is not deployed. A halt counts first, then the lowest share. */
function rolloutReason(
  text: string,
  duplicates: readonly Entry[],
  { now, rollouts }: Terms,
): string | undefined {
  const all = duplicates.flatMap(({ rollout }) => rollout ?? []);
  if (!rollouts || all.length === 0 || text === rollouts.deployed) return undefined;
  if (all.some(({ halted }) => halted !== undefined)) return 'rollout-halted';
  const share = Math.min(...all.map((rollout) => rollout.share));
  const salts = all.filter((rollout) => rollout.share === share).map(({ salt }) => salt);
  const [salt = ''] = salts.toSorted();
  const { machineId, group, confirmedAt = now } = rollouts;
  const isIn = share === 1 || (machineId !== undefined && placeOf(machineId, salt) < share);
  if (!isIn && !all.every((rollout) => isOfGroup(group, rollout))) return 'not-in-rollout';
  const age = now - confirmedAt;
  return age > HOUR || age < -HOUR / 12 ? 'rollout-unconfirmed' : undefined;
}

/** Whether a rollout includes the machines of a group. (D107) */
export function isOfGroup(
  group: string | undefined,
  { share, groups = [] }: Pick<NonNullable<Entry['rollout']>, 'share' | 'groups'>,
): boolean {
  return share === 1 || (group !== undefined && groups.indexOf(group) >= 0);
}

/** The first 12 digits of the SHA-256, as a fraction. */
export function placeOf(machineId: string, salt: string): number {
  const digest = createHash('sha256').update(salt).update(Buffer.alloc(1)).update(machineId);
  return Number.parseInt(digest.digest('hex').slice(0, 12), 16) / 16 ** 12;
}

/** A publish time outside the span in which the release can have been published is the nearest end of the span. (D34) */
function believed(claimed: number, text: string, firstSeen: Terms['firstSeen']): number {
  if (!firstSeen) return claimed;
  const span = firstSeen.added.get(text);
  if (!span) return claimed > firstSeen.since ? firstSeen.since : claimed;
  if (span.after > span.at || claimed > span.at) return span.at;
  return claimed < span.after ? span.after : claimed;
}

function branchReasons(constraint: string, text: string): [string, boolean][] {
  const [major, minor] = text.split('.');
  const [wantedMajor, wantedMinor] = constraint.split('.');
  const isPrerelease = (parsed(text)?.prerelease.length ?? 0) > 0;
  if (constraint === 'latest-with-prerelease') return [];
  if (constraint === 'latest') return [['prerelease', isPrerelease]];
  if (constraint.endsWith('*')) {
    return [
      ['other-major', major !== wantedMajor],
      ['other-minor', wantedMinor !== '*' && minor !== wantedMinor],
      ['prerelease', isPrerelease],
    ];
  }
  return [['other-version', text !== constraint]];
}

function fits(published: string, platform: string): boolean {
  const names =
    published === 'any' ? ['any', 'any'] : published.replace('aarch64', 'arm64').split('/');
  return platform
    .split('/')
    .every((half, place) => names[place] === 'any' || names[place] === half);
}

/** The files of several entries, in an order that does not depend on the list. */
function ordered(artifacts: readonly Artifact[]): Artifact[] {
  const textOf = ({ platform, digest, url }: Artifact): string =>
    JSON.stringify([platform, digest, url]);
  return artifacts.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

/** The file for exactly the platform, else the first that fits. */
function fileFor(artifacts: readonly Artifact[], platform: string): Artifact | undefined {
  const fitting = artifacts.filter((file) => fits(file.platform, platform));
  const exact = fitting.find((file) => file.platform.replace('aarch64', 'arm64') === platform);
  return exact ?? fitting[0];
}

function isTrusted(
  file: Artifact | undefined,
  { requireDigest, allowHttp }: NonNullable<Terms['download']>,
): boolean {
  if (file?.url === undefined) return true;
  const url = URL.parse(file.url);
  const isHttps = url?.protocol === 'https:';
  const isHttp = url?.protocol === 'http:' && ['localhost', ...allowHttp].includes(url.hostname);
  if (!url || !(isHttps || isHttp) || url.hostname === '169.254.169.254') return false;
  const [kind = '', hex = ''] = (file.digest ?? '').split(':');
  const length = { sha256: 64, sha512: 128 }[kind];
  return !requireDigest || (hex.length === length && !/[^0-9a-f]/.test(hex));
}

function hasConflict(artifacts: readonly Artifact[]): boolean {
  return artifacts.some((a) =>
    artifacts.some(
      (b) =>
        a.digest !== undefined &&
        b.digest !== undefined &&
        a.digest !== b.digest &&
        a.digest.split(':')[0] === b.digest.split(':')[0] &&
        a.platform.replace('aarch64', 'arm64') === b.platform.replace('aarch64', 'arm64'),
    ),
  );
}

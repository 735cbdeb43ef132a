import {
  expectMembers,
  LIST,
  NUMBER,
  OBJECT,
  optional,
  TEXT,
  wrongArgument,
  type Expected,
} from '../text/argument.ts';
import { expectSpelling, type Members } from '../text/spelling.ts';
import type { Artifact, ReleaseRecord, ReleaseRollout } from './release.ts';

/** Fields that a wrong type would turn into another meaning: `yanked: false` would be yanked, and a date no time. */
const RECORD = {
  floor: {
    is: (value: unknown) => value === undefined || value === true,
    words: 'true, or nothing if it is not a floor',
  },
  publishedAt: { ...optional(NUMBER), words: 'milliseconds since the epoch, or nothing' },
  yanked: { ...optional(TEXT), words: 'the reason as text, or nothing if it is not yanked' },
  artifacts: optional(LIST),
};

const ROLLOUT = {
  salt: TEXT,
  percent: NUMBER,
  share: NUMBER,
  groups: optional(LIST),
  halted: optional(TEXT),
};

/** That every value of an object is as expected. */
function valuesOf(expected: Expected, words: string): Expected {
  return optional({
    is: (value) => OBJECT.is(value) && Object.values(Object(value)).every(expected.is),
    words,
  });
}

const TEXTS: Expected = {
  is: (value) => Array.isArray(value) && value.every(TEXT.is),
  words: 'an array of texts',
};
const SIGNATURES = valuesOf(TEXT, 'an object with texts');

/** Fields that few records have: they are looked at only where they are. */
const RARE: Readonly<Record<string, Expected>> &
  Members<Omit<ReleaseRecord, keyof typeof RECORD | 'version'>> = {
  tag: optional(TEXT),
  unreadable: optional(TEXT),
  prerelease: { ...RECORD.floor, words: 'true, or nothing if its version says it' },
  distTags: optional(TEXTS),
  deprecated: {
    ...optional(TEXT),
    words: 'the reason as text, or nothing if it is not deprecated',
  },
  requires: valuesOf(TEXTS, 'an object with arrays of texts'),
  hasNotes: { ...RECORD.floor, words: 'true, or nothing if it has no notes' },
  signatures: SIGNATURES,
  yankSignatures: SIGNATURES,
  rollout: {
    ...optional({ is: isRollout, words: '' }),
    words: 'an object with salt, percent and share, or nothing',
  },
};

const MEMBERS: Members<ReleaseRecord> = { ...RECORD, ...RARE, version: true };

const ARTIFACT = {
  platform: TEXT,
  url: optional(TEXT),
  digest: optional(TEXT),
  size: optional(NUMBER),
};

const ARTIFACT_MEMBERS: Members<Artifact> = { ...ARTIFACT, signatures: true };

/**
 * Returns a function that throws a TypeError for `callee` if an entry of a list, which no compiler checked, is neither text nor
 * a record, or has a misspelt name (D474). Names that were found to be none are remembered, so that each is compared once.
 */
export function recordCheck(callee: string): (found: unknown, place: number) => void {
  let names: Set<string> | undefined;
  let files: Set<string> | undefined;
  return (found, place) => {
    if (typeof found === 'string') return;
    names ??= new Set(['version', ...Object.keys(RECORD)]);
    files ??= new Set(Object.keys(ARTIFACT_MEMBERS));
    if (isRecord(found) && hasOnlyRight(found, names) && areArtifacts(found.artifacts, files))
      return;
    const as = place === 0 ? 'the first release' : `releases[${place}]`;
    expectRecord(callee, as, found);
    for (const name in Object(found)) if (!Object.hasOwn(RARE, name)) names.add(name);
    for (const file of (found as ReleaseRecord).artifacts ?? []) {
      for (const name in file) files.add(name);
    }
  };
}

/** Whether `found` has the types that `expectRecord` expects: in a tenth of its time, because most records have. */
function isRecord(found: unknown): found is Pick<ReleaseRecord, 'version' | 'artifacts'> {
  if (typeof found !== 'object' || found === null) return false;
  const { version, floor, publishedAt, yanked } = found as Partial<ReleaseRecord>;
  return (
    typeof version === 'string' &&
    RECORD.floor.is(floor) &&
    RECORD.publishedAt.is(publishedAt) &&
    RECORD.yanked.is(yanked)
  );
}

/** Whether each name is among `names`, or has a value of its type. */
function hasOnlyRight(found: object, names: ReadonlySet<string>): boolean {
  for (const name in found) {
    if (names.has(name)) continue;
    const type = Object.hasOwn(RARE, name) ? RARE[name] : undefined;
    // A cast: what it has under each name is looked at here.
    if (type?.is((found as Readonly<Record<string, unknown>>)[name]) !== true) return false;
  }
  return true;
}

function isRollout(found: unknown): boolean {
  // A cast: each field is looked at next.
  const { salt, percent, share, groups, halted } = Object(found) as Partial<ReleaseRollout>;
  return (
    TEXT.is(salt) &&
    NUMBER.is(percent) &&
    NUMBER.is(share) &&
    ROLLOUT.groups.is(groups) &&
    ROLLOUT.halted.is(halted)
  );
}

function areArtifacts(found: unknown, names: ReadonlySet<string>): boolean {
  if (found === undefined) return true;
  return Array.isArray(found) && found.every((one) => isArtifact(one) && hasOnly(one, names));
}

function isArtifact(found: unknown): found is object {
  if (typeof found !== 'object' || found === null) return false;
  const { platform, url, digest, size } = found as Partial<Artifact>;
  return (
    ARTIFACT.platform.is(platform) &&
    ARTIFACT.url.is(url) &&
    ARTIFACT.digest.is(digest) &&
    ARTIFACT.size.is(size)
  );
}

function hasOnly(found: object, names: ReadonlySet<string>): boolean {
  for (const name in found) if (!names.has(name)) return false;
  return true;
}

function expectRecord(callee: string, as: string, found: unknown): void {
  if (typeof Object(found).version !== 'string') {
    throw wrongArgument(callee, as, found, 'text or a record with a version');
  }
  expectMembers(callee, as, found, RECORD);
  expectSpelling(callee, as, Object(found), MEMBERS);
  // A cast: it has the types of `RECORD`, as was expected above.
  const { rollout } = found as ReleaseRecord;
  if (OBJECT.is(rollout)) expectMembers(callee, `${as}.rollout`, rollout, ROLLOUT);
  expectMembers(callee, as, found, RARE);
  for (const [place, file] of ((found as ReleaseRecord).artifacts ?? []).entries()) {
    const one = `${as}.artifacts[${place}]`;
    expectMembers(callee, one, file, {});
    expectSpelling(callee, one, file, ARTIFACT_MEMBERS);
    expectMembers(callee, one, file, ARTIFACT);
  }
}

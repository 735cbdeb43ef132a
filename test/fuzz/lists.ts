import fc from 'fast-check';
import {
  explain,
  indexReleases,
  parseConstraint,
  resolve,
  type Eligibility,
  type ReleaseRecord,
} from '../../src/core/index.ts';
import { compareVersionTypes } from '../../src/core/releases/version-types.ts';
import type { DecodedList, ListEntries } from '../../src/registry/formats/decoded-list.ts';
import { isJsonObject } from '../../src/registry/formats/json-object.ts';
import { jsonMeter } from '../../src/registry/formats/json-meter.ts';
import { parseJsonBytes } from '../../src/registry/formats/json-text.ts';
import { moduleEntries } from '../../src/registry/formats/module-document.ts';
import { npmEntries } from '../../src/registry/formats/npm-packument.ts';
import { ociVersion, tagsIn } from '../../src/registry/formats/oci-tags.ts';
import { releaseEntries } from '../../src/registry/formats/release-document.ts';
import { changedDigests, lostDigests } from '../../src/registry/known-digests.ts';
import { RegistryError } from '../../src/registries/index.ts';
import { decodedWays, decodeReleaseDocument } from '../support/decoded-list.ts';
import { HEX, LIDAR, listMutants, RELEASES, type ListDocument } from './list-documents.ts';
import { notOneLine, target, type Target } from './target.ts';

const ENTRIES: Readonly<Record<ListDocument['format'], (json: unknown) => ListEntries[]>> = {
  modreg: (json) => [
    releaseEntries(json, LIDAR),
    ...(isJsonObject(json) ? [moduleEntries(json, LIDAR)] : []),
  ],
  npm: (json) => [releaseEntries(json, LIDAR), ...(isJsonObject(json) ? [npmEntries(json)] : [])],
  oci: (json) => [entriesOf(tagsIn(json, { name: 'acme/lidar', moduleId: LIDAR }))],
};

function entriesOf(tags: readonly string[]): ListEntries {
  const versionAt = (index: number): string => ociVersion(tags[index] ?? '');
  const decode = (index: number): ReleaseRecord => ({ version: versionAt(index) });
  return { length: tags.length, versionAt, decode, isClean: () => true };
}

/** The result of `work`, or what is wrong with the RegistryError that it throws. */
function orRegistryError<T>(work: () => T): { value: T } | { wrong: string | undefined } {
  try {
    return { value: work() };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { wrong: wrongRegistryError(error) };
  }
}

export function wrongRegistryError(error: RegistryError): string | undefined {
  const { message, hint, suggestion, retryAfterMs = 1000 } = error;
  if (retryAfterMs < 1000 || retryAfterMs > 3_600_000) return `retries after ${retryAfterMs} ms`;
  return notOneLine([message, hint, suggestion]);
}

function judgeList({ format, bytes }: ListDocument): string | undefined {
  const decoded = orRegistryError(() =>
    ENTRIES[format](parseJsonBytes(bytes)).flatMap(decodedWays),
  );
  if ('wrong' in decoded) return decoded.wrong;
  for (const list of decoded.value) {
    const wrong = wrongDigest(list) ?? wrongList(list);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongDigest({ records }: DecodedList): string | undefined {
  const digests = Array.from(records).flatMap(({ artifacts = [] }) =>
    artifacts.map(({ digest }) => digest),
  );
  const odd = digests.find((digest = 'sha1:0') => !/^sha(1|256|512):[0-9a-f]+$/.test(digest));
  return odd === undefined ? undefined : `accepted the digest ${odd}`;
}

const ELIGIBILITIES: readonly Eligibility[] = [
  { now: 0 },
  {
    now: Date.parse('2025-07-20T00:00:00Z'),
    platform: 'linux/amd64',
    minimumAge: { ms: 86_400_000, unknown: 'refuse' },
    quarantine: [{ version: '1.2.9', digest: `sha256:${HEX}` }],
  },
];
const CONSTRAINTS = ['1.2.3', '1.2.*', '1.*', 'latest', 'latest-with-prerelease'].flatMap(
  (text) => {
    const constraint = parseConstraint(text);
    return constraint.ok ? [{ text, constraint: constraint.value }] : [];
  },
);
const KNOWN = decodeReleaseDocument({ releases: RELEASES }, LIDAR).records;

/** What is wrong with an accepted list, or with decisions and texts that result from it. */
export function wrongList({ records, dropped, generation = 0 }: DecodedList): string | undefined {
  const odd = Array.from(records).find((record) => !isRecord(record));
  if (odd) return `accepted the record ${JSON.stringify(odd)}`;
  if (!Number.isSafeInteger(generation) || generation < 0) {
    return `accepted generation ${generation}`;
  }
  const lost = lostDigests({ records: KNOWN, lost: [] }, records);
  const eligibilities = ELIGIBILITIES.concat({
    now: 0,
    changedDigests: changedDigests(records, lost),
  });
  const index = indexReleases(records);
  for (const eligibility of eligibilities) {
    for (const { text, constraint } of CONSTRAINTS) {
      const resolution = resolve(constraint, index, eligibility);
      const chosen = resolution.kind === 'resolved' ? resolution.release.version.text : undefined;
      const branch = text.replace(/^latest.*|\*$/, '');
      if (chosen?.startsWith(branch) === false) return `${text} selects ${chosen}`;
      const wrong = notOneLine(explain(resolution));
      if (wrong !== undefined) return wrong;
    }
    compareVersionTypes(index, eligibility, undefined);
  }
  return notOneLine(dropped);
}

function isRecord(record: ReleaseRecord): boolean {
  const { version, publishedAt, artifacts, yanked, deprecated, rollout } = record;
  return (
    typeof version === 'string' &&
    (publishedAt === undefined || Number.isFinite(publishedAt)) &&
    [rollout?.salt, rollout?.halted, yanked, deprecated].every((reason) =>
      ['undefined', 'string'].includes(typeof reason),
    ) &&
    [rollout?.share ?? 0, (rollout?.percent ?? 0) / 100].every(
      (share) => share >= 0 && share <= 1,
    ) &&
    (artifacts ?? []).every(({ platform, url = '', digest = '', size = 0 }) => {
      const isText = [platform, url, digest].every((text) => typeof text === 'string');
      return isText && Number.isFinite(size);
    })
  );
}

type JsonInput = readonly [list: ListDocument, cuts: readonly number[]];

/** Measures JSON in one piece and in several, and parses it. */
function judgeJson([{ bytes }, cuts]: JsonInput): string | undefined {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b);
  const parts = [0, ...places].map((from, at) => bytes.subarray(from, places[at]));
  const [whole, inParts] = [measured([bytes]), measured(parts)];
  if (whole !== inParts) return `measured as ${whole} in one piece, as ${inParts} in parts`;
  const json = orRegistryError(() => parseJsonBytes(bytes));
  const isCut = whole === 'cut short';
  if ('value' in json) return isCut ? 'is JSON, but was measured as cut short' : undefined;
  return json.wrong;
}

function measured(parts: readonly Uint8Array[]): string {
  const meter = jsonMeter(300);
  const fed = orRegistryError(() => {
    for (const part of parts) meter.feed(part);
  });
  if ('wrong' in fed) return fed.wrong ?? 'too large';
  return meter.isCutShort() ? 'cut short' : 'whole';
}

function show({ format, bytes }: ListDocument): string {
  return `${format}:\n${bytes.toString('latin1')}`;
}

export const LIST_FORMATS: readonly Target[] = [
  target({
    name: 'list',
    faults: 'T23 T24 T29 T34 T35',
    perMille: 80,
    inputs: listMutants,
    judge: judgeList,
    show,
  }),
  target({
    name: 'json',
    faults: 'T37 T6',
    perMille: 60,
    inputs: fc.tuple(listMutants, fc.array(fc.noBias(fc.nat()), { maxLength: 5 })),
    judge: judgeJson,
    show: ([list, cuts]) => `cut at ${cuts.join(', ')}, ${show(list)}`,
  }),
];

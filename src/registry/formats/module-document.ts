import type { Artifact, ModuleId, ReleaseRecord } from '../../core/index.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import { isUsualTime, parseTime } from '../../core/text/rfc3339.ts';
import { checkLength, type Drop, type ListEntries } from './decoded-list.ts';
import { decodeRequires } from './requires-field.ts';
import { decodeRollout } from './rollout-field.ts';
import { describeValue } from '../../core/text/quote.ts';
import { decodeSignatures } from './signatures-field.ts';
import { withAbsoluteUrls } from './hosted-artifact.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { decodeReason, isCleanReason } from './reason-field.ts';
import { RegistryError } from '../registry-error.ts';

const MOST_ARTIFACTS = 1000;
const DIGEST = /^(sha256|sha512|sha1):[0-9a-f]+$/;

/**
 * Reads modreg's own format, `{module_id, generation, count, releases}`. An entry that is not a release stays in the
 * list with its JSON as version, so that it is refused and counted. A field that cannot be read gets its most
 * restrictive value and is reported. Throws a RegistryError if the document is not the list of `moduleId`. `list` is the
 * address that it was fetched from; undefined if it was read from a file.
 */
export function moduleEntries(document: JsonObject, moduleId: ModuleId, list?: URL): ListEntries {
  const { module_id, generation, count, releases } = document;
  if (!Array.isArray(releases)) {
    const message = `/releases is ${describeValue(releases)}, expected a list`;
    throw new RegistryError('not-a-registry', message);
  }
  if (module_id !== undefined && module_id !== moduleId) {
    const message = `/module_id is ${describeValue(module_id)}, expected "${moduleId}"`;
    throw new RegistryError('not-a-registry', message);
  }
  checkLength(releases.length);
  if (generation !== undefined && !(Number.isSafeInteger(generation) && Number(generation) >= 0)) {
    const message = `/generation is ${describeValue(generation)}, expected a whole number`;
    throw new RegistryError('not-a-registry', message);
  }
  if (count !== undefined && typeof count !== 'number') {
    const message = `/count is ${describeValue(count)}, expected a number`;
    throw new RegistryError('not-a-registry', message);
  }
  if (count !== undefined && count !== releases.length) {
    const message = `/count is ${count}, but /releases has a length of ${releases.length}`;
    throw new RegistryError('registry-regressed', message);
  }
  const entries: readonly unknown[] = releases;
  return {
    length: entries.length,
    generation: generation as number | undefined,
    versionAt: (index) => versionIn(entries[index]) ?? jsonOf(entries[index]),
    decode: (index, drop) =>
      withAbsoluteUrls(decodeRelease(entries[index], ['releases', index], drop), list),
    isClean: (index) => isClean(entries[index]),
    floors: () => [...entries.keys()].filter((index) => isFloor(entries[index])),
  };
}

function versionIn(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { version } = entry;
  return typeof version === 'string' ? version : undefined;
}

function decodeRelease(entry: unknown, path: Path, drop: Drop): ReleaseRecord {
  const version = versionIn(entry);
  if (version === undefined || !isJsonObject(entry)) return { version: jsonOf(entry) };
  return {
    version,
    publishedAt: decodeTime(entry['published_at'], path, 'published_at', drop),
    artifacts: decodeArtifacts(entry['artifacts'], path, drop),
    yanked: decodeReason(entry['yanked'], path, 'yanked', drop),
    deprecated: decodeReason(entry['deprecated'], path, 'deprecated', drop),
    requires: 'requires' in entry ? decodeRequires(entry['requires'], path, drop) : undefined,
    floor: decodeFloor(entry['floor'], path, drop),
    // For people: another value says nothing.
    ...(entry['notes'] === true && { hasNotes: true }),
    signatures:
      'signatures' in entry ? decodeSignatures(entry, 'signatures', path, drop) : undefined,
    ...('yank_signatures' in entry && {
      yankSignatures: decodeSignatures(entry, 'yank_signatures', path, drop),
    }),
    rollout: decodeRollout(entry['rollout'], path, drop),
  };
}

function isClean(entry: unknown): boolean {
  if (!isJsonObject(entry)) return true;
  const { published_at: time, artifacts, yanked, deprecated, requires, floor, rollout } = entry;
  const { signatures, yank_signatures: ofYank } = entry;
  return (
    isCleanTime(time) &&
    isCleanReason(yanked) &&
    isCleanReason(deprecated) &&
    isAbsent(requires) &&
    isAbsent(rollout) &&
    isAbsent(signatures) &&
    isAbsent(ofYank) &&
    (isAbsent(floor) || typeof floor === 'boolean') &&
    (isAbsent(artifacts) ||
      (Array.isArray(artifacts) &&
        artifacts.length <= MOST_ARTIFACTS &&
        artifacts.every(isCleanArtifact)))
  );
}

function isFloor(entry: unknown): boolean {
  return isJsonObject(entry) && entry['floor'] === true && versionIn(entry) !== undefined;
}

/** Another value is reported and is no floor: a registry may use the word with another meaning (T390). */
function decodeFloor(value: unknown, path: Path, drop: Drop): true | undefined {
  if (value === true) return true;
  if (!isAbsent(value) && value !== false) drop([...path, 'floor'], value, 'true or false');
  return undefined;
}

function isCleanArtifact(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value['platform'] !== 'string') return false;
  const { digest } = value;
  return isAbsent(digest) || (typeof digest === 'string' && DIGEST.test(digest));
}

/** Whether `decodeTime` certainly reports nothing. */
export function isCleanTime(value: unknown): boolean {
  return isAbsent(value) || isUsualTime(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The JSON of an entry; a description if it is nested too deeply for `JSON.stringify`. */
function jsonOf(entry: unknown): string {
  try {
    return JSON.stringify(entry);
  } catch (error) {
    if (error instanceof RangeError) return describeValue(entry);
    throw error;
  }
}

/** The time at `path` under `key`; undefined if it is absent or cannot be read. A minimum age refuses an unknown time. */
export function decodeTime(
  value: unknown,
  path: Path,
  key: string,
  drop: Drop,
): number | undefined {
  if (value === undefined || value === null) return undefined;
  const time = parseTime(value);
  if (time.ok) return time.value;
  drop([...path, key], value, time.error.expected);
  return undefined;
}

/** Undefined if absent. A list that cannot be read is empty, so that the release fits no platform. */
function decodeArtifacts(value: unknown, path: Path, drop: Drop): readonly Artifact[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.length <= MOST_ARTIFACTS) {
    return value.flatMap((artifact: unknown, index) => decodeArtifact(artifact, path, index, drop));
  }
  drop([...path, 'artifacts'], value, `a list of at most ${MOST_ARTIFACTS} artifacts`);
  return [];
}

function decodeArtifact(value: unknown, path: Path, index: number, drop: Drop): Artifact[] {
  if (!isJsonObject(value) || typeof value['platform'] !== 'string') {
    drop([...path, 'artifacts', index], value, 'an object with a platform');
    return [];
  }
  const { platform, url, size } = value;
  return [
    {
      platform,
      url: typeof url === 'string' ? url : undefined,
      digest: decodeDigest(value['digest'], path, index, drop),
      // JSON can contain a number that parses to Infinity, such as 1e999.
      size: Number.isFinite(size) ? Number(size) : undefined,
    },
  ];
}

function decodeDigest(value: unknown, path: Path, index: number, drop: Drop): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && DIGEST.test(value)) return value;
  const digest = typeof value === 'string' ? value.toLowerCase() : '';
  if (DIGEST.test(digest)) return digest;
  drop(
    [...path, 'artifacts', index, 'digest'],
    value,
    'sha256:, sha512: or sha1: followed by hexadecimal digits',
  );
  return undefined;
}

import type { Artifact, ReleaseRecord } from '../../core/index.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import { describeValue, excerpt } from '../../core/text/quote.ts';
import { checkLength, type Drop, type ListEntries } from './decoded-list.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { decodeTime, isCleanTime } from './module-document.ts';
import { decodeReason, isCleanReason } from './reason-field.ts';
import { RegistryError } from '../registry-error.ts';

// npm's names for the supported platforms, Linux on amd64 and arm64. (Limits)
const SYSTEMS = ['linux'];
const ARCHITECTURES = ['x64', 'arm64'];
const MOST_NAMES = 50;
const MOST_TAGS = 1000;
const LONGEST_TAG = 100;
const MOST_SIGNATURES = 10;
const LONGEST_SIGNATURE = 1000;
const TIME: Path = ['time'];

/**
 * Reads an npm packument: the keys of `versions` are the list, with `time`, `deprecated`, `os`, `cpu` and `dist`.
 * Dist-tags are not versions: each is a fact about the version that it names. Without `time`, publish times are unknown. Throws a RegistryError if
 * `versions` is not an object.
 */
export function npmEntries(packument: JsonObject): ListEntries {
  const { versions, time } = packument;
  if (!isJsonObject(versions)) {
    expectPublished(time);
    const message = `/versions is ${describeValue(versions)}, expected an object`;
    throw new RegistryError('not-a-registry', message);
  }
  const times = isJsonObject(time) ? time : {};
  const tags = tagsByVersion(packument['dist-tags']);
  const names = Object.keys(versions);
  checkLength(names.length);
  const nameAt = (index: number): string => names[index] ?? '';
  // A version may be spelled like a method of every object.
  const timeOf = (version: string): unknown =>
    Object.hasOwn(times, version) ? times[version] : undefined;
  return {
    length: names.length,
    versionAt: nameAt,
    decode(index, drop) {
      const version = nameAt(index);
      const publishedAt = decodeTime(timeOf(version), TIME, version, drop);
      const record = decodeManifest(version, versions[version], publishedAt, drop);
      const distTags = tags.get(version);
      return distTags ? { ...record, distTags } : record;
    },
    isClean(index) {
      const version = nameAt(index);
      return isCleanTime(timeOf(version)) && isCleanManifest(versions[version]);
    },
    check(drop) {
      if (time !== undefined && !isJsonObject(time)) drop(TIME, time, 'an object');
    },
  };
}

/** The dist-tags of each version. What is no name of a version is left out, as they decide nothing. */
function tagsByVersion(value: unknown): ReadonlyMap<string, readonly string[]> {
  const tags = new Map<string, string[]>();
  if (!isJsonObject(value)) return tags;
  for (const [tag, version] of Object.entries(value).slice(0, MOST_TAGS)) {
    if (typeof version !== 'string' || tag.length > LONGEST_TAG) continue;
    const others = tags.get(version);
    if (others) others.push(tag);
    else tags.set(version, [tag]);
  }
  return tags;
}

/** A package whose versions were all unpublished keeps its times. (npm registry, package metadata) */
function expectPublished(time: unknown): void {
  const unpublished = isJsonObject(time) ? time['unpublished'] : undefined;
  if (!isJsonObject(unpublished)) return;
  const message = `all of its versions were unpublished (${excerpt(String(unpublished['time']))})`;
  throw new RegistryError('unknown-module', message);
}

function isCleanManifest(manifest: unknown): boolean {
  if (!isJsonObject(manifest)) return false;
  const { deprecated, os, cpu } = manifest;
  return isCleanReason(deprecated) && isCleanHalf(os) && isCleanHalf(cpu);
}

/** Whether `decodeHalf` certainly reports nothing. */
function isCleanHalf(value: unknown): boolean {
  if (value === undefined || typeof value === 'string') return true;
  return (
    Array.isArray(value) &&
    value.length <= MOST_NAMES &&
    value.every((name) => typeof name === 'string')
  );
}

function decodeManifest(
  version: string,
  manifest: unknown,
  publishedAt: number | undefined,
  drop: Drop,
): ReleaseRecord {
  const path = ['versions', version];
  if (!isJsonObject(manifest)) {
    drop(path, manifest, 'an object');
    return { version, publishedAt, artifacts: [] };
  }
  return {
    version,
    publishedAt,
    artifacts: decodeDist(manifest, path, drop),
    // npm reverts a deprecation by setting it to an empty string.
    deprecated: decodeReason(manifest['deprecated'] || undefined, path, 'deprecated', drop),
  };
}

/** One artifact for each platform that `os` and `cpu` allow. An absent field allows any. */
function decodeDist(manifest: JsonObject, path: Path, drop: Drop): Artifact[] {
  const dist = isJsonObject(manifest['dist']) ? manifest['dist'] : {};
  const url = typeof dist['tarball'] === 'string' ? dist['tarball'] : undefined;
  const digest = decodeIntegrity(dist['integrity']) ?? decodeShasum(dist['shasum']);
  const systems = decodeHalf(manifest['os'], SYSTEMS, [...path, 'os'], drop);
  const architectures = decodeHalf(manifest['cpu'], ARCHITECTURES, [...path, 'cpu'], drop);
  const signatures = decodeSignatures(dist['signatures']);
  return systems.flatMap((os) =>
    architectures.map((cpu) => ({ platform: `${os}/${cpu}`, url, digest, signatures })),
  );
}

/** The signatures of the registry; undefined if there are none. What is not one is left out: it verifies nothing. */
function decodeSignatures(value: unknown): Artifact['signatures'] {
  if (!Array.isArray(value)) return undefined;
  const found = value.slice(0, MOST_SIGNATURES).flatMap((entry: unknown) => {
    const { keyid, sig } = isJsonObject(entry) ? entry : {};
    const isOne = isShortText(keyid) && isShortText(sig);
    return isOne ? [{ keyid, sig }] : [];
  });
  return found.length > 0 ? found : undefined;
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_SIGNATURE;
}

/** The names that npm's `os` or `cpu` allows. With only `!name` entries, the names in `known` except those. */
function decodeHalf(
  value: unknown,
  known: readonly string[],
  path: Path,
  drop: Drop,
): readonly string[] {
  if (value === undefined || value === null || value === '') return ['any'];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > MOST_NAMES || !list.every((name) => typeof name === 'string')) {
    drop(path, value, `a list of at most ${MOST_NAMES} names`);
    return [];
  }
  const excluded = list.filter((name) => name.startsWith('!'));
  const included = list.filter((name) => !name.startsWith('!'));
  if (excluded.length === 0) return included.length === 0 ? ['any'] : included;
  const candidates = included.length === 0 ? known : included;
  return candidates.filter((name) => !excluded.includes(`!${name}`));
}

/** The strongest digest of Subresource Integrity metadata, `sha512-<base64> …`. */
function decodeIntegrity(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const digests = value.split(/\s+/).flatMap((entry) => {
    const [, algorithm, base64 = ''] = /^(sha512|sha256|sha1)-([A-Za-z0-9+/]+=*)/.exec(entry) ?? [];
    return algorithm ? [`${algorithm}:${Buffer.from(base64, 'base64').toString('hex')}`] : [];
  });
  return ['sha512', 'sha256', 'sha1'].flatMap((algorithm) =>
    digests.filter((digest) => digest.startsWith(algorithm)),
  )[0];
}

function decodeShasum(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9a-f]{40}$/i.test(value)
    ? `sha1:${value.toLowerCase()}`
    : undefined;
}

import type { Artifact, ReleaseRecord } from '../../core/index.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import { firstFew } from '../../core/text/few.ts';
import { describeValue, excerpt, quote } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import { checkLength, type Drop, type ListEntries } from './decoded-list.ts';
import type { PlatformOfName } from './github-assets.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { decodeTime } from './module-document.ts';

/** Of the files of a release in a message. */
const MOST_NAMES = 3;
const DIGEST = /^sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})$/;

/** How the assets of a release become its files. */
export interface AssetRules {
  readonly platformOf: PlatformOfName;
  /** The pattern that it comes from, as the address has it; absent if it has none. */
  readonly pattern?: string;
  /** Whether a machine downloads by the API, as it must from a private repository. */
  readonly isByApi: boolean;
}

/**
 * Reads a page of the releases of a repository. The version of a record is its tag. Drafts are left out. Throws a RegistryError if the
 * document is no list of releases.
 */
export function githubEntries(document: unknown, rules: AssetRules): ListEntries {
  if (!Array.isArray(document)) {
    const message = `found ${describeValue(document)}, expected a list of releases`;
    throw new RegistryError('not-a-registry', message);
  }
  checkLength(document.length);
  const entries = document.map((entry, index) => releaseIn(entry, index));
  const releases = entries.flatMap((one) => (one.release['draft'] === true ? [] : one));
  const versionAt = (place: number): string => releases[place]?.tag ?? '';
  return {
    length: releases.length,
    versionAt,
    decode: (place, drop) => {
      const found = releases[place];
      return found ? decodeRelease(found, rules, drop) : { version: '' };
    },
    isClean: () => false,
  };
}

interface Found {
  readonly tag: string;
  readonly release: JsonObject;
  readonly path: Path;
}

function releaseIn(release: unknown, index: number): Found {
  const tag = isJsonObject(release) ? release['tag_name'] : undefined;
  if (isJsonObject(release) && typeof tag === 'string') return { tag, release, path: [index] };
  const what = isJsonObject(release) ? `/${index}/tag_name is ${describeValue(tag)}` : undefined;
  const message = what ?? `/${index} is ${describeValue(release)}`;
  throw new RegistryError('not-a-registry', `${message}, expected a release with a tag`);
}

function decodeRelease(
  { tag, release, path }: Found,
  rules: AssetRules,
  drop: Drop,
): ReleaseRecord {
  const artifacts = decodeAssets(release['assets'], rules, [...path, 'assets'], drop);
  return {
    version: tag,
    publishedAt: decodeTime(release['published_at'], path, 'published_at', drop),
    artifacts,
    prerelease: release['prerelease'] === true || undefined,
    ...(artifacts.length === 0 && withoutFile(release['assets'], rules)),
  };
}

/** Why a release has no file, if an address has a pattern for it: without one, it is for no platform. */
function withoutFile(
  assets: unknown,
  { pattern }: AssetRules,
): Pick<ReleaseRecord, 'unreadable'> | undefined {
  if (pattern === undefined) return undefined;
  const names = (Array.isArray(assets) ? assets : []).flatMap((asset: unknown) => {
    const name = isJsonObject(asset) ? asset['name'] : undefined;
    return typeof name === 'string' ? [excerpt(name)] : [];
  });
  const found = names.length === 0 ? 'no file' : firstFew(names, MOST_NAMES).join(', ');
  return { unreadable: `no file matches the pattern ${quote(pattern)}: it has ${found}` };
}

/** The files of the platforms. Without one, the release fits no platform. */
function decodeAssets(
  value: unknown,
  rules: AssetRules,
  path: Path,
  drop: Drop,
): readonly Artifact[] {
  if (!Array.isArray(value)) {
    drop(path, value, 'a list of files');
    return [];
  }
  const named = value.flatMap((asset: unknown) => decodeAsset(asset, rules));
  const byPlatform = Object.groupBy(named, ({ artifact }) => artifact.platform);
  for (const [platform, [first, second] = []] of Object.entries(byPlatform)) {
    if (!first || !second) continue;
    const expected = `one file for ${platform}: append a pattern to the address, such as #name-{os}-{arch}.tar.gz`;
    drop(path, `${first.name}, ${second.name}`, expected);
  }
  return named.map(({ artifact }) => artifact);
}

interface Named {
  readonly name: string;
  readonly artifact: Artifact;
}

/** Nothing for an asset that is still being uploaded, or is for another system. */
function decodeAsset(asset: unknown, { platformOf, isByApi }: AssetRules): Named[] {
  if (!isJsonObject(asset)) return [];
  const { name, state, size, digest } = asset;
  if (typeof name !== 'string' || (state !== undefined && state !== 'uploaded')) return [];
  const platform = platformOf(name);
  if (platform === undefined) return [];
  const url = asset[isByApi ? 'url' : 'browser_download_url'];
  return [
    {
      name,
      artifact: {
        platform,
        url: typeof url === 'string' ? url : undefined,
        digest: typeof digest === 'string' && DIGEST.test(digest) ? digest : undefined,
        size: Number.isSafeInteger(size) ? Number(size) : undefined,
      },
    },
  ];
}

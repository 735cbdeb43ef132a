import type { Artifact } from '../../core/index.ts';
import { PLATFORMS, fitsPlatform } from '../../core/releases/platform.ts';
import { describeValue } from '../../core/text/quote.ts';
import { parseTime } from '../../core/text/rfc3339.ts';
import type { Result } from '../../core/text/result.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** What can be sent for a tag: an index or a manifest, of OCI or of Docker. (OCI Image 1.1, "Media Types") */
export const MANIFEST_TYPES: string = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const IMAGE_CONFIGS = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);
const CREATED = 'org.opencontainers.image.created';
const SHA256 = /^sha256:[\da-f]{64}$/;
const DIGEST = /^(?:sha256:[\da-f]{64}|sha512:[\da-f]{128})$/;

/** A manifest of an index, for a platform that machines have. */
interface IndexEntry {
  readonly digest: string;
  readonly platform: string;
}

/** A document that describes a release, or the file of a release for one platform. */
export type Manifest = {
  /** In milliseconds since the epoch; undefined if it has no such annotation. (OCI Image 1.1, "Pre-Defined Annotation Keys") */
  readonly createdAt: number | undefined;
} & (
  | { readonly kind: 'index'; readonly entries: readonly IndexEntry[] }
  | {
      readonly kind: 'manifest';
      /** The only layer, without its address; undefined if there is not one. */
      readonly file: Pick<Artifact, 'digest' | 'size'> | undefined;
      /** The digest of the config, which names the platform of an image; undefined if it is no image. */
      readonly config: string | undefined;
    }
);

/** Whether a content type is that of a manifest of Docker's schema 1, which is signed JSON. */
export function isManifestOfSchema1(type: string | null): boolean {
  return /^application\/vnd\.docker\.distribution\.manifest\.v1\+/i.test(type ?? '');
}

/** Reads an index or a manifest. The error is why it is neither, in one escaped line. (OCI Image 1.1, "Image Index" and "Image Manifest") */
export function decodeManifest(json: unknown): Result<Manifest, string> {
  if (!isJsonObject(json)) {
    return { ok: false, error: `found ${describeValue(json)}, expected an object` };
  }
  const createdAt = createdIn(json);
  const { manifests, layers, config } = json;
  if (Array.isArray(manifests)) {
    return { ok: true, value: { kind: 'index', createdAt, entries: manifests.flatMap(entryIn) } };
  }
  if (!Array.isArray(layers)) {
    return { ok: false, error: 'it has neither "manifests" nor "layers"' };
  }
  const file = layers.length === 1 ? fileIn(layers[0]) : undefined;
  if (file?.ok === false) return file;
  const image = { file: file?.value, config: configIn(config) };
  return { ok: true, value: { kind: 'manifest', createdAt, ...image } };
}

/** The platform in the config of an image; `any` if it names none. (OCI Image 1.1, "Image Configuration") */
export function platformInConfig(json: unknown): string {
  return platformOf(json) ?? 'any';
}

function createdIn({ annotations }: JsonObject): number | undefined {
  const created = isJsonObject(annotations) ? annotations[CREATED] : undefined;
  const time = typeof created === 'string' ? parseTime(created) : undefined;
  return time?.ok === true ? time.value : undefined;
}

/** Nothing for what runs on no machine, such as an attestation, whose platform is `unknown/unknown`. */
function entryIn(value: unknown): IndexEntry[] {
  if (!isJsonObject(value)) return [];
  const { digest } = value;
  const platform = value['platform'] === undefined ? 'any' : platformOf(value['platform']);
  if (typeof digest !== 'string' || !SHA256.test(digest) || platform === undefined) return [];
  return PLATFORMS.some((one) => fitsPlatform(platform, one)) ? [{ digest, platform }] : [];
}

function platformOf(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { os, architecture } = value;
  return typeof os === 'string' && typeof architecture === 'string' && os !== ''
    ? `${os}/${architecture}`
    : undefined;
}

function fileIn(value: unknown): Result<Pick<Artifact, 'digest' | 'size'>, string> {
  const { digest, size } = isJsonObject(value) ? value : {};
  if (typeof digest !== 'string' || !DIGEST.test(digest)) {
    const found = describeValue(digest);
    return {
      ok: false,
      error: `/layers/0/digest is ${found}, expected a complete sha256 or sha512`,
    };
  }
  const isSize = Number.isSafeInteger(size) && Number(size) >= 0;
  return { ok: true, value: { digest, size: isSize ? Number(size) : undefined } };
}

function configIn(value: unknown): string | undefined {
  const { mediaType, digest } = isJsonObject(value) ? value : {};
  const isImage = typeof mediaType === 'string' && IMAGE_CONFIGS.has(mediaType);
  return isImage && typeof digest === 'string' && SHA256.test(digest) ? digest : undefined;
}

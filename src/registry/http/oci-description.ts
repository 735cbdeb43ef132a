import type { Artifact, ReleaseRecord } from '../../core/index.ts';
import { parseJson } from '../formats/json-text.ts';
import {
  decodeManifest,
  MANIFEST_TYPES,
  platformInConfig,
  type Manifest,
} from '../formats/oci-manifest.ts';
import { RegistryError } from '../registry-error.ts';
import type { RequestContext } from '../remote-registry.ts';
import type { Connection } from './connection.ts';
import { withErrorContext } from './error-context.ts';
import type { Reply } from './exchange.ts';
import { repositoryUrl, type Repository } from './oci-repository.ts';

/** What registries accept as a manifest at least. (OCI Distribution 1.1, "Pushing Manifests") */
const LARGEST = 4 * 1024 * 1024;
const MOST_TOKENS = 250_000;
/** An index has one manifest for each platform, and machines have two. */
const MOST_ENTRIES = 8;

/** What the manifests of a release say. */
export type Description = Pick<ReleaseRecord, 'publishedAt' | 'artifacts'>;

export interface Describing {
  readonly repository: Repository;
  readonly connection: Connection;
  readonly round: RequestContext;
}

/** Reads what a tag names; undefined if that is no manifest, or no longer exists. Throws a RegistryError. (OCI Distribution 1.1, "Pulling manifests") */
export async function describeTag(tag: string, from: Describing): Promise<Description | undefined> {
  const top = await manifestOf(tag, from);
  if (!top) return undefined;
  const entries = top.kind === 'index' ? top.entries.slice(0, MOST_ENTRIES) : [];
  const files: Artifact[] = [];
  const times = [top.createdAt];
  if (top.kind === 'manifest') files.push(await artifactOf(top, undefined, from));
  for (const { digest, platform } of entries) {
    const manifest = await manifestOf(digest, from);
    if (!manifest) throw missing(digest, from);
    times.push(manifest.createdAt);
    if (manifest.kind === 'manifest') files.push(await artifactOf(manifest, platform, from));
  }
  return { publishedAt: times.find((time) => time !== undefined), artifacts: files };
}

/** A manifest, and its digest. */
type Found = Manifest & { readonly digest: string };

async function manifestOf(reference: string, from: Describing): Promise<Found | undefined> {
  const reply = await read(`manifests/${reference}`, MANIFEST_TYPES, from);
  if (reply.status === 404) return undefined;
  checkDigest(reference, reply, from);
  const { where } = from.connection;
  const manifest = withErrorContext(where, () => decodeManifest(parseJson(reply.body.text)));
  return manifest && { ...manifest, digest: `sha256:${reply.body.digest}` };
}

/** The only layer. A container of several is no file that can be installed, so its manifest stands for it, without an address. */
async function artifactOf(
  { file, config, digest }: Extract<Found, { readonly kind: 'manifest' }>,
  named: string | undefined,
  from: Describing,
): Promise<Artifact> {
  const platform = named ?? (await platformOf(config, from));
  if (!file) return { platform, digest };
  return { platform, url: repositoryUrl(from.repository, `blobs/${file.digest}`).href, ...file };
}

async function platformOf(config: string | undefined, from: Describing): Promise<string> {
  if (config === undefined) return 'any';
  const reply = await read(`blobs/${config}`, '*/*', from);
  if (reply.status === 404) throw missing(config, from);
  checkDigest(config, reply, from);
  return withErrorContext(from.connection.where, () =>
    platformInConfig(parseJson(reply.body.text)),
  );
}

async function read(path: string, accept: string, from: Describing): Promise<Reply> {
  const { repository, connection, round } = from;
  // What has a digest may come from the storage behind a registry, with any type.
  const isBlob = path.startsWith('blobs/');
  const bounds = { largest: LARGEST, mostTokens: MOST_TOKENS, anyType: isBlob, mayLeave: isBlob };
  return await connection.get(repositoryUrl(repository, path), { accept, ...bounds }, round);
}

/** What is asked for by its digest must have it. */
function checkDigest(reference: string, { body }: Reply, { connection }: Describing): void {
  if (!reference.startsWith('sha256:') || reference === `sha256:${body.digest}`) return;
  const message = `${connection.where} does not respond like a registry: ${reference} has the sha256 ${body.digest}`;
  throw new RegistryError('not-a-registry', message);
}

function missing(digest: string, { connection, repository }: Describing): RegistryError {
  const message = `${connection.where} lacks a part of a release of ${repository.moduleId}: ${digest}`;
  return new RegistryError('not-a-registry', message);
}

import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import type { Artifact, ReleaseRecord } from '../../core/index.ts';
import { parseJson } from '../formats/json-text.ts';
import {
  decodeManifest,
  isManifestOfSchema1,
  MANIFEST_TYPES,
  platformInConfig,
  type Manifest,
} from '../formats/oci-manifest.ts';
import { RegistryError } from '../registry-error.ts';
import type { RequestContext } from '../remote-registry.ts';
import type { Connection } from './connection.ts';
import type { Reply } from './exchange.ts';
import { repositoryUrl, type Repository } from './oci-repository.ts';

/** What registries accept as a manifest at least. (OCI Distribution 1.1, "Pushing Manifests") */
const LARGEST = 4 * 1024 * 1024;
const MOST_TOKENS = 250_000;
/** An index has one manifest for each platform, and machines have two. */
const MOST_ENTRIES = 8;
/** With these, a registry says something of one manifest: it lacks it, cannot convert it, or a rule of its owner stops it. */
const ABOUT_ONE: ReadonlySet<number> = new Set([400, 404, 406, 410, 412, 422, 451]);

/** What the manifests of a release say. */
export type Description = Pick<ReleaseRecord, 'publishedAt' | 'artifacts'>;

/** A part of a release, or why it cannot be used, in one escaped line. */
type Part<T> = Result<T, string>;

export interface Describing {
  readonly repository: Repository;
  readonly connection: Connection;
  readonly round: RequestContext;
}

/**
 * Reads what a tag names. The error is why it describes no release (D141); throws a RegistryError if the registry cannot be read, or sends other
 * content than was asked for. (OCI Distribution 1.1, "Pulling manifests")
 */
export async function describeTag(tag: string, from: Describing): Promise<Part<Description>> {
  const top = await manifestOf(tag, 'its manifest', from);
  if (!top.ok) return top;
  if (top.value.kind === 'manifest') {
    const file = await artifactOf(top.value, undefined, from);
    return file.ok ? described([top.value], [file.value]) : file;
  }
  const manifests: Found[] = [top.value];
  const files: Artifact[] = [];
  for (const { digest, platform } of top.value.entries.slice(0, MOST_ENTRIES)) {
    const manifest = await manifestOf(digest, `its manifest ${digest} for ${platform}`, from);
    if (!manifest.ok) return manifest;
    manifests.push(manifest.value);
    if (manifest.value.kind !== 'manifest') continue;
    const file = await artifactOf(manifest.value, platform, from);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return described(manifests, files);
}

function described(manifests: readonly Found[], artifacts: readonly Artifact[]): Part<Description> {
  const times = manifests.flatMap(({ createdAt }) => createdAt ?? []);
  return { ok: true, value: { publishedAt: times[0], artifacts } };
}

/** A manifest, and its digest. */
type Found = Manifest & { readonly digest: string };

/** The manifest that a person knows as `what`. */
async function manifestOf(reference: string, what: string, from: Describing): Promise<Part<Found>> {
  const reply = await read(`manifests/${reference}`, MANIFEST_TYPES, what, from);
  if (!reply.ok) return reply;
  const { headers, body } = reply.value;
  const type = headers.get('content-type');
  if (isManifestOfSchema1(type)) {
    return bad(`${what} has Docker's schema 1, which does not say what its file is`);
  }
  checkIsNoPage(type, from);
  checkDigest(reference, reply.value, from);
  const manifest = parsed(body.text, decodeManifest);
  if (!manifest.ok) return bad(`${what}: ${manifest.error}`);
  return { ok: true, value: { ...manifest.value, digest: `sha256:${body.digest}` } };
}

/** The only layer. A container of several is no file that can be installed, so its manifest stands for it, without an address. */
async function artifactOf(
  { file, config, digest }: Extract<Found, { readonly kind: 'manifest' }>,
  named: string | undefined,
  from: Describing,
): Promise<Part<Artifact>> {
  const found = await platformOf(named, config, from);
  if (!found.ok) return found;
  const platform = found.value;
  if (!file) return { ok: true, value: { platform, digest } };
  const url = repositoryUrl(from.repository, `blobs/${file.digest}`).href;
  return { ok: true, value: { platform, url, ...file } };
}

/** The platform that an index names, else that of the config. */
async function platformOf(
  named: string | undefined,
  config: string | undefined,
  from: Describing,
): Promise<Part<string>> {
  if (named !== undefined || config === undefined) return { ok: true, value: named ?? 'any' };
  const what = `its config ${config}`;
  const reply = await read(`blobs/${config}`, '*/*', what, from);
  if (!reply.ok) return reply;
  checkDigest(config, reply.value, from);
  const platform = parsed(reply.value.body.text, (json) => {
    return { ok: true, value: platformInConfig(json) };
  });
  return platform.ok ? platform : bad(`${what}: ${platform.error}`);
}

async function read(
  path: string,
  accept: string,
  what: string,
  from: Describing,
): Promise<Part<Reply>> {
  const { repository, connection, round } = from;
  // What has a digest may come from the storage behind a registry, with any type.
  const mayLeave = path.startsWith('blobs/');
  const bounds = { largest: LARGEST, mostTokens: MOST_TOKENS, anyType: true, mayLeave };
  const request = { accept, answered: ABOUT_ONE, ...bounds };
  try {
    const reply = await connection.get(repositoryUrl(repository, path), request, round);
    const { status } = reply;
    if (status === 404) return bad(`${what} is missing (404)`);
    return ABOUT_ONE.has(status)
      ? bad(`the registry does not send ${what} (${status})`)
      : { ok: true, value: reply };
  } catch (error) {
    if (!(error instanceof RegistryError) || error.kind !== 'list-too-large') throw error;
    return bad(`${what} is too large`);
  }
}

/** What `decode` makes of the JSON in `text`. */
function parsed<T>(text: string, decode: (json: unknown) => Part<T>): Part<T> {
  try {
    return decode(parseJson(text));
  } catch (error) {
    if (error instanceof RegistryError) return bad(error.message);
    throw error;
  }
}

function bad(error: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error };
}

/** A sign-in page in place of a manifest says nothing of a release. */
function checkIsNoPage(type: string | null, { connection: { where } }: Describing): void {
  if (type !== null && !/^text\/html\b/i.test(type)) return;
  const message = `${where} does not respond like a registry: got ${excerpt(type ?? 'no content-type')}`;
  throw new RegistryError('not-a-registry', message);
}

/** What is asked for by its digest must have it, and what a registry sends has the digest that it names. (OCI Distribution 1.1, "Pulling manifests") */
function checkDigest(
  reference: string,
  { body, headers }: Reply,
  { connection }: Describing,
): void {
  const named = headers.get('docker-content-digest') ?? '';
  for (const expected of [reference, named]) {
    if (!expected.startsWith('sha256:') || expected === `sha256:${body.digest}`) continue;
    const message = `${connection.where} does not respond like a registry: ${excerpt(expected)} has the sha256 ${body.digest}`;
    throw new RegistryError('not-a-registry', message);
  }
}

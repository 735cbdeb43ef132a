/*
 * Stands in for a registry of container images. (OCI Distribution Specification 1.1, "Content Discovery" and "Error Codes")
 *
 * - `GET /v2/<name>/tags/list` has the tags of a repository in lexical order, whatever their case.
 * - With `?n=<number>` it has so many, and `&last=<tag>` those after a tag. While there are more, a `Link` header (RFC 5988) with
 *   `rel="next"` is the address of the next page.
 * - A repository that it does not have is 404 with the code NAME_UNKNOWN.
 */
import { createHash } from 'node:crypto';
import type { Answer } from './network.ts';

/** A registry with the tags of these repositories. */
export function ociRegistry(repositories: Readonly<Record<string, readonly string[]>>): Answer {
  return ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const [, name = ''] = /^\/v2\/(.+)\/tags\/list$/.exec(pathname) ?? [];
    const tags = Object.hasOwn(repositories, name) ? repositories[name] : undefined;
    if (!tags) {
      const error = { code: 'NAME_UNKNOWN', message: 'repository name not known to registry' };
      return Response.json({ errors: [error] }, { status: 404 });
    }
    const last = searchParams.get('last')?.toLowerCase() ?? '';
    const left = tags
      .filter((tag) => tag.toLowerCase() > last)
      .toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
    const count = Number(searchParams.get('n') ?? left.length);
    const page = left.slice(0, count);
    const next = `<${pathname}?n=${count}&last=${page.at(-1)}>; rel="next"`;
    const isLast = page.length === 0 || left.length <= count;
    return Response.json({ name, tags: page }, { headers: isLast ? [] : [['link', next]] });
  };
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** What a repository has, by tag or digest. */
export interface OciContents {
  readonly tags: Readonly<Record<string, string>>;
  /** Manifests and blobs, by digest. */
  readonly content: ReadonlyMap<string, { readonly type: string; readonly body: Uint8Array }>;
}

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';

/** A file of a release. Without a `platform`, it is an artifact as `oras push` makes it; with one, an image. */
export interface OciFile {
  readonly body: Uint8Array;
  readonly platform?: string;
  readonly created?: string;
}

/**
 * The contents of a repository. A list of files is an index, whose entries have the platforms; a number is an image with so many layers.
 * (OCI Image Specification 1.1, "Image Manifest" and "Image Index")
 */
export function ociContents(
  releases: Readonly<Record<string, OciFile | readonly OciFile[] | number>>,
): OciContents {
  const content = new Map<string, { type: string; body: Uint8Array }>();
  const add = (type: string, body: Uint8Array | object): Descriptor => {
    const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    content.set(digest, { type, body: bytes });
    return { mediaType: type, digest, size: bytes.length };
  };
  const manifest = ({ body, platform, created }: OciFile, layers = 1): Descriptor => {
    const layer = { ...add('application/octet-stream', body), mediaType: LAYER };
    const config = { ...add('application/octet-stream', platformOf(platform)), mediaType: CONFIG };
    const empty = {
      ...add('application/octet-stream', {}),
      mediaType: 'application/vnd.oci.empty.v1+json',
    };
    return add(MANIFEST, {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: platform === undefined ? empty : config,
      layers: Array.from({ length: layers }, () => layer),
      ...(created !== undefined && {
        annotations: { 'org.opencontainers.image.created': created },
      }),
    });
  };
  const index = (files: readonly OciFile[]): Descriptor => {
    const manifests = files.map((file) => ({
      ...manifest(file),
      platform: platformOf(file.platform),
    }));
    return add(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests });
  };
  const tags = Object.entries(releases).map(([tag, of]) => {
    if (typeof of === 'number') return [tag, manifest({ body: Buffer.from('x') }, of).digest];
    return [tag, ('body' in of ? manifest(of) : index(of)).digest];
  });
  return { tags: Object.fromEntries(tags), content };
}

function platformOf(platform = '/'): object {
  const [os, architecture] = platform.split('/');
  return { os, architecture };
}

/** A repository with its manifests and blobs. (OCI Distribution Specification 1.1, "Pull") */
export function ociRepository(name: string, { tags, content }: OciContents): Answer {
  const list = ociRegistry({ [name]: Object.keys(tags) });
  return async (request) => {
    const { pathname } = new URL(request.url);
    const [, kind, reference = ''] = /\/(manifests|blobs)\/([^/]+)$/.exec(pathname) ?? [];
    if (kind === undefined || !pathname.startsWith(`/v2/${name}/`)) return await list(request);
    const found = content.get(tags[reference] ?? reference);
    if (!found) {
      const code = kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN';
      return Response.json({ errors: [{ code }] }, { status: 404 });
    }
    return new Response(Buffer.from(found.body), { headers: { 'content-type': found.type } });
  };
}

/**
 * The same for a client with a token, which the token server at `/token` of the same origin issues: to anybody, or to `user:password`.
 * (Distribution, "Token Authentication Specification")
 */
export function withTokenServer(
  answer: Answer,
  { pair, realm, expiresIn }: TokenServer = {},
): Answer {
  let issued = 0;
  return async (request) => {
    const { origin, pathname, searchParams } = new URL(request.url);
    const authorization = request.headers.get('authorization');
    if (pathname === '/token') {
      const basic = pair === undefined ? null : `Basic ${Buffer.from(pair).toString('base64')}`;
      if (authorization !== basic) return new Response(null, { status: 401 });
      issued++;
      const token = `token-${issued}-${searchParams.get('scope')}`;
      return Response.json({ token, expires_in: expiresIn });
    }
    if (issued > 0 && authorization?.startsWith(`Bearer token-${issued}-repository:`) === true) {
      return await answer(request);
    }
    const challenge = `Bearer realm="${realm ?? `${origin}/token`}",service="registry",scope="repository:other/name:pull,push"`;
    return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
  };
}

/** What a token server asks for, and how the registry names it. */
export interface TokenServer {
  readonly pair?: string;
  readonly realm?: string;
  readonly expiresIn?: number;
}

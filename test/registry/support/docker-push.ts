import { createHash } from 'node:crypto';

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const CONFIG = 'application/vnd.oci.image.config.v1+json';

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** A repository to push to: its address, and what a registry with sign-in wants. */
export interface PushTo {
  readonly repository: string;
  readonly authorization?: string;
}

async function sent(url: URL | string, init: RequestInit, to: PushTo): Promise<Response> {
  const headers = new Headers(init.headers);
  if (to.authorization !== undefined) headers.set('authorization', to.authorization);
  const response = await fetch(url, { ...init, headers });
  if (!response.ok) throw new Error(`${init.method} ${String(url)}: ${response.status}`);
  return response;
}

/** Pushes a blob. Returns its descriptor, without the type. (OCI Distribution 1.1, "Pushing blobs") */
export async function pushBlob(to: PushTo, body: string): Promise<object> {
  const upload = await sent(`${to.repository}/blobs/uploads/`, { method: 'POST' }, to);
  const url = new URL(upload.headers.get('location') ?? '', to.repository);
  const digest = digestOf(body);
  url.searchParams.set('digest', digest);
  const headers = { 'content-type': 'application/octet-stream' };
  await sent(url, { method: 'PUT', body, headers }, to);
  return { digest, size: body.length };
}

/** Pushes a manifest or an index. (OCI Distribution 1.1, "Pushing Manifests") */
export async function pushManifest(
  to: PushTo,
  reference: string,
  { body, type = MANIFEST }: { readonly body: string; readonly type?: string },
): Promise<void> {
  const headers = { 'content-type': type };
  await sent(`${to.repository}/manifests/${reference}`, { method: 'PUT', body, headers }, to);
}

/** Pushes an artifact with one layer under a tag. */
export async function pushFile(to: PushTo, tag: string, file: string): Promise<void> {
  const layer = { mediaType: 'application/octet-stream', ...(await pushBlob(to, file)) };
  const config = { mediaType: CONFIG, ...(await pushBlob(to, '{}')) };
  const image = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [layer] };
  await pushManifest(to, tag, { body: JSON.stringify(image) });
}

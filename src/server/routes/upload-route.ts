import type { Context } from 'hono';
import type { ModuleId } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import { hostedUrl, isSha256 } from '../../registry/formats/hosted-artifact.ts';
import { findArtifact } from '../artifacts/artifact-store.ts';
import { scopeRefusal, peerOf, type TokenRefusal } from './bearer.ts';
import type { ServerLimits } from '../server-limits.ts';
import { withModule } from './module-route.ts';
import { problem } from '../problem.ts';
import { receiveArtifact, type ArtifactMismatch } from '../artifacts/receive-artifact.ts';
import type { UploadSlots } from '../limits/upload-slots.ts';
import type { Caller } from './caller.ts';

/** A file that a request is about to send. */
interface Announced {
  readonly moduleId: ModuleId;
  readonly sha256: string;
  readonly size: number;
}

/** Receives a file for a release of a module, unless the registry has it. */
export async function uploadAnswer(
  c: Context,
  caller: Caller,
  slots: UploadSlots,
): Promise<Response | TokenRefusal> {
  return await withModule(c, async (moduleId) => {
    const refusal = scopeRefusal(caller.token, 'publish', namespaceOf(moduleId));
    if (refusal) return refusal;
    const announced = announcedIn(c, moduleId, slots.limits);
    return announced instanceof Response ? announced : await stored(c, announced, caller, slots);
  });
}

function announcedIn(
  c: Context,
  moduleId: ModuleId,
  { artifactBytes }: ServerLimits,
): Announced | Response {
  const sha256 = c.req.param('sha256') ?? '';
  if (!isSha256(sha256)) return problem('bad-request', 'expected 64 lower-case digits of sha256');
  const length = c.req.header('content-length') ?? '';
  if (!/^\d+$/.test(length)) {
    return problem('length-required', 'send the file with its content-length, and not in chunks');
  }
  if (Number(length) > artifactBytes) {
    return problem('too-large', `a file may have at most ${artifactBytes} bytes`);
  }
  return { moduleId, sha256, size: Number(length) };
}

async function stored(
  c: Context,
  { moduleId, sha256, size }: Announced,
  { catalogue, token, changed }: Caller,
  slots: UploadSlots,
): Promise<Response> {
  const { path } = catalogue;
  const digest = `sha256:${sha256}`;
  const json = { module_id: moduleId, url: hostedUrl(sha256), digest, size };
  if (findArtifact(path, sha256)?.size === size) return c.json({ ...json, result: 'unchanged' });
  const upload = { tokenId: token.id, size, peer: peerOf(c) };
  return await slots.within(upload, async (expected) => {
    const isListed = catalogue.listedArtifacts().has(sha256);
    const bytes = c.req.raw.body ?? new Blob([]).stream();
    const mismatch = await receiveArtifact(path, { sha256, size, isListed }, bytes, {
      expected,
      freeDisk: slots.limits.freeDisk,
    });
    if (mismatch) return problem('bad-file', `${wordsFor(mismatch, digest, size)}: not stored`);
    changed({ kind: 'uploaded', moduleId, digest, size });
    return c.json({ ...json, result: 'uploaded' }, 201);
  });
}

function wordsFor(mismatch: ArtifactMismatch, digest: string, size: number): string {
  switch (mismatch.kind) {
    case 'more-bytes':
      return `got more bytes than the ${size} that were announced`;
    case 'fewer-bytes':
      return `got ${mismatch.size} bytes, expected ${size}`;
    case 'other-digest':
      return `got sha256:${mismatch.sha256}, expected ${digest}`;
  }
}

import { createReadStream, statSync } from 'node:fs';
import type { ModuleId, Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { hostedUrl } from '../registry/formats/hosted-artifact.ts';
import type { RegistryWriter } from '../registry/registry-writer.ts';
import { digestOf } from '../server/artifacts/artifact-digest.ts';
import { findArtifact } from '../server/artifacts/artifact-store.ts';
import type { Catalogue } from '../server/catalogue/catalogue.ts';
import { removeAbandoned } from '../server/artifacts/incoming-artifacts.ts';
import { mismatch } from '../server/backup/file-check.ts';
import { SERVER_LIMITS } from '../server/server-limits.ts';
import { receiveArtifact } from '../server/artifacts/receive-artifact.ts';
import type { Problem } from '../base/problem.ts';
import { shellWord } from '../base/shell-word.ts';
import { unreadableFile } from '../host/document-file.ts';
import { refusalProblem } from './remote-registry.ts';

/** A file that the registry is to host, as an artifact of a release. */
export interface Upload {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** The artifact, as JSON that `readRelease` accepts. */
  readonly artifact: object;
}

/** The files that the values of `--upload` name: `<platform>=<file>`, or `<file>` for all platforms. */
export async function uploadsOf(
  texts: readonly string[],
): Promise<Result<readonly Upload[], Problem>> {
  const uploads: Upload[] = [];
  for (const text of texts) {
    const equals = text.indexOf('=');
    const platform = equals < 0 ? 'any' : text.slice(0, equals);
    const upload = await uploadOf(platform, text.slice(equals + 1));
    if (!upload.ok) return upload;
    uploads.push(upload.value);
  }
  return { ok: true, value: uploads };
}

async function uploadOf(platform: string, path: string): Promise<Result<Upload, Problem>> {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) {
      return unreadable(
        path,
        'not a regular file',
        stats.isDirectory() ? packHint(path) : undefined,
      );
    }
    if (stats.size > SERVER_LIMITS.artifactBytes) return tooLarge(path, stats.size);
    const { sha256, size } = await digestOf(createReadStream(path));
    const artifact = { platform, url: hostedUrl(sha256), digest: `sha256:${sha256}`, size };
    return { ok: true, value: { path, sha256, size, artifact } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return unreadable(path, code);
  }
}

/** Stores files beside the registry's database, unless they are there, and removes what earlier uploads left. Throws a DatabaseError if they cannot be written. */
export async function storeUploads(
  uploads: readonly Upload[],
  catalogue: Catalogue,
  now: number,
): Promise<Problem | undefined> {
  removeAbandoned(catalogue.path, now);
  for (const { path, sha256, size } of uploads) {
    const stored = findArtifact(catalogue.path, sha256);
    // A file with other bytes is replaced.
    if (stored && mismatch(stored.path, sha256, size) === undefined) continue;
    const isListed = catalogue.listedArtifacts().has(sha256);
    const bytes = createReadStream(path);
    const changed = await receiveArtifact(catalogue.path, { sha256, size, isListed }, bytes);
    if (changed) return changedFile(path);
  }
  return undefined;
}

/** How many bytes of a file an attempt has sent. */
export interface SentBytes {
  readonly path: string;
  readonly bytes: number;
  readonly total: number;
}

type OnSent = (sent: SentBytes) => void;

/** Sends files to a registry, unless it has them, and says how far it is. Rejects with a RegistryError. */
export async function sendUploads(
  uploads: readonly Upload[],
  writer: RegistryWriter,
  { moduleId, onSent }: { readonly moduleId: ModuleId; readonly onSent?: OnSent | undefined },
): Promise<Problem | undefined> {
  for (const { path, sha256, size } of uploads) {
    const open = (): AsyncIterable<Uint8Array> => counted({ path, total: size }, onSent);
    const result = await writer.upload(moduleId, { sha256, size, open });
    if (result.kind === 'bad-file') return changedFile(path);
    if (result.kind !== 'done') return refusalProblem(result);
  }
  return undefined;
}

async function* counted(
  file: Pick<SentBytes, 'path' | 'total'>,
  onSent: OnSent | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  onSent?.({ ...file, bytes });
  for await (const chunk of createReadStream(file.path) as AsyncIterable<Uint8Array>) {
    yield chunk;
    bytes += chunk.length;
    onSent?.({ ...file, bytes });
  }
}

/** The problem for a file whose bytes are no longer those that were read first. */
function changedFile(path: string): Problem {
  const message = `the file ${quote(path)} changed while it was read; nothing was published`;
  const hint = 'run the command again when nothing writes to the file';
  return { severity: 'error', kind: 'unreadable-file', message, hint };
}

function unreadable(path: string, reason: string, hint?: string): Result<never, Problem> {
  return { ok: false, error: { ...unreadableFile(path, reason), hint } };
}

const packHint = (folder: string): string =>
  `modreg module pack ${shellWord(folder)} makes an archive of it`;

function tooLarge(path: string, size: number): Result<never, Problem> {
  const message = `the file ${quote(path)} has ${size} bytes, and a registry hosts files of at most ${SERVER_LIMITS.artifactBytes}`;
  const hint = 'publish it elsewhere, and name its address with --artifact';
  return { ok: false, error: { severity: 'error', kind: 'too-large', message, hint } };
}

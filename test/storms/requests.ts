import { createHash } from 'node:crypto';
import {
  moduleOf,
  releaseOf,
  type Content,
  type Counts,
  type Finding,
  type Journal,
} from './journal.ts';

/** The registry that a client sends its requests to. */
export interface Target {
  readonly address: string;
  readonly token: string;
  readonly journal: Journal;
  readonly counts: Counts;
  /** Whether its system calls fail: an answer of 5xx then says nothing about the change. */
  readonly isFaulty?: boolean;
}

/** Whether a request got the expected response: its client can go on. */
type Answered = boolean;

/** Publishes a release, and records the response. With `isContested`, another client may have published the version. */
export async function publish(
  target: Target,
  {
    name,
    version,
    content,
  }: { readonly name: string; readonly version: string; readonly content: Content },
  isContested = false,
): Promise<Answered> {
  const module = moduleOf(target.journal, name);
  const release = releaseOf(module, version);
  const text = JSON.stringify(content);
  release.unanswered.add(text);
  const path = `/v1/modules/acme/${name}/releases`;
  const body = JSON.stringify({ version, ...content });
  const status = await send(target, path, { method: 'POST', body });
  if (status === undefined) {
    const again = { name, version, content };
    return repeatLater(target, async (next) => await publish(next, again, isContested));
  }
  release.unanswered.delete(text);
  release.exists = true;
  // 201 at most once for a version; then 200 for the same content, and 409 for another.
  const expected = release.content === undefined ? 201 : 200;
  if (status !== expected && !(isContested && status === 409)) {
    return unexpected(target, {
      kind: status === 201 ? 'duplicated' : 'wrong',
      text: `publishing ${name} ${version}: status ${status}, expected ${expected}`,
    });
  }
  if (status === 409) return true;
  release.content = text;
  if (status === 201) {
    module.changes++;
    target.counts.published++;
  }
  return true;
}

/** Yanks an acknowledged release for `reason`, or unyanks it, and records the response. */
export async function yank(
  target: Target,
  {
    name,
    version,
    reason,
  }: { readonly name: string; readonly version: string; readonly reason: string | null },
): Promise<Answered> {
  const module = moduleOf(target.journal, name);
  const release = releaseOf(module, version);
  release.unansweredYank = reason;
  const path = `/v1/modules/acme/${name}/releases/${version}/yank`;
  const init =
    reason === null ? { method: 'DELETE' } : { method: 'PUT', body: JSON.stringify({ reason }) };
  const status = await send(target, path, init);
  if (status === undefined) {
    return repeatLater(target, async (next) => await yank(next, { name, version, reason }));
  }
  if (status !== 200) {
    return unexpected(target, {
      kind: 'wrong',
      text: `yanking ${name} ${version}: status ${status}`,
    });
  }
  release.unansweredYank = undefined;
  if (release.yanked === reason) return true;
  release.yanked = reason;
  module.changes++;
  target.counts.yanked++;
  return true;
}

/** Uploads a file, and records the response. */
export async function upload(
  target: Target,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Answered> {
  const sha256 = sha256Of(bytes);
  const path = `/v1/modules/acme/${name}/artifacts/sha256/${sha256}`;
  const status = await send(target, path, { method: 'PUT', body: bytes });
  if (status === undefined) {
    return repeatLater(target, async (next) => await upload(next, name, bytes));
  }
  if (status !== 201 && status !== 200) {
    return unexpected(target, { kind: 'wrong', text: `uploading ${sha256}: status ${status}` });
  }
  target.journal.files.set(sha256, bytes.length);
  target.counts.uploaded++;
  return true;
}

function repeatLater(target: Target, repeat: (next: Target) => Promise<unknown>): false {
  target.journal.unanswered.push(async (address) => await repeat({ ...target, address }));
  return false;
}

function unexpected({ journal }: Target, finding: Finding): false {
  journal.findings.push(finding);
  return false;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whatever fails, an answer comes sooner. */
const LONGEST_ANSWER_MS = 30_000;

/** The status of the response; undefined if the server was killed first, or if it failed and may fail. */
async function send(
  { address, token, isFaulty = false }: Target,
  path: string,
  init: RequestInit,
): Promise<number | undefined> {
  const type = typeof init.body === 'string' ? { 'content-type': 'application/json' } : {};
  const headers = { authorization: `Bearer ${token}`, ...type };
  let response: Response;
  try {
    response = await fetch(`${address}${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  // The status is the acknowledgement. The rest of the response may be cut off.
  await response.arrayBuffer().catch(() => undefined);
  return isFaulty && response.status >= 500 ? undefined : response.status;
}

import { dirname } from 'node:path';
import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import type { Artifact, Result, Secret } from '../../core/index.ts';
import {
  expectArgument,
  expectMembers,
  FLAG,
  FUNCTION,
  LIST,
  OBJECT,
  optional,
  SIGNAL,
  TEXT,
  type Expected,
} from '../../core/text/argument.ts';
import { expectSpelling } from '../../core/text/spelling.ts';
import { CLOCK, systemClock, systemRandom, type Clock } from '../../registry/clock.ts';
import { tokenOf } from '../../registry/http/connection.ts';
import { withoutToken } from '../../registry/http/echoed-token.ts';
import { isBlob } from '../../registry/http/blob-address.ts';
import { accessTo, secretsIn } from '../../registry/http/registry-access.ts';
import { DEFAULT_LIMITS, type Limits } from '../../registry/http/limits.ts';
import { retryBudget } from '../../registry/retry-budget.ts';
import { retrying } from '../../registry/retry.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { sourceOf, type ArtifactSource } from './artifact-source.ts';
import { hashFile } from './file-digest.ts';
import { isWebPage } from './file-type.ts';
import { machineFault, settled, wrongRelease, type InstallFailure } from './install-failure.ts';
import { transfer, type TransferContext, type Transferred } from './transfer.ts';

/** How `fetchArtifact` downloads a file. */
export interface FetchOptions {
  /** Hosts that may be contacted without TLS, as `host` or `host:port`: `allowHttp` of the policy. None by default. */
  readonly allowHttp?: readonly string[];
  /** Whether the release needs a sha256 or sha512 digest: `requireDigest` of the policy. True by default. */
  readonly requireDigest?: boolean;
  /** Returns the bearer token for the server at `url`, as for `openRegistries`. It is sent to the origin of `url` only. */
  readonly token?: ((url: URL) => Secret | undefined) | undefined;
  /** Aborts the download, which then rejects with its reason. What has arrived is kept. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the global `fetch`, for example to use a proxy or other certificates. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The source of time; `systemClock` by default. */
  readonly clock?: Clock | undefined;
  /** Called with the bytes that are there, and those that are expected; undefined if nothing says how many. Must not throw. */
  readonly onProgress?: ((bytes: number, total: number | undefined) => void) | undefined;
  /** Limits that override the defaults: a response begins within 10 s, never pauses for 60 s, and brings 1 KiB per second. */
  readonly limits?: Partial<
    Pick<Limits, 'answerMs' | 'idleMs' | 'slowAfterMs' | 'leastBytesPerSecond'>
  >;
}

/** A downloaded file. */
export interface FetchedArtifact {
  /** In bytes. */
  readonly size: number;
  /** `sha256:…` or `sha512:…`, in hexadecimal: the kind that the release has, else sha256. */
  readonly digest: string;
  /** Whether the release has a digest, which is then this one. */
  readonly isVerified: boolean;
}

/** How long a server may be silent: a slow disk behind it takes longer than a release list. */
const IDLE_MS = 60_000;
/** The longest timer. At the least rate, the largest file takes half of it. */
const NO_LIMIT_MS = 2 ** 31 - 1;
const MOST_ROUNDS = 4;
/** A connection that breaks again and again is still useful if it brings this much in between. */
const WORTHWHILE_BYTES = 1024 * 1024;

/** The members of a release's file, and the options, that a program which no compiler checked may get wrong. */
export const ARTIFACT: Readonly<Record<string, Expected>> = {
  url: optional(TEXT),
  digest: optional(TEXT),
  platform: TEXT,
};
export const FETCH_OPTIONS: Readonly<Record<Exclude<keyof FetchOptions, 'onProgress'>, Expected>> =
  {
    allowHttp: optional(LIST),
    requireDigest: optional(FLAG),
    token: optional(FUNCTION),
    signal: optional(SIGNAL),
    fetch: optional(FUNCTION),
    clock: optional(CLOCK),
    limits: optional(OBJECT),
  };
const OPTIONS: Readonly<Record<keyof FetchOptions, Expected>> = {
  ...FETCH_OPTIONS,
  onProgress: optional(FUNCTION),
};

/**
 * Downloads the file of a release to `path`, which has that name only once it is complete and has the digest of the release. What
 * arrives is kept as `${path}.part`, and the next call resumes it. Contacts only addresses that release lists may have, and follows
 * redirects within their origin. One call at a time for a `path`.
 *
 * Rejects only with the reason of `signal`, or with a TypeError for an argument of the wrong type.
 *
 * @example
 * ```ts
 * import { fetchArtifact } from 'modreg/agent';
 *
 * const artifact = {
 *   platform: 'linux/arm64',
 *   url: 'https://registry.example/lidar-1.2.9.tgz',
 *   digest: 'sha256:3f8a91c20b7dd3b2c1e4a5968778695a4b3c2d1e0f1021324354657687980a1b',
 * };
 * const fetched = await fetchArtifact(artifact, '/var/lib/agent/lidar-1.2.9.tgz');
 * if (fetched.ok) console.log(`${fetched.value.size} bytes, ${fetched.value.digest}`);
 * else console.error(`${fetched.error.blame}: ${fetched.error.reason}`);
 * ```
 */
export async function fetchArtifact(
  artifact: Artifact,
  path: string,
  options: FetchOptions = {},
): Promise<Result<FetchedArtifact, InstallFailure>> {
  expectMembers('fetchArtifact()', 'artifact', artifact, ARTIFACT);
  expectArgument('fetchArtifact()', 'path', path, TEXT);
  expectMembers('fetchArtifact()', 'options', options, OPTIONS);
  expectSpelling('fetchArtifact()', 'options', options, OPTIONS);
  const { allowHttp = [], requireDigest = true, signal, fetch } = options;
  let token: Secret | undefined;
  const result = await settled({ signal, folder: dirname(path) }, async () => {
    const source = sourceOf(artifact, { allowHttp, requireDigest });
    const there = await verifiedAt(path, source, signal);
    if (there) return there;
    token = tokenOf(source.where, { token: () => options.token?.(source.url) });
    const { url, where } = source;
    // The registry of a blob may ask for the token of a token server.
    const access = accessTo(isBlob(url) ? 'oci' : 'npm', { where, allowHttp, fetch });
    return await download(source, path, { ...contextOf(options, token), access });
  });
  if (result.ok) return result;
  return {
    ok: false,
    error: { ...result.error, reason: secretsIn(token).reduce(withoutToken, result.error.reason) },
  };
}

function contextOf(
  options: FetchOptions,
  token: Secret | undefined,
): Omit<TransferContext, 'access'> {
  const { signal, fetch, clock = systemClock, onProgress = () => undefined } = options;
  const times = { idleMs: IDLE_MS, totalMs: NO_LIMIT_MS };
  const limits = { ...DEFAULT_LIMITS, ...times, ...options.limits };
  return { limits, clock, signal, fetch, token, onProgress };
}

/** The file at `path`, if an earlier call has completed it. Any other file there is removed. */
async function verifiedAt(
  path: string,
  { digest }: ArtifactSource,
  signal: AbortSignal | undefined,
): Promise<FetchedArtifact | undefined> {
  const file = await openIfThere(path);
  if (!file) return undefined;
  try {
    if (digest) {
      const { hash, size } = await hashFile(file, digest.algorithm, signal);
      if (hash.digest('hex') === digest.hex) {
        return { size, digest: `${digest.algorithm}:${digest.hex}`, isVerified: true };
      }
    }
  } finally {
    await file.close();
  }
  await rm(path);
  return undefined;
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function download(
  source: ArtifactSource,
  path: string,
  context: TransferContext,
): Promise<FetchedArtifact> {
  const part = `${path}.part`;
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const file = await open(part, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  let complete: Transferred;
  try {
    complete = await verified(source, file, context);
  } finally {
    await file.close();
  }
  await rename(part, path);
  const { algorithm } = source.digest ?? { algorithm: 'sha256' };
  const digest = `${algorithm}:${complete.hex}`;
  return { size: complete.size, digest, isVerified: source.digest !== undefined };
}

/** Transfers until the file has the digest of the release. A part of another file, or one that was damaged, is resumed in vain. */
async function verified(
  source: ArtifactSource,
  file: FileHandle,
  context: TransferContext,
): Promise<Transferred> {
  const { digest, where } = source;
  let wrong: string | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = await transferred(source, file, context);
    await file.datasync();
    if (digest === undefined || found.hex === digest.hex) return found;
    const isPage = await isWebPage(file);
    await file.truncate(0);
    if (isPage) {
      throw machineFault(
        'wrong-response',
        `${where} is answered with a web page: does this network need a login?`,
      );
    }
    if (found.hex === wrong) {
      const reason = `${where} has the ${digest.algorithm} ${found.hex} in two downloads, expected ${digest.hex}`;
      throw wrongRelease('wrong-digest', reason);
    }
    if (!found.isResumed) wrong = found.hex;
  }
  throw machineFault(
    'wrong-response',
    `${where} was different each time, and never had its digest`,
  );
}

/** A complete transfer. Resumes it while the connection brings something. */
async function transferred(
  source: ArtifactSource,
  file: FileHandle,
  context: TransferContext,
): Promise<Transferred> {
  const attempt = async (): Promise<Transferred> => await transfer(source, file, context);
  for (;;) {
    const before = (await file.stat()).size;
    try {
      return await retrying(attempt, {
        ...context,
        random: systemRandom,
        retryWithinMs: Infinity,
        budget: retryBudget(),
        onRetry: () => undefined,
      });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const { size } = await file.stat();
      if (size - before < WORTHWHILE_BYTES) throw error;
    }
  }
}

import { statfsSync } from 'node:fs';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { RegistryError, type RegistryErrorKind } from '../../registry/registry-error.ts';

/** Why a package could not be downloaded or prepared. */
export interface InstallFailure {
  /** Whether another machine would fail as well: the release is wrong, not this machine, its network or its server. */
  readonly blame: 'release' | 'machine';
  /** The kind of failure, for programs. */
  readonly kind:
    /** The release names no file for this machine, or no address of it. */
    | 'nothing-to-download'
    /** The address is not one that a machine may contact. */
    | 'bad-address'
    /** The server or the connection failed. */
    | 'unreachable'
    /** The server or the disk was too slow. */
    | 'timeout'
    /** The server denies access (401, 403 or 407), or there is no usable token to send. */
    | 'denied'
    /** The server does not have the file (404 or 410). */
    | 'missing'
    /** The server asks to retry later (429), or has an error (5xx). */
    | 'busy'
    /** A redirect to another origin, or one without a usable target. */
    | 'bad-redirect'
    /** The TLS certificate is not valid. */
    | 'bad-certificate'
    /** The response is not the file: a web page, a file of another size, or one that changes. */
    | 'wrong-response'
    /** There is not enough space on the disk. */
    | 'disk-full'
    /** A file or folder cannot be read or written. */
    | 'unusable-disk'
    /** The package is not installed. */
    | 'not-installed'
    /** The policy names a program that the package does not have. */
    | 'bad-command'
    /** The release has no digest, and one is required. */
    | 'no-digest'
    /** The file has another digest than the release, twice. */
    | 'wrong-digest'
    /** The file or its content exceeds a limit. */
    | 'too-large'
    /** The file is neither an archive that can be unpacked nor a program. */
    | 'wrong-type'
    /** The archive is damaged, or has an entry that is refused. */
    | 'bad-archive'
    /** The program is for another CPU. */
    | 'wrong-platform'
    /** What the package says about itself cannot be used. */
    | 'bad-manifest'
    /** The package names no program, which is the machine's failure if its policy could name one, or one that it does not have. */
    | 'no-program';
  /** One escaped line for people, without a secret or the query of an address. */
  readonly reason: string;
}

/** The kind of an InstallFailure. */
export type InstallFailureKind = InstallFailure['kind'];

/** Carries an InstallFailure to `settled`. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly failure: InstallFailure;

  constructor(failure: InstallFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/** What to throw if the release is wrong. */
export function wrongRelease(kind: InstallFailureKind, reason: string): Error {
  return new Refusal({ blame: 'release', kind, reason });
}

/** What to throw if this machine, its network or its server is at fault. */
export function machineFault(kind: InstallFailureKind, reason: string): Error {
  return new Refusal({ blame: 'machine', kind, reason });
}

/** What to throw for a failure. */
export function asError(failure: InstallFailure): Error {
  return new Refusal(failure);
}

/** The result of `work`: what it refuses, and what its disk and its server refuse, is a failure. Rejects with the reason of `signal`. */
export async function settled<T>(
  { signal, folder }: { readonly signal: AbortSignal | undefined; readonly folder: string },
  work: () => Promise<T>,
): Promise<Result<T, InstallFailure>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    signal?.throwIfAborted();
    return { ok: false, error: failureOf(error, folder) };
  }
}

/** The failure that `error` means, of work that writes to `folder`. Throws `error` itself if it is a bug. */
export function failureOf(error: unknown, folder: string): InstallFailure {
  if (error instanceof Refusal) return error.failure;
  if (error instanceof RegistryError) {
    return { blame: 'machine', kind: KINDS[error.kind] ?? 'unreachable', reason: error.message };
  }
  const { code, path, syscall } = Object(error) as Partial<NodeJS.ErrnoException>;
  if (code === undefined || syscall === undefined) throw error;
  const fails = `${syscall} fails (${excerpt(code)})`;
  if (FULL.has(code)) {
    // A write of an open file has no path.
    const reason = fullDisk(folder, `${fails}, ${freeOn(folder)}`);
    return { blame: 'machine', kind: 'disk-full', reason };
  }
  const where = path === undefined ? `a file below ${quote(folder)}` : quote(path);
  return { blame: 'machine', kind: 'unusable-disk', reason: `${where}: ${fails}` };
}

/** What is said about a disk without enough space. `have` says what it has, and what is needed if that is known. */
export function fullDisk(folder: string, have: string): string {
  return `the disk of ${quote(folder)} is full: ${have}; what was downloaded is kept, and modules keep running: free some space`;
}

function freeOn(folder: string): string {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    const entries = files > 0 ? ` and ${ffree} files` : '';
    return `${Math.floor((bavail * bsize) / MIB)} MiB${entries} free`;
  } catch {
    return 'it is not known how much is free';
  }
}

const MIB = 1024 * 1024;

const FULL = new Set(['ENOSPC', 'EDQUOT']);

const KINDS: Partial<Record<RegistryErrorKind, InstallFailureKind>> = {
  'bad-address': 'bad-address',
  'registry-timeout': 'timeout',
  'registry-refused': 'denied',
  'registry-busy': 'busy',
  'bad-redirect': 'bad-redirect',
  'bad-certificate': 'bad-certificate',
  'not-a-registry': 'wrong-response',
  'list-too-large': 'wrong-response',
};

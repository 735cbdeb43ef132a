import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quote } from '../../core/text/quote.ts';
import { subjectOf } from './managed-files.ts';
import { digestOf, findFile, isSame, removeFile, replaceFile, type Found } from './replace-file.ts';

/** What modreg knows about a file that it has written, or is about to write. */
export interface FileRecord {
  /** What was there before; undefined if nothing was. Never a keyfile, so never a password. */
  readonly original: { readonly content: Buffer; readonly mode: number } | undefined;
  /** The digests of what modreg wrote last, and of what it writes if that has not ended. */
  readonly digests: readonly string[];
  /** Whether the last change has ended, and the system was told. */
  readonly isSettled: boolean;
}

export type FileRecords = ReadonlyMap<string, FileRecord>;

/** The records cannot be read or written. Nothing was changed, or the next call ends the change. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly kind: 'state-unreadable' | 'state-write';

  constructor(kind: RecordError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const SCHEMA = 'modreg/system-files@1';
const PRIVATE = 0o600;

function recordPath(home: string): string {
  return join(home, 'system-files.json');
}

/** The records of this machine; empty if there are none. */
export function readRecords(home: string): FileRecords {
  const path = recordPath(home);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return new Map();
    throw new RecordError('state-unreadable', `${quote(path)} cannot be read (${code})`, { cause });
  }
  const records = recordsIn(text);
  if (records) return records;
  const then = 'move it away: then modreg no longer knows which files of the system are its own';
  throw new RecordError('state-unreadable', `${quote(path)} is not a record of modreg; ${then}`);
}

/** Writes the records, or removes the file of none. */
export async function writeRecords(home: string, records: FileRecords): Promise<void> {
  const path = recordPath(home);
  try {
    if (records.size === 0) removeFile(path);
    else await replaceUnlessSame(path, { content: textOf(records), mode: PRIVATE });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new RecordError('state-write', `${quote(path)} cannot be written (${code})`, { cause });
  }
}

async function replaceUnlessSame(
  path: string,
  wanted: { readonly content: string; readonly mode: number },
): Promise<void> {
  if (!isSame(findFile(path), wanted)) await replaceFile(path, wanted);
}

function textOf(records: FileRecords): string {
  const files = Array.from(records, ([path, { original, digests, isSettled }]) => ({
    path,
    original: original ? { ...original, content: original.content.toString('base64') } : null,
    digests,
    settled: isSettled,
  }));
  return `${JSON.stringify({ schema: SCHEMA, files }, undefined, 2)}\n`;
}

/** Whether a file is as modreg left it: what modreg wrote, or the original before that. */
export function isOwn({ original, digests }: FileRecord, found: Found & { kind: 'file' }): boolean {
  return (
    digests.includes(digestOf(found.content)) || original?.content.equals(found.content) === true
  );
}

function recordsIn(text: string): FileRecords | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { schema, files } = Object(document) as {
    readonly schema?: unknown;
    readonly files?: unknown;
  };
  if (schema !== SCHEMA || !Array.isArray(files)) return undefined;
  const records = files.map(recordIn);
  return records.includes(undefined)
    ? undefined
    : new Map(records.flatMap((one) => (one ? [one] : [])));
}

function recordIn(value: unknown): [string, FileRecord] | undefined {
  const { path, original, digests, settled } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string' || subjectOf(path) === undefined) return undefined;
  if (!Array.isArray(digests) || !digests.every((one) => typeof one === 'string')) return undefined;
  if (typeof settled !== 'boolean') return undefined;
  if (original === null) return [path, { original: undefined, digests, isSettled: settled }];
  const { content, mode } = Object(original) as {
    readonly content?: unknown;
    readonly mode?: unknown;
  };
  if (typeof content !== 'string' || typeof mode !== 'number') return undefined;
  const bytes = Buffer.from(content, 'base64');
  return [path, { original: { content: bytes, mode }, digests, isSettled: settled }];
}

import { isOwn, type FileRecord, type FileRecords } from './file-record.ts';
import { subjectOf, type ManagedFile, type Subject } from './managed-files.ts';
import { digestOf, findFile, type Found } from './replace-file.ts';

/** What is to be done about a managed file. */
export type FilePlan = {
  readonly path: string;
  readonly subject: Subject;
  /** What is on the disk; undefined if that cannot be read. */
  readonly before: Found | undefined;
} & (
  | { readonly verdict: 'unchanged' }
  /** `record` is what is known once it is written. */
  | {
      readonly verdict: 'write';
      readonly after: Pick<ManagedFile, 'content' | 'mode'>;
      readonly record: FileRecord;
    }
  /** `after` is what was there before modreg wrote; undefined if nothing was. */
  | {
      readonly verdict: 'restore';
      readonly after: FileRecord['original'];
      readonly record: FileRecord;
    }
  /** It is not as modreg left it. Nobody else's change is overwritten. */
  | { readonly verdict: 'left-alone'; readonly reason: string; readonly isWanted: boolean }
  | { readonly verdict: 'failed'; readonly reason: string }
);

const EDITED = 'another program or person has edited it';
const NOT_OURS = 'modreg has not written it';

/** Compares what should be on the disk below `root` with what is there. Writes nothing. */
export function planFiles(
  files: readonly ManagedFile[],
  records: FileRecords,
  root: string,
): FilePlan[] {
  const wanted = new Set(files.map(({ path }) => path));
  const others = Array.from(records).filter(([path]) => !wanted.has(path));
  return [
    ...files.map((file) => planOf(file.path, root, (found) => wantedPlan(file, found, records))),
    ...others.map(([path, record]) => planOf(path, root, (found) => unwantedPlan(found, record))),
  ];
}

function planOf(path: string, root: string, plan: (found: Found) => Decided): FilePlan {
  const subject = subjectOf(path) ?? 'networks';
  let before: Found;
  try {
    before = findFile(root + path);
  } catch (error) {
    const reason = `it cannot be read (${codeOf(error)})`;
    return { path, subject, before: undefined, verdict: 'failed', reason };
  }
  return { path, subject, before, ...plan(before) };
}

type Decided = DistributiveOmit<FilePlan, 'path' | 'subject' | 'before'>;
type DistributiveOmit<T, Key extends keyof T> = T extends unknown ? Omit<T, Key> : never;

function wantedPlan(file: ManagedFile, found: Found, records: FileRecords): Decided {
  const known = records.get(file.path);
  const isAsWanted = found.kind === 'file' && found.content.equals(Buffer.from(file.content));
  if (isAsWanted && found.mode === file.mode && known?.isSettled) return { verdict: 'unchanged' };
  if (found.kind === 'other') return { verdict: 'left-alone', reason: found.what, isWanted: true };
  if (found.kind === 'file' && !isAsWanted) {
    if (known && !isOwn(known, found)) {
      return { verdict: 'left-alone', reason: EDITED, isWanted: true };
    }
    // A record never holds a password, so the keyfile of another program cannot be restored.
    if (!known && file.subject === 'networks') {
      return { verdict: 'left-alone', reason: NOT_OURS, isWanted: true };
    }
  }
  const isForeign = !known && found.kind === 'file' && !isAsWanted;
  const original = isForeign ? { content: found.content, mode: found.mode } : known?.original;
  const digests = [...new Set([...(known?.digests ?? []), digestOf(file.content)])];
  return { verdict: 'write', after: file, record: { original, digests, isSettled: false } };
}

function unwantedPlan(found: Found, record: FileRecord): Decided {
  const unsettled = { ...record, isSettled: false };
  const restored = { verdict: 'restore', after: record.original, record: unsettled } as const;
  if (found.kind === 'absent' && !record.original) return restored;
  if (found.kind === 'file' && isOwn(record, found)) return restored;
  const reason =
    found.kind === 'other'
      ? found.what
      : found.kind === 'absent'
        ? 'another program or person has removed it'
        : EDITED;
  return { verdict: 'left-alone', reason, isWanted: false };
}

/** The code of an error of the system: `EROFS`. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

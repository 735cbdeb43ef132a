import { dirname } from 'node:path';
import { quote } from '../../core/text/quote.ts';
import { readRecords, writeRecords, type FileRecord, type FileRecords } from './file-record.ts';
import { planFiles, type FilePlan } from './file-plan.ts';
import { runProgram, type SystemHost } from './host.ts';
import type { ManagedFile, Subject } from './managed-files.ts';
import { reload } from './nmcli.ts';
import { digestOf, isSame, removeFile, removePart, replaceFile } from './replace-file.ts';

/** What has become of a managed file. */
export interface FileReport {
  readonly path: string;
  readonly state: 'unchanged' | 'written' | 'restored' | 'removed' | 'left-alone' | 'failed';
  /** Why it was left alone, or has failed. */
  readonly reason: string | undefined;
}

export interface AppliedFiles {
  readonly files: readonly FileReport[];
  /** Why what was written is not in force yet, in one line each. It is tried again by the next call. */
  readonly troubles: readonly string[];
}

type Change = FilePlan & { readonly verdict: 'write' | 'restore' };

/**
 * Makes the managed files what `files` says. A crash at any time leaves each file as it was or as it becomes, and the next
 * call ends what was begun: the record names both before a file changes. What someone else has edited is left alone, and a
 * file that is no longer wanted becomes what it was before. Throws if the record cannot be read or written.
 */
export async function applyFiles(
  files: readonly ManagedFile[],
  home: string,
  host: SystemHost,
): Promise<AppliedFiles> {
  const records = readRecords(home);
  const plans = planFiles(files, records, host.root);
  const changes = plans.filter((plan): plan is Change => 'record' in plan);
  const forgotten = plans.filter((plan) => plan.verdict === 'left-alone' && !plan.isWanted);
  if (changes.length === 0 && forgotten.length === 0) {
    return { files: plans.map((plan) => reportOf(plan)), troubles: [] };
  }
  const begun = new Map(records);
  for (const { path } of forgotten) begun.delete(path);
  for (const { path, record } of changes) begun.set(path, record);
  await writeRecords(home, begun);
  const failures = await carryOut(changes, host);
  const done = changes.filter(({ path }) => !failures.has(path));
  const told = await tell(new Set(done.map(({ subject }) => subject)), host);
  await writeRecords(
    home,
    settled(
      begun,
      done.filter(({ subject }) => !told.has(subject)),
    ),
  );
  return {
    files: plans.map((plan) => reportOf(plan, failures.get(plan.path))),
    troubles: [...told.values()],
  };
}

/** Why each of the changes that failed did. */
async function carryOut(
  changes: readonly Change[],
  host: SystemHost,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  for (const change of changes) {
    try {
      await carryOutOne(change, host);
    } catch (error) {
      failures.set(change.path, failureOf(change, error));
    }
  }
  return failures;
}

async function carryOutOne(
  { path, subject, before, after }: Change,
  host: SystemHost,
): Promise<void> {
  const place = host.root + path;
  // An earlier attempt may have been killed.
  removePart(place);
  if (after && isSame(before, after)) return;
  if (after) {
    await replaceFile(place, after, async (part) => {
      // One broken fragment makes all of apt exit with 100.
      if (subject === 'upgrades') await checkFragment(part, host);
    });
  } else if (before?.kind !== 'absent') {
    removeFile(place);
  }
}

async function checkFragment(part: string, host: SystemHost): Promise<void> {
  const checked = await runProgram(host, ['apt-config', '-c', part, 'dump']);
  if (!checked.ok) throw new Error(checked.error.replace(part, 'FILE'));
}

function failureOf({ path }: Change, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  if (code !== 'ENOENT') return `it cannot be written (${code})`;
  const folder = dirname(dirname(path));
  return `there is no folder ${quote(folder)}; is the program that reads it installed?`;
}

/** Has the system read its settings again. Returns why it did not, by subject. */
async function tell(
  subjects: ReadonlySet<Subject>,
  host: SystemHost,
): Promise<ReadonlyMap<Subject, string>> {
  const troubles = new Map<Subject, string>();
  if (subjects.has('networks')) {
    const told = await reload(host);
    if (!told.ok) troubles.set('networks', told.error);
  }
  if (subjects.has('journal')) {
    const told = await runProgram(host, ['systemctl', 'restart', 'systemd-journald']);
    if (!told.ok) troubles.set('journal', told.error);
  }
  return troubles;
}

function settled(records: FileRecords, done: readonly Change[]): FileRecords {
  const after = new Map<string, FileRecord>(records);
  for (const change of done) {
    if (change.verdict === 'restore') after.delete(change.path);
    else {
      const digests = [digestOf(change.after.content)];
      after.set(change.path, { ...change.record, digests, isSettled: true });
    }
  }
  return after;
}

function reportOf(plan: FilePlan, failure?: string): FileReport {
  const { path, verdict } = plan;
  if (failure !== undefined) return { path, state: 'failed', reason: failure };
  if (verdict === 'write') {
    const state = isSame(plan.before, plan.after) ? 'unchanged' : 'written';
    return { path, state, reason: undefined };
  }
  if (verdict === 'restore') {
    return { path, state: plan.after ? 'restored' : 'removed', reason: undefined };
  }
  return { path, state: verdict, reason: 'reason' in plan ? plan.reason : undefined };
}

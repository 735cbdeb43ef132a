import type { Problem } from '../base/problem.ts';
import { usage } from '../base/problem.ts';
import type {
  NewRevision,
  RevisionSummary,
  StoredRevision,
} from '../server/configs/config-table.ts';
import { compiledDocuments, MOVED_FRAGMENT } from '../server/configs/compiled-documents.ts';
import { documentDiff, documentLines } from '../core/trust/document-diff.ts';
import type { OnChange } from './on-change.ts';
import type { Answer, SiteFiles } from './site-files.ts';

/** What a registry serves to a machine, with its history. */
export interface MachineDocuments {
  readonly machine: string;
  /** Of the newest revision; 0 if nothing is served. */
  readonly newest: number;
  /** The newest first. */
  readonly revisions: readonly RevisionSummary[];
}

/** A revision, and what it changed. */
export interface ShownRevision {
  readonly revision: RevisionSummary;
  /** Of the newest revision. */
  readonly newest: number;
  /** From the one before it. */
  readonly changes: readonly string[];
  /** From the newest one to it, which is what restoring it does. */
  readonly restoring: readonly string[];
  /** The documents themselves, by the names of their files. */
  readonly documents: Readonly<Record<string, readonly string[]>>;
}

/** Why and on what a person saves. */
export interface Saving {
  /** The newest revision that the person saw. */
  readonly basedOn: number;
  readonly reason: string;
  /** Who. */
  readonly by: string;
}

/** Why nothing was saved. */
export interface NotSaved {
  readonly problem: Problem;
  /** The newest revision and what it changed, if another person saved it meanwhile (D323). */
  readonly since?: { readonly newest: number; readonly lines: readonly string[] };
}

type Saved =
  | { readonly ok: true; readonly value: undefined }
  | { readonly ok: false; readonly error: NotSaved };

/** The documents that a registry serves to machines (D323, D440). */
export interface SiteDocuments {
  documents(machine: string): Answer<MachineDocuments>;
  revision(machine: string, revision: number): Answer<ShownRevision>;
  /** Saves an earlier revision as the next one. */
  restore(machine: string, revision: number, saving: Saving): Promise<Saved>;
}

const LONGEST_REASON = 200;

export function documentsOf(files: SiteFiles, onChange: OnChange): SiteDocuments {
  const { configs } = files.catalogue;
  return {
    documents(machine) {
      const revisions = configs.summaries(machine);
      return { ok: true, value: { machine, newest: revisions[0]?.revision ?? 0, revisions } };
    },
    revision(machine, number) {
      const summaries = configs.summaries(machine);
      const place = summaries.findIndex(({ revision }) => revision === number);
      const [revision, earlier] = [summaries[place], summaries[place + 1]];
      const [shown, newest] = [configs.at(machine, number), configs.newest(machine)];
      if (!revision || !shown || !newest) {
        return { ok: false, error: noRevision(machine, number) };
      }
      const before = earlier && configs.at(machine, earlier.revision);
      const [changes, restoring] = [documentDiff(before, shown), documentDiff(newest, shown)];
      const { config, policy } = shown;
      const documents = {
        'machine.json': documentLines(config),
        ...(policy !== undefined && { 'policy.json': documentLines(policy) }),
      };
      const compared = { changes, restoring };
      return { ok: true, value: { revision, newest: newest.revision, ...compared, documents } };
    },
    async restore(machine, number, saving) {
      const earlier = configs.at(machine, number);
      if (earlier) return await saveDocuments(files, onChange, { ...earlier, ...saving });
      return { ok: false, error: { problem: noRevision(machine, number) } };
    },
  };
}

function noRevision(machine: string, number: number): Problem {
  const message = `the documents of ${machine} have no revision ${number}`;
  const hint = 'the registry keeps the newest 100 revisions of a machine';
  return { severity: 'error', kind: 'unknown-reference', message, hint };
}

/** Documents as a person writes them. */
type WrittenDocuments = Pick<StoredRevision, 'machine' | 'config' | 'policy'> & {
  /** The names of the fragments to which these are what the machine has of its own (D329). */
  readonly fragments?: readonly string[];
};

/** Saves documents as the next revision of a machine, as `modreg fleet config set` does (D264). */
export async function saveDocuments(
  files: SiteFiles,
  onChange: OnChange,
  documents: Saving & WrittenDocuments,
): Promise<Saved> {
  const { machine, config, policy, fragments = [], basedOn, reason, by } = documents;
  const own = { config, policy };
  if (reason === '' || reason.length > LONGEST_REASON) {
    const found = `reason has ${reason.length} characters, expected 1 to ${LONGEST_REASON}`;
    return { ok: false, error: { problem: usage(`${found}; nothing was saved`) } };
  }
  const compiled = await compiledDocuments(own, { machine, fragments }, files.catalogue.configs);
  if (!compiled.ok) {
    const { code, detail } = compiled.error;
    const message = `${code}: ${detail}; nothing was saved`;
    return { ok: false, error: { problem: { severity: 'error', kind: 'bad-value', message } } };
  }
  const next: NewRevision = {
    machine,
    ...compiled.value,
    source: fragments.length === 0 ? undefined : { ...own, fragments },
    basedOn,
    reason,
    author: by,
    at: files.now(),
  };
  const result = files.change(({ configs }) => configs.save(next));
  if (result.kind === 'stale') return stale(files, next, result.newest);
  if (result.kind === 'moved') return { ok: false, error: { problem: MOVED } };
  const { kind, revision } = result;
  if (kind === 'saved') onChange('config-saved', { machine, revision }, by);
  return { ok: true, value: undefined };
}

const MOVED: Problem = {
  severity: 'error',
  kind: 'stale-config',
  message: `${MOVED_FRAGMENT}: nothing was saved`,
  hint: 'save it again',
};

/** Somebody else saved in the meantime: what that changed. */
function stale({ catalogue }: SiteFiles, { machine, basedOn }: NewRevision, newest: number): Saved {
  const { configs } = catalogue;
  const [seen, now] = [configs.at(machine, basedOn), configs.newest(machine)];
  const message = `this is based on revision ${basedOn} of ${machine}, and the newest is ${newest}: nothing was saved`;
  const hint = 'read what changed, then save this on the newest revision or drop it';
  const problem = { severity: 'error', kind: 'stale-config', message, hint } as const;
  const lines = now ? documentDiff(seen, now) : [];
  return { ok: false, error: { problem, since: { newest, lines } } };
}

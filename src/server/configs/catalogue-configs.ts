import {
  fragmentAt,
  newestFragment,
  newestFragments,
  usersOf,
  type FragmentUser,
  type StoredFragment,
} from './fragment-table.ts';
import { catalogueSecrets, type CatalogueSecrets } from './secret-files.ts';
import { sourceOf, type ConfigSource } from './source-table.ts';
import type { RefusedDocuments } from '../../registry/config-documents.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { recordedChanges, type RecordedChange, type WantedChanges } from './recorded-changes.ts';
import { isOfSignatures } from './machine-change.ts';
import { noteChange, type NotedChange } from './noted-changes.ts';
import { machineWaiters } from './machine-waiters.ts';
import { servedByOthers } from './served-by-others.ts';
import { catalogueCommands, type CatalogueCommands } from '../commands/catalogue-commands.ts';
import {
  answerOf,
  judgedRevision,
  newestRevision,
  newestTag,
  refusalsOf,
  revisionAt,
  revisionsOf,
  saveRevision,
  summariesOf,
  type NewRevision,
  type RevisionSummary,
  type SaveResult,
  type StoredRevision,
} from './config-table.ts';

/** The documents of machines, commands to them, and those who wait for the next one of a machine. */
export interface CatalogueConfigs {
  readonly newest: (machine: string) => StoredRevision | undefined;
  readonly at: (machine: string, revision: number) => StoredRevision | undefined;
  /** The newest first. */
  readonly history: (machine: string) => readonly StoredRevision[];
  /** The same without the documents: of a machine, or the newest of all machines. */
  readonly summaries: (machine: string | undefined) => readonly RevisionSummary[];
  readonly save: (next: NewRevision) => SaveResult;
  /** What saving it would do. */
  readonly judge: (next: NewRevision) => SaveResult;
  readonly answer: (machine: string) => ReturnType<typeof answerOf>;
  /** What each machine refuses that said last that it refuses documents. */
  readonly refusals: (now: number) => ReadonlyMap<string, RefusedDocuments>;
  readonly commands: CatalogueCommands;
  readonly fragments: CatalogueFragments;
  readonly secrets: CatalogueSecrets;
  /** What a revision was made from; undefined if it uses no fragments. */
  readonly source: (machine: string, revision: number) => ConfigSource | undefined;
  /** What was changed of machines and rollouts, by whom and why. */
  readonly changed: (wanted: WantedChanges) => readonly RecordedChange[];
  /** Notes a change that no other table has. */
  readonly note: (change: NotedChange) => void;
  /** What is served to a machine now; empty if nothing is. */
  readonly tag: (machine: string) => string;
  /** Calls `wake` at each change of what is served to a machine, and at each command to it, until the result is called. */
  readonly watch: (machine: string, wake: () => void) => () => void;
  /** Wakes those who wait for what another process saved or gave since the last call (T728). Whether there is any. */
  readonly look: () => boolean;
  /** Wakes those who wait for what a change does, if it adds nothing that `look` finds (D399). */
  readonly applied: (change: { readonly kind: string }) => void;
}

/** What documents of machines share (D329). */
interface CatalogueFragments {
  readonly newest: (name: string) => StoredFragment | undefined;
  readonly at: (name: string, revision: number) => StoredFragment | undefined;
  /** The newest revision of each, in the order of their names. */
  readonly all: () => readonly StoredFragment[];
  /** The machines whose newest documents use it, in the order of their ids. */
  readonly users: (name: string) => readonly FragmentUser[];
}

/** `change` runs its argument in a transaction; after each, the watchers of the catalogue call `look`, which wakes the machines that wait. */
export function catalogueConfigs(
  sql: Statements,
  change: <T>(work: () => T) => T,
): CatalogueConfigs {
  const { add, wake, wakeAll } = machineWaiters();
  const others = servedByOthers(sql);
  return {
    newest: (machine) => newestRevision(sql, machine),
    at: (machine, revision) => revisionAt(sql, machine, revision),
    history: (machine) => revisionsOf(sql, machine),
    summaries: (machine) => summariesOf(sql, machine),
    save: (next) => change(() => saveRevision(sql, next)),
    judge: (next) => judgedRevision(sql, next),
    commands: catalogueCommands(sql, change),
    fragments: catalogueFragments(sql),
    secrets: catalogueSecrets(sql),
    source: (machine, revision) => sourceOf(sql, machine, revision),
    changed: (wanted) => recordedChanges(sql, wanted),
    note: (one) => change(() => noteChange(sql, one)),
    answer: (machine) => answerOf(sql, machine),
    refusals: (now) => refusalsOf(sql, now),
    tag: (machine) => newestTag(sql, machine),
    look() {
      const machines = others();
      if (!machines) wakeAll();
      for (const machine of machines ?? []) wake(machine);
      return machines?.length !== 0;
    },
    applied(made) {
      if (isOfSignatures(made)) wake(made.machine);
    },
    watch: add,
  };
}

function catalogueFragments(sql: Statements): CatalogueFragments {
  return {
    newest: (name) => newestFragment(sql, name),
    at: (name, revision) => fragmentAt(sql, name, revision),
    all: () => newestFragments(sql),
    users: (name) => usersOf(sql, name),
  };
}

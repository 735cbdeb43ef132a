import type { ServedConfig } from '../../core/trust/served-config.ts';
import {
  newestFragment,
  newestFragments,
  saveFragment,
  usersOf,
  type FragmentResult,
  type FragmentUser,
  type StoredFragment,
} from './fragment-table.ts';
import { sourceOf, type ConfigSource } from './source-table.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { catalogueCommands, type CatalogueCommands } from '../commands/catalogue-commands.ts';
import {
  answerOf,
  newestRevision,
  newestTag,
  noteAnswer,
  revisionAt,
  revisionsOf,
  saveRevision,
  signRevision,
  type MachineAnswer,
  type NewRevision,
  type SaveResult,
  type StoredRevision,
} from './config-table.ts';

/** The documents of machines, commands to them, and those who wait for the next one of a machine. Changes of other processes end no wait. */
export interface CatalogueConfigs {
  readonly newest: (machine: string) => StoredRevision | undefined;
  readonly at: (machine: string, revision: number) => StoredRevision | undefined;
  /** The newest first. */
  readonly history: (machine: string) => readonly StoredRevision[];
  readonly save: (next: NewRevision) => SaveResult;
  /** Adds signatures to the newest revision. False if it is another one. */
  readonly sign: (
    of: Pick<ServedConfig, 'machine' | 'revision'>,
    signatures: ServedConfig['signatures'],
  ) => boolean;
  readonly heard: (machine: string, answer: MachineAnswer & { readonly at: number }) => void;
  readonly answer: (machine: string) => ReturnType<typeof answerOf>;
  readonly commands: CatalogueCommands;
  readonly fragments: CatalogueFragments;
  /** What a revision was made from; undefined if it uses no fragments. */
  readonly source: (machine: string, revision: number) => ConfigSource | undefined;
  /** What is served to a machine now; empty if nothing is. */
  readonly tag: (machine: string) => string;
  /** Calls `wake` at each change of what is served to a machine, and at each command to it, until the result is called. */
  readonly watch: (machine: string, wake: () => void) => () => void;
}

/** What documents of machines share (D329). */
interface CatalogueFragments {
  readonly newest: (name: string) => StoredFragment | undefined;
  /** The newest revision of each, in the order of their names. */
  readonly all: () => readonly StoredFragment[];
  /** The machines whose newest documents use it, in the order of their ids. */
  readonly users: (name: string) => readonly FragmentUser[];
  readonly save: (
    next: StoredFragment,
    compiled: { readonly users: string; readonly documents: readonly NewRevision[] },
  ) => FragmentResult;
}

/** `change` runs its argument in a transaction. */
export function catalogueConfigs(
  sql: Statements,
  change: <T>(work: () => T) => T,
): CatalogueConfigs {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (machine: string): void => {
    for (const one of waiting.get(machine) ?? []) one();
  };
  return {
    newest: (machine) => newestRevision(sql, machine),
    at: (machine, revision) => revisionAt(sql, machine, revision),
    history: (machine) => revisionsOf(sql, machine),
    save(next) {
      const result = change(() => saveRevision(sql, next));
      if (result.kind === 'saved') wake(next.machine);
      return result;
    },
    sign(of, signatures) {
      const isNewest = change(() => signRevision(sql, of, signatures));
      if (isNewest) wake(of.machine);
      return isNewest;
    },
    commands: catalogueCommands(sql, change, wake),
    fragments: catalogueFragments(sql, change, wake),
    source: (machine, revision) => sourceOf(sql, machine, revision),
    heard: (machine, answer) => change(() => noteAnswer(sql, machine, answer)),
    answer: (machine) => answerOf(sql, machine),
    tag: (machine) => newestTag(sql, machine),
    watch(machine, one) {
      const others = waiting.get(machine) ?? new Set();
      waiting.set(machine, others.add(one));
      return () => {
        others.delete(one);
        if (others.size === 0 && waiting.get(machine) === others) waiting.delete(machine);
      };
    },
  };
}

function catalogueFragments(
  sql: Statements,
  change: <T>(work: () => T) => T,
  wake: (machine: string) => void,
): CatalogueFragments {
  return {
    newest: (name) => newestFragment(sql, name),
    all: () => newestFragments(sql),
    users: (name) => usersOf(sql, name),
    save(next, compiled) {
      const result = change(() => saveFragment(sql, next, compiled));
      if (result.kind === 'saved') for (const { machine } of compiled.documents) wake(machine);
      return result;
    },
  };
}

import type { ServedConfig } from '../../core/trust/served-config.ts';
import type { CommandOutcome } from '../../registry/command-documents.ts';
import type { Statements } from '../../sqlite/statements.ts';
import {
  giveCommand,
  hasAsked,
  noteAsked,
  noteOutcome,
  type CommandWish,
  type GiveResult,
} from '../commands/command-table.ts';
import {
  noteAnswer,
  saveRevision,
  signRevision,
  type MachineAnswer,
  type NewRevision,
  type SaveResult,
} from './config-table.ts';
import { saveSecret, type SecretChange } from './sealed-secrets.ts';
import { saveFragment, type FragmentChange, type FragmentResult } from './fragment-table.ts';

/** What a machine says of what it is served. Times are milliseconds since the epoch. */
export type MachineWord =
  | (MachineAnswer & { readonly about: 'documents'; readonly machine: string; readonly at: number })
  | {
      readonly about: 'commands';
      readonly machine: string;
      readonly at: number;
      readonly outcomes: readonly CommandOutcome[];
    }
  /** It asks for commands. */
  | { readonly about: 'asking'; readonly machine: string };

/** Changes of what is served to machines. On fronts of a cluster, they come in one order (D397, D398). */
export interface MachineChanges {
  /** The next documents of a machine. */
  readonly config: NewRevision;
  /** Signatures for the newest documents of a machine. */
  readonly 'config-signatures': Pick<ServedConfig, 'machine' | 'revision' | 'signatures'>;
  /** The next revision of a fragment, with the documents of the machines that use it. */
  readonly fragment: FragmentChange;
  /** The same command for each of the machines. */
  readonly commands: {
    readonly wish: Omit<CommandWish, 'machine'>;
    readonly machines: readonly string[];
  };
  /** The next value of a secret. */
  readonly secret: SecretChange;
  readonly heard: { readonly words: readonly MachineWord[] };
}

/** What each of them results in. */
export interface MachineChangeResults {
  readonly config: SaveResult;
  readonly 'config-signatures': 'signed' | 'stale';
  readonly fragment: FragmentResult;
  /** One for each machine, in their order. */
  readonly commands: readonly GiveResult[];
  readonly secret: 'done' | 'unchanged';
  /** `unchanged`: all of it was known, except for when it was said. */
  readonly heard: 'done' | 'unchanged';
}

/** Whether a change has signatures for documents. */
export function isOfSignatures(change: {
  readonly kind: string;
}): change is { readonly kind: 'config-signatures' } & MachineChanges['config-signatures'] {
  return change.kind === 'config-signatures';
}

type ApplyToMachines = {
  readonly [K in keyof MachineChanges]: (
    sql: Statements,
    change: MachineChanges[K],
  ) => MachineChangeResults[K];
};

/** The caller has a transaction. */
export const APPLY_TO_MACHINES: ApplyToMachines = {
  config: saveRevision,
  'config-signatures': (sql, change) =>
    signRevision(sql, change, change.signatures) ? 'signed' : 'stale',
  fragment: saveFragment,
  commands: (sql, { wish, machines }) =>
    machines.map((machine) => giveCommand(sql, { machine, ...wish })),
  secret: saveSecret,
  heard(sql, { words }) {
    const news = words.filter((word) => noteWord(sql, word));
    return news.length > 0 ? 'done' : 'unchanged';
  },
};

/** Notes what a machine says. Whether it was not known. */
function noteWord(sql: Statements, word: MachineWord): boolean {
  const { machine } = word;
  switch (word.about) {
    case 'documents':
      return noteAnswer(sql, machine, word);
    case 'commands': {
      const { outcomes, at } = word;
      return outcomes.filter((one) => noteOutcome(sql, machine, { ...one, at })).length > 0;
    }
    case 'asking': {
      const isNews = !hasAsked(sql, machine);
      noteAsked(sql, machine);
      return isNews;
    }
  }
}

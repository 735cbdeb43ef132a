import type { CommandOutcome } from '../../registry/command-documents.ts';
import type { Statements } from '../../sqlite/statements.ts';
import {
  commandsOf,
  giveCommand,
  noteOutcome,
  waitingOf,
  type CommandWish,
  type GiveResult,
  type StoredCommand,
} from './command-table.ts';

/** The commands of a site to its machines. */
export interface CatalogueCommands {
  readonly give: (wish: CommandWish) => GiveResult;
  /** Those that the machine has not answered and that have not expired, in their order. */
  readonly waiting: (machine: string, now: number) => readonly StoredCommand[];
  /** The newest first. */
  readonly all: (machine: string) => readonly StoredCommand[];
  readonly answered: (machine: string, outcomes: readonly CommandOutcome[], now: number) => void;
}

/** `change` runs its argument in a transaction; `wake` wakes those who wait for what is served to a machine. */
export function catalogueCommands(
  sql: Statements,
  change: <T>(work: () => T) => T,
  wake: (machine: string) => void,
): CatalogueCommands {
  return {
    give(wish) {
      const result = change(() => giveCommand(sql, wish));
      if (result.kind === 'given') wake(wish.machine);
      return result;
    },
    waiting: (machine, now) => waitingOf(sql, machine, now),
    all: (machine) => commandsOf(sql, machine),
    answered(machine, outcomes, at) {
      change(() => {
        for (const one of outcomes) noteOutcome(sql, machine, { ...one, at });
      });
    },
  };
}

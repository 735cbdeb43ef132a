import type { CommandOutcome } from '../../registry/command-documents.ts';
import type { Statements } from '../../sqlite/statements.ts';
import {
  commandsOf,
  commandsOfAll,
  giveCommand,
  hasAsked,
  noteAsked,
  noteOutcome,
  waitingOf,
  type CommandWish,
  type GiveResult,
  type StoredCommand,
} from './command-table.ts';

/** The commands of a site to its machines. */
export interface CatalogueCommands {
  readonly give: (wish: CommandWish) => GiveResult;
  /** The same for several machines, at once. */
  readonly giveAll: (wishes: readonly CommandWish[]) => readonly GiveResult[];
  /** Those that the machine has not answered and that have not expired, in their order. */
  readonly waiting: (machine: string, now: number) => readonly StoredCommand[];
  /** The newest first. */
  readonly all: (machine: string) => readonly StoredCommand[];
  /** Up to `limit` commands to these machines, the newest first. */
  readonly ofAll: (machines: readonly string[], limit: number) => readonly StoredCommand[];
  /** Notes that a machine asks for commands. */
  readonly asks: (machine: string) => void;
  /** Whether it ever has. */
  readonly hasAsked: (machine: string) => boolean;
  readonly answered: (machine: string, outcomes: readonly CommandOutcome[], now: number) => void;
}

/** `change` runs its argument in a transaction. */
export function catalogueCommands(
  sql: Statements,
  change: <T>(work: () => T) => T,
): CatalogueCommands {
  return {
    giveAll: (wishes) => change(() => wishes.map((wish) => giveCommand(sql, wish))),
    give: (wish) => change(() => giveCommand(sql, wish)),
    ofAll: (machines, limit) => commandsOfAll(sql, machines, limit),
    hasAsked: (machine) => hasAsked(sql, machine),
    asks(machine) {
      if (!hasAsked(sql, machine)) change(() => noteAsked(sql, machine));
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

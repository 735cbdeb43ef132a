import type { Statements } from '../../sqlite/statements.ts';
import {
  commandsOf,
  commandsOfAll,
  giveCommand,
  hasAsked,
  newestWaiting,
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
  /** The number of the newest of those; undefined if none waits. */
  readonly newestWaiting: (machine: string, now: number) => number | undefined;
  /** The newest first. */
  readonly all: (machine: string) => readonly StoredCommand[];
  /** Up to `limit` commands to these machines, the newest first. */
  readonly ofAll: (machines: readonly string[], limit: number) => readonly StoredCommand[];
  /** Whether the machine has ever asked for commands. */
  readonly hasAsked: (machine: string) => boolean;
}

/** `change` runs its argument in a transaction. */
export function catalogueCommands(
  sql: Statements,
  change: <T>(work: () => T) => T,
): CatalogueCommands {
  return {
    give: (wish) => change(() => giveCommand(sql, wish)),
    ofAll: (machines, limit) => commandsOfAll(sql, machines, limit),
    hasAsked: (machine) => hasAsked(sql, machine),
    waiting: (machine, now) => waitingOf(sql, machine, now),
    newestWaiting: (machine, now) => newestWaiting(sql, machine, now).newest,
    all: (machine) => commandsOf(sql, machine),
  };
}

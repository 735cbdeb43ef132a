import { onTestFinished } from 'vitest';
import { secret } from '../../../src/core/index.ts';
import { keptState, keepState, noneServed } from '../../../src/host/served/served-state.ts';
import { commandRound, type CommandedMachine } from '../../../src/host/served/site-commands.ts';
import { systemClock } from '../../../src/registry/clock.ts';
import { commandClient } from '../../../src/registry/command-client.ts';
import type { CommandWish } from '../../../src/server/commands/command-table.ts';
import { Catalogue, serveRegistry } from '../../../src/server/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { tokenFor } from '../../support/token.ts';

const MACHINE = 'rover-7';

/** What a test sets of a machine. */
export interface Circumstances extends Partial<Omit<CommandedMachine, 'client'>> {
  /** Answers in place of the registry. */
  readonly fetch?: typeof globalThis.fetch;
  /** Ends its process. */
  readonly signal?: AbortSignal;
  /** Whether its disk takes nothing. */
  readonly isFull?: boolean;
  /** How long an answer takes, in milliseconds. */
  readonly slowMs?: number;
  /** Called once the machine has to wait for changes again. */
  readonly onNews?: () => void;
}

/** A served registry, and a machine that asks it for commands. */
export interface Commanded {
  readonly catalogue: Catalogue;
  readonly home: string;
  /** The time of the registry and of the machine, in milliseconds since the epoch. */
  now: number;
  /** Gives the machine a command, which expires in an hour. */
  readonly give: (kind?: 'hold' | 'restart', more?: Partial<CommandWish>) => void;
  /** One round of a process that has just started. The result is what it says. */
  readonly round: (circumstances?: Circumstances) => Promise<readonly string[]>;
  /** What the machine has done. */
  readonly carried: readonly number[];
  /** What the registry has of each command, in their order. */
  readonly outcomes: () => readonly string[];
}

/** A machine that has asked for commands before. */
export async function commanded(): Promise<Commanded> {
  const home = temporaryFolder();
  const catalogue = new Catalogue(`${home}/registry.db`, { mode: 'create' });
  const clock = { ...systemClock, now: () => machine.now };
  const running = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 }, { clock });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const token = secret(tokenFor(catalogue, [`machine:${MACHINE}`], MACHINE));
  const url = new URL(running.address);
  const { commands } = catalogue.configs;
  const carried: number[] = [];
  let keys = 0;
  const machine: Commanded = {
    catalogue,
    home,
    carried,
    now: Date.parse('2026-11-29T12:00:00Z'),
    give(kind = 'hold', more = {}) {
      const { now: at } = machine;
      const term = kind === 'hold' ? '12h' : undefined;
      const about = {
        kind,
        module: 'acme:lidar',
        term,
        version: undefined,
        reason: 'a test',
        author: 'token t1 (ops)',
      };
      const times = { at, expiresAt: at + 3_600_000 };
      commands.give({ machine: MACHINE, key: `${keys++}`, ...about, ...times, ...more });
    },
    async round({ fetch, isFull = false, slowMs = 0, signal, ...parts } = {}) {
      let state = keptState(home) ?? noneServed(url.origin, MACHINE);
      let monotonic = 0;
      const client = commandClient(
        { kind: 'modreg', url },
        { clock: systemClock, token: () => token, ...(fetch && { fetch }) },
      );
      if (!client.ok) throw client.error;
      const said: string[] = [];
      const { waiting, answer } = client.value;
      await commandRound(
        {
          client: {
            async waiting(...question) {
              const found = await waiting(...question);
              monotonic += slowMs;
              return found;
            },
            answer,
          },
          clock: { monotonic: () => monotonic },
          proof: async () => undefined,
          isPinned: () => false,
          trust: async () => ({ ok: false, error: 'there is none' }),
          reading: () => ({ now: machine.now, clock: undefined }),
          async carryOut({ number }) {
            carried.push(number);
            return { result: 'done', detail: 'acme:lidar is held' };
          },
          state: () => state,
          become(next) {
            if (isFull) return false;
            keepState(home, next);
            state = next;
            return true;
          },
          onNews: () => undefined,
          onNotice: (level, text) => void said.push(`${level} ${text}`),
          ...parts,
        },
        signal ?? new AbortController().signal,
      );
      return said;
    },
    outcomes: () =>
      commands
        .all(MACHINE)
        .toReversed()
        .map(({ outcome }) => (outcome ? `${outcome.result}: ${outcome.detail}` : 'waiting')),
  };
  await machine.round();
  return machine;
}

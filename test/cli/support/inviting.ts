import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { joinCommand, type JoinOptions } from '../../../src/cli/join/join-command.ts';
import { exitCodeOf } from '../../../src/base/problem.ts';
import { systemClock } from '../../../src/registry/clock.ts';
import { Catalogue, serveRegistry } from '../../../src/server/index.ts';
import type { RegistryEvent } from '../../../src/server/registry-options.ts';
import { printed, type Printed } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { quietWorld } from '../../support/quiet-world.ts';
import { trustOf, type TestTrust } from '../../support/signed.ts';
import { host, said, type Host } from './systemd-host.ts';

export const NOW: number = Date.parse('2026-11-21T12:00:00Z');
export const TRUST: TestTrust = trustOf();

interface Inviting {
  readonly catalogue: Catalogue;
  readonly events: RegistryEvent[];
  /** The address of the registry. */
  readonly address: string;
  readonly on: Host;
  /** The folder of the documents of the machine. */
  readonly to: string;
  /** Lets time pass on the clock of the registry. */
  readonly wait: (ms: number) => void;
  /** Runs `modreg registry invite`. */
  readonly invite: (name: string, ...options: readonly string[]) => Promise<Printed>;
  /** Runs `modreg join`, which asks for the code and gets `answer`. */
  readonly join: (
    options: Partial<JoinOptions>,
    answer?: string,
  ) => Promise<{ readonly lines: readonly string[]; readonly exit: number }>;
  /** A document of the machine. */
  readonly document: (name: string) => unknown;
}

/** A served registry, and a machine whose documents are to be in a folder. */
export async function inviting({ isSigned = false } = {}): Promise<Inviting> {
  const folder = temporaryFolder();
  const path = join(folder, 'registry.db');
  const catalogue = new Catalogue(path, { mode: 'create' });
  if (isSigned) catalogue.trust.store(TRUST.text);
  const events: RegistryEvent[] = [];
  let now = NOW;
  const running = await serveRegistry(
    catalogue,
    { host: '127.0.0.1', port: 0 },
    {
      clock: { ...systemClock, now: () => now },
      spreadMs: 0,
      log: (event) => void events.push(event),
    },
  );
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const { address } = running;
  const on = host();
  const to = join(on.root, 'machine');
  const plain = (line: string): string =>
    line
      .replaceAll(address, 'ADDRESS')
      .replaceAll(to, 'TO')
      .replaceAll('@/machine', 'TO')
      .replaceAll(TRUST.pin, 'PIN');
  return {
    catalogue,
    events,
    address,
    on,
    to,
    wait: (ms) => {
      now += ms;
    },
    invite: async (name, ...options) => {
      const args = ['registry', 'invite', '--name', name, '--db', path, ...options];
      return await printed(args, { clock: () => now });
    },
    join: async (options, answer) => {
      const done = await joinCommand(
        address,
        { name: 'rover-7', to, ...options },
        quietWorld('linux/x64'),
        { ask: async () => await Promise.resolve(answer), host: on },
      );
      return { lines: said(done, on).map(plain), exit: exitCodeOf(done) };
    },
    document: (name) => JSON.parse(plain(readFileSync(join(to, name), 'utf8'))) as unknown,
  };
}

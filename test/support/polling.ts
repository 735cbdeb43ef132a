import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openForPoller } from '../../src/store/index.ts';
import { skippingClock, type TestClock } from './clock.ts';
import { targetNamed } from './day.ts';
import { temporaryFolder } from './folder.ts';
import { startedHere } from './in-process.ts';
import type { Loopback } from './loopback.ts';
import { startedApart, type Started } from './modreg.ts';
import { entry } from './planned.ts';

/** A running `modreg poll` or `modreg agent run`. */
export interface Polling {
  /** The lines of its log up to one that contains `text`, without those that were returned before. */
  readonly until: (text: string) => Promise<string[]>;
  /** Sends a signal to the poller alone. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends a signal to the poller alone, and returns its exit code and the rest of its log. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>;
}

interface Ended {
  readonly exit: number | null;
  readonly lines: readonly string[];
}

/**
 * Starts `bin/modreg poll` with a round every five seconds, the first one at once. In its log, `TIME` replaces each time, and `SOON`
 * the wait before an attempt.
 */
export function polling(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Polling {
  return startedIn(folder, pollOf(folder, args), environment);
}

function pollOf(folder: string, args: readonly string[]): string[] {
  const command = ['poll', `${folder}/machine.json`, '--platform', 'linux/arm64'];
  return [...command, '--interval', '5s', ...args];
}

/** A running `modreg poll` of this process, whose waits a test skips. */
export interface PollingHere extends Polling {
  readonly skip: TestClock['skip'];
}

/** Starts `modreg poll` in the same way in this process. */
export function pollingHere(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  clock: TestClock = skippingClock(),
): PollingHere {
  const home = { PLATFORM_HOME: `${folder}/home`, ...environment };
  const started = startedHere(pollOf(folder, args), home, clock);
  return { ...followed(started), skip: clock.skip };
}

/** Starts `modreg agent run` in the same way. */
export function agentRunning(
  folder: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Polling {
  return startedIn(folder, [...agentRun(folder), '--interval', '5s', ...args], environment);
}

/** Like `agentRunning`, in this process. */
export function agentInProcess(
  folder: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Polling {
  const command = [...agentRun(folder), '--interval', '5s', ...args];
  return followed(startedHere(command, { PLATFORM_HOME: `${folder}/home`, ...environment }));
}

/** Starts `modreg demo` in this process. */
export function demoInProcess(args: readonly string[]): Polling {
  return followed(startedHere(['demo', ...args], {}));
}

/** Starts `modreg module run` in this process, with its own machine below `temporary`. */
export function moduleInProcess(folder: string, temporary: string): Polling {
  return followed(startedHere(['module', 'run', folder], { TMPDIR: temporary }));
}

function agentRun(folder: string): string[] {
  return ['agent', 'run', `${folder}/machine.json`, '--platform', 'linux/amd64'];
}

/** Starts `modreg demo`, whose folder is in `folder`. */
export function demoRunning(folder: string, args: readonly string[]): Polling {
  return startedIn(folder, ['demo', ...args], { TMPDIR: folder });
}

function startedIn(
  folder: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Polling {
  const home = { PLATFORM_HOME: `${folder}/home`, ...environment };
  const started = startedApart(command, home, folder);
  started.stderr.pipe(process.stderr);
  return followed(started);
}

function followed({ stdout, kill, ended }: Started): Polling {
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  const read = async (isLast: (line: string) => boolean): Promise<string[]> => {
    const seen: string[] = [];
    for (;;) {
      const line = await lines.next();
      if (line.done === true) return seen;
      const text = timeless(line.value);
      seen.push(text);
      if (isLast(text)) return seen;
    }
  };
  return {
    until: async (text) => {
      const seen = await read((line) => line.includes(text));
      if (seen.at(-1)?.includes(text) === true) return seen;
      throw new Error(`the poller ended before "${text}":\n${seen.join('\n')}`);
    },
    signal: kill,
    end: async (signal) => {
      kill(signal);
      const [exit, rest] = await Promise.all([ended, read(() => false)]);
      return { exit, lines: rest };
    },
  };
}

/** Writes an executable shell script. */
export function script(path: string, ...lines: readonly string[]): string {
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

function timeless(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z/g, 'TIME')
    .replace(/next attempt in [^:]+/, 'next attempt in SOON');
}

/** The modules of a machine, and what is known of them. */
interface PolledSite {
  readonly modules?: readonly object[];
  readonly policy?: object;
  /** By the name of the module entry. */
  readonly deployed?: Readonly<Record<string, string>>;
}

/** The folder of a machine with modules of one registry, and its home. */
export function polledSite(
  { address }: Pick<Loopback, 'address'>,
  { modules, policy = {}, deployed = {} }: PolledSite = {},
): string {
  const config = { modules: modules ?? [entry('acme:lidar', '1.*')] };
  const folder = temporaryFolder({
    'machine.json': JSON.stringify(config),
    'policy.json': JSON.stringify({ registry: address, restart_cooldown: '0s', ...policy }),
  });
  mkdirSync(`${folder}/home`);
  const file = openForPoller(`${folder}/home/machine.db`);
  for (const [name, version] of Object.entries(deployed)) {
    file.state.report(targetNamed(name), version, Date.now());
  }
  file.close();
  return folder;
}

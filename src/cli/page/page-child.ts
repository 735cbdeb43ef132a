import { realpathSync } from 'node:fs';
import { launch } from '../../agent/process/launch.ts';
import { describeEnd } from '../../agent/process/program-end.ts';
import { backOffMs, NO_CRASHES, withCrash } from '../../agent/supervision/back-off.ts';
import { systemClock } from '../../registry/clock.ts';
import { isSecretVariable } from '../../config/agent-secrets.ts';
import type { World } from '../../base/world.ts';

const STOP_MS = 6000;
/** They are for the process that starts the page, which is no service of its own. */
const NOT_FOR_PAGE = /^(?:NOTIFY_SOCKET|WATCHDOG_|LISTEN_|MODREG_LAUNCHED)/;

/** How the process that starts the page tells it which of its own options chooses the port. */
export const PORT_OPTION = 'MODREG_PAGE_PORT_OPTION';

/** What is said of a page. */
type Say = (level: 'info' | 'warn', text: string) => void;

interface PageOptions {
  readonly portOption: string;
  readonly added?: Readonly<Record<string, string>>;
}

/**
 * Runs `modreg` with these arguments, which serves a page, as a process that ends with this one, and again after a while if it ends
 * by itself. `portOption` is the option of this process that chooses its port. `added` are further variables of its environment.
 * The result stops it.
 */
export function runPage(
  args: readonly string[],
  { environment }: World,
  say: Say,
  { portOption, added = {} }: PageOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const [, script = ''] = process.argv;
  const start = {
    path: process.execPath,
    // As `bin/modreg` starts it (T349).
    arguments: ['--disable-sigusr1', realpathSync(script), ...args],
    folder: process.cwd(),
    environment: { ...environmentOf(environment), [PORT_OPTION]: portOption, ...added },
    runAs: undefined,
    onLine: ({ text }: { readonly text: string }): void =>
      say(/^(?:error|warning)\[/.test(text) ? 'warn' : 'info', `page: ${text}`),
  };
  const ended = keepRunning(start, stopping.signal, say);
  return async () => {
    stopping.abort();
    await ended;
  };
}

/** The options that have a value, as arguments. */
export function flagsOf(options: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}

function environmentOf(environment: World['environment']): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value === undefined || NOT_FOR_PAGE.test(name) || isSecretVariable(name) ? [] : [[name, value]],
  );
  return Object.fromEntries(entries);
}

async function keepRunning(
  start: Omit<Parameters<typeof launch>[0], 'mark'>,
  signal: AbortSignal,
  say: Say,
): Promise<void> {
  const stopped = new Promise<void>((done) => {
    signal.addEventListener('abort', () => done(), { once: true });
  });
  let crashes = NO_CRASHES;
  let starts = 0;
  const isStopped = (): boolean => signal.aborted;
  while (!isStopped()) {
    const startedAt = systemClock.monotonic();
    const launched = await launch({ ...start, mark: `${process.pid}/page/${++starts}/` });
    if (launched.ok) await Promise.race([launched.value.ended, stopped]);
    if (launched.ok) await launched.value.stop(STOP_MS);
    if (isStopped()) return;
    const why = launched.ok ? describeEnd(await launched.value.ended) : launched.error.reason;
    say('warn', `the page does not run: ${why}`);
    const now = systemClock.monotonic();
    crashes = withCrash(crashes, now, now - startedAt);
    const pause = backOffMs(crashes, 0);
    await Promise.race([systemClock.sleep(pause, signal).catch(() => undefined), stopped]);
  }
}

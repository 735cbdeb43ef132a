/* `modreg fleet serve`, as child processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ROOT } from '../../support/modreg.ts';

/** A front of a cluster, which keeps its port and its file when it is started again. */
export interface Front {
  readonly address: string;
  readonly db: string;
  /** Its process; undefined while it is down. */
  readonly process: () => ChildProcess | undefined;
  /** Resolves when it listens. */
  readonly start: () => Promise<void>;
  /** Ends it with SIGKILL, and resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** What it wrote to its log. */
  readonly log: () => string;
}

/** What a test changes. */
export interface FrontOptions {
  /** What precedes `modreg` on the command line of a front with this file; nothing if absent. */
  readonly prefix?: (db: string) => readonly string[];
  readonly args?: readonly string[];
}

/** Starts a front with the file `db`, which follows the cluster at `servers`. */
export async function startFront(
  db: string,
  servers: string,
  options: FrontOptions = {},
): Promise<Front> {
  const { prefix = (): readonly string[] => [], args = [] } = options;
  const [program, ...before] = [...prefix(db), `${ROOT}bin/modreg`];
  let child: ChildProcess | undefined;
  let port = '0';
  let log = '';
  const start = async (): Promise<void> => {
    const serve = ['fleet', 'serve', '--nats', servers, '--db', db, '--port', port, ...args];
    const env = { PATH: process.env['PATH'] };
    const started = spawn(program, [...before, ...serve], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const lines = createInterface(started.stdout);
    const line = await Promise.race([
      once(lines, 'line').then(([text]) => String(text)),
      once(started, 'exit').then(([code]) => `ended with ${code}`),
    ]);
    const address = /^listening on (http:.*:(\d+))$/.exec(line);
    if (!address) throw new Error(`${line}: ${log}`);
    port = address[2] ?? '';
  };
  await start();
  return {
    address: `http://127.0.0.1:${port}`,
    db,
    process: () => child,
    start,
    async kill() {
      const killed = child;
      child = undefined;
      if (!killed || killed.exitCode !== null || killed.signalCode !== null) return;
      killed.kill('SIGKILL');
      await once(killed, 'exit');
    },
    log: () => log,
  };
}

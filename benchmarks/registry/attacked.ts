import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ask, type Running } from './process.ts';
import { median, short } from '../row.ts';

/** A process under attack. */
export type Attacked = Pick<Running, 'address'> & {
  readonly child: { readonly pid?: number | undefined };
};

/** As many connections are opened at once as Node lets wait. */
const BATCH = 500;
const PROBES = 200;
/** How long other clients try. */
const PATIENCE_MS = 30_000;

/** A line of /proc/<pid>/status, in MiB; NaN if the process has ended. */
export function memory({ child }: Attacked, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const [, kib = ''] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return kib === '' ? Number.NaN : Number(kib) / 1024;
}

/** Connections that have sent `text` and read nothing. */
export async function connections(
  { address }: Attacked,
  count: number,
  text: string,
): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - sockets.length) }, async () => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1').pause();
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    });
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}

/**
 * The median time of a request of another client for `path`, in milliseconds. Infinite if fewer than half of its
 * requests are answered within 30 seconds.
 */
export async function latency({ address }: Attacked, path: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const end = performance.now() + PATIENCE_MS;
  const times: number[] = [];
  for (let probe = 0; probe < PROBES; probe++) {
    const begin = performance.now();
    const status = await Promise.race([
      ask(`${address}${path}`, {}, agent).catch(() => undefined),
      deadline(Math.max(0, end - begin)),
    ]);
    if (status !== undefined && status !== 200) throw new Error(`another client got ${status}`);
    times.push(status === 200 ? performance.now() - begin : Infinity);
  }
  agent.destroy();
  return median(times);
}

/** `waits 0.4 ms`, or `gets no answer in 30 s`. */
export function waitOf(ms: number): string {
  return Number.isFinite(ms) ? `waits ${short(ms)} ms` : 'gets no answer in 30 s';
}

async function deadline(ms: number): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setTimeout(() => resolve(undefined), ms).unref();
  return await promise;
}

import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon } from './debian-daemons.ts';

const PAUSE_MS = 2;
const PATIENCE_MS = 1000;

/** What a client has seen. */
export interface Seen {
  readonly requests: number;
  readonly failed: number;
  /** The longest time between two responses, in milliseconds. */
  readonly longestGap: number;
}

/** Sends one request after another, each on a new connection, until `signal` is aborted. */
export async function load(daemon: Daemon, port: number, signal: AbortSignal): Promise<Seen> {
  let requests = 0;
  let failed = 0;
  let longestGap = 0;
  for (let last = performance.now(); !signal.aborted;) {
    requests++;
    if (await responds(daemon, port)) {
      longestGap = Math.max(longestGap, performance.now() - last);
      last = performance.now();
    } else {
      failed++;
    }
    await sleep(PAUSE_MS);
  }
  return { requests, failed, longestGap };
}

async function responds({ request, response }: Daemon, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createConnection({ host: '127.0.0.1', port, timeout: PATIENCE_MS });
  socket.on('connect', () => socket.write(request));
  socket.on('data', (data) => resolve(data.toString('latin1').startsWith(response)));
  for (const end of ['error', 'timeout', 'close'] as const) socket.on(end, () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

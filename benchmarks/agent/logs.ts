/* The log of an agent: a burst of lines, and a queue that is sent to a collector on this machine. Prints rows as JSON. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { systemClock } from 'modreg/registry';
import { openLog } from '../../src/logs/log-file.ts';
import { MOST_RECORDS } from '../../src/logs/log-limits.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { LogUpload } from '../../src/logs/log-upload.ts';
import { logWriter } from '../../src/logs/log-writer.ts';
import { median, printRows } from '../row.ts';

const BURST = 50_000;
const ERROR_EVERY = 50;
/** So many lines arrive at once. */
const PIECE = 100;
const RUNS = 5;
const MIB = 2 ** 20;
const MOST_CPU_MS = 2000;
const MOST_DISK_MIB = 8;
const MOST_DRAIN_MS = 1000;

const folder = mkdtempSync(join(tmpdir(), 'modreg-logs-'));

function lineOf(place: number): LogRecord {
  const severity = place % ERROR_EVERY === 0 ? 'error' : 'info';
  const text = `lidar: ${place} ${'measured 1,024 points in 12.5 ms at 10 Hz; '.repeat(3)}`;
  return { at: 1_764_000_000_000 + place, severity, module: 'lidar', version: '1.2.3', text };
}

interface Burst {
  readonly cpuMs: number;
  readonly diskMib: number;
  readonly errors: number;
}

/** Writes the lines as an agent does, and measures its files. */
async function burst(path: string): Promise<Burst> {
  const before = process.cpuUsage();
  const writer = logWriter(path, (reason) => {
    throw new Error(reason);
  });
  let diskMib = 0;
  for (let place = 0; place < BURST; place++) {
    writer.write(lineOf(place));
    if (place % PIECE !== 0) continue;
    await setImmediate();
    diskMib = Math.max(diskMib, sizeOf(path) / MIB);
  }
  writer.close();
  const { user, system } = process.cpuUsage(before);
  const log = openLog(path, 'read');
  const kept = log.newest({ count: BURST });
  log.close();
  const errors = kept.filter(({ severity }) => severity === 'error').length;
  return { cpuMs: (user + system) / 1000, diskMib, errors };
}

function sizeOf(path: string): number {
  const sizes = ['', '-wal', '-shm'].map(
    (suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** How long a full queue takes, in milliseconds. The collector decompresses and parses every request. */
async function drained(path: string): Promise<number> {
  const log = openLog(path, 'create');
  for (let place = 0; place < MOST_RECORDS; place += PIECE) {
    log.append(Array.from({ length: PIECE }, (_, at) => lineOf(place + at)));
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(gunzipSync(Buffer.concat(chunks)).toString());
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`;
  const upload = new LogUpload(path, {
    source: { machineId: 'bench', host: 'bench', version: '0.0.0' },
    clock: systemClock,
    random: Math.random,
    onNotice: (_, text) => {
      throw new Error(text);
    },
  });
  const begin = performance.now();
  upload.follow({ ok: true, value: { endpoint, headers: {} } });
  while (log.delivery().waiting > 0) await setTimeout(1);
  const ms = performance.now() - begin;
  await upload.close();
  log.close();
  server.close();
  return ms;
}

const bursts: Burst[] = [];
const drains: number[] = [];
for (let run = 0; run < RUNS; run++) {
  bursts.push(await burst(join(folder, `burst-${run}.db`)));
  drains.push(await drained(join(folder, `queue-${run}.db`)));
}
rmSync(folder, { recursive: true });

const cpuMs = median(bursts.map((one) => one.cpuMs));
const diskMib = Math.max(...bursts.map((one) => one.diskMib));
const errors = Math.min(...bursts.map((one) => one.errors));
const drainMs = median(drains);
printRows([
  {
    measured: 'CPU time for a burst of 50,000 lines, median',
    figure: `${cpuMs.toFixed(0)} ms`,
    target: '< 2,000 ms',
    isMet: cpuMs < MOST_CPU_MS,
  },
  {
    measured: 'its files at their largest',
    figure: `${diskMib.toFixed(1)} MiB`,
    target: '≤ 8 MiB',
    isMet: diskMib <= MOST_DISK_MIB,
  },
  {
    measured: 'errors of the burst that were kept, of 1,000',
    figure: `${errors}`,
    target: 'all',
    isMet: errors === BURST / ERROR_EVERY,
  },
  {
    measured:
      'from a full queue of 10,000 records to an empty one, with a collector on loopback, median',
    figure: `${drainMs.toFixed(0)} ms`,
    target: '< 1,000 ms',
    isMet: drainMs < MOST_DRAIN_MS,
  },
]);

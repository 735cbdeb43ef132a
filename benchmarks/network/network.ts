/*
 * The cost of hostile responses, how long a large list blocks the event loop, and the cost of a 304 compared with a plain
 * ky request. Prints rows as JSON, and the single hostile responses to stderr.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import ky from 'ky';
import { openRegistries, type CachedRegistry } from 'modreg/registry';
import { openMachineFile, savedListsIn } from 'modreg/store';
import type { MachineFile as WholeFile } from '../../src/store/machine-file.ts';
import { HOSTILE, readHostile } from '../../test/support/hostile.ts';
import { median, printRows, type Row } from '../row.ts';
import { moduleId } from '../parsed.ts';

const TIMES = 5;
const CALLS = 2000;
const ROUNDS = 5;

const LARGE = moduleId('bench:large');
const SMALL = moduleId('bench:small');

const script = join(import.meta.dirname, 'server.ts');
const server = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
const [address] = (await once(createInterface(server.stdout), 'line')) as [string];

/** Increments the generation of the large list. */
async function changeLargeList(): Promise<void> {
  server.stdin.write('\n');
  await once(server.stdout, 'data');
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-'));
const file = openMachineFile(join(folder, 'machine.db'));

function registry(): CachedRegistry {
  const opened = openRegistries({ saved: savedListsIn(file) }).open({ registry: address });
  if (!opened.ok) throw opened.error;
  return opened.value;
}

function spread(values: readonly number[]): string {
  return `median ${median(values).toFixed(0)} ms, at most ${Math.max(...values).toFixed(0)} ms`;
}

/** The longest block of the event loop during `work`, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  delay.reset();
  await work();
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  delay.disable();
  return delay.max / 1e6;
}

function blockRow(what: string, times: readonly number[]): Row {
  const measured = `longest event-loop block, 10,000 releases (4.4 MB): ${what}`;
  return { measured, figure: spread(times) };
}

async function blocks(): Promise<Row[]> {
  const first: number[] = [];
  const changed: number[] = [];
  const saved: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    (file as WholeFile).sql.run('DELETE FROM saved_lists');
    const client = registry();
    first.push(await longestBlock(async () => await client.read(LARGE)));
    await changeLargeList();
    changed.push(await longestBlock(async () => await client.read(LARGE)));
    saved.push(await longestBlock(async () => await registry().readAll([LARGE])));
  }
  return [
    blockRow('first read', first),
    blockRow('changed list', changed),
    blockRow('read from disk after a restart', saved),
  ];
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

async function unchanged(): Promise<Row> {
  const client = registry();
  await client.read(SMALL);
  const url = `${address}/v1/modules/bench/small`;
  const headers = { 'if-none-match': '"small"' };
  const bare = async (): Promise<unknown> => {
    const response = await ky(url, { headers, retry: 0, throwHttpErrors: false });
    return await response.arrayBuffer();
  };
  const ours = async (): Promise<unknown> => await client.read(SMALL);
  const times = { bare: [] as number[], ours: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push(await cpuOf(bare));
    times.ours.push(await cpuOf(ours));
  }
  const ratio = median(times.ours) / median(times.bare);
  return {
    measured: 'CPU time of a 304 response, relative to a bare `ky` call',
    figure: `${ratio.toFixed(2)} times: ${median(times.ours).toFixed(0)} µs`,
    peer: `${median(times.bare).toFixed(0)} µs`,
  };
}

async function hostile(): Promise<Row> {
  const read = await readHostile(HOSTILE, TIMES);
  for (const one of read) console.error(JSON.stringify(one));
  const mib = Math.max(...read.map((one) => one.mib));
  return {
    measured: 'hostile responses (`mocks/hostile-answers.ts`), with a heap of 64 MiB',
    figure: `at most ${mib.toFixed(0)} MiB above idle`,
  };
}

printRows([...(await blocks()), await unchanged(), await hostile()]);
file.close();
server.kill();
rmSync(folder, { recursive: true });

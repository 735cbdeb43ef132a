/*
 * `npm run bench:network` measures the cost of hostile responses, how long a large list blocks the event loop, and the
 * cost of a 304 compared with a plain ky request.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import ky from 'ky';
import { parseModuleId } from 'modreg';
import { openRegistries, type CachedRegistry } from 'modreg/registry';
import { openMachineFile, savedListsIn } from 'modreg/store';
import type { MachineFile as WholeFile } from '../src/store/machine-file.ts';
import { HOSTILE, readHostile } from '../test/support/hostile.ts';

const TIMES = 5;
const CALLS = 2000;
const ROUNDS = 5;

function id(text: string): ReturnType<typeof parseModuleId> & { ok: true } {
  const parsed = parseModuleId(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed;
}
const LARGE = id('bench:large').value;
const SMALL = id('bench:small').value;

const script = join(import.meta.dirname, 'network-server.ts');
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function spread(values: readonly number[]): string {
  return `median ${median(values).toFixed(1)}, max ${Math.max(...values).toFixed(1)}`;
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

async function blocks(): Promise<void> {
  console.log('\nLongest block of the event loop by a list of 10,000 releases (4.4 MB), ms');
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
  console.log(`  first read and save             ${spread(first)}`);
  console.log(`  changed, compared with saved    ${spread(changed)}`);
  console.log(`  read from disk after a restart  ${spread(saved)}`);
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

async function unchanged(): Promise<void> {
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
  console.log(`\nA 304: CPU time of the client, µs per request, median of ${ROUNDS}`);
  console.log(`  ky only         ${median(times.bare).toFixed(0)}`);
  console.log(`  openRegistries  ${median(times.ours).toFixed(0)}   ${ratio.toFixed(2)} times ky`);
}

async function hostile(): Promise<void> {
  console.log(
    `\nHostile responses, each ${TIMES} times in a separate process with a heap limit of 64 MiB`,
  );
  console.log(`${'fault'.padEnd(42)} ${'outcome'.padEnd(22)} median ms  peak MiB above idle`);
  for (const { fault, outcomes, ms, mib } of await readHostile(HOSTILE, TIMES)) {
    const figures = `${ms.toFixed(0).padStart(9)}  ${mib.toFixed(1).padStart(19)}`;
    console.log(`${fault.padEnd(42)} ${outcomes.join().padEnd(22)} ${figures}`);
  }
}

await blocks();
await unchanged();
await hostile();
file.close();
server.kill();
rmSync(folder, { recursive: true });

/*
 * Reads the list of a module several times, and prints the outcomes, the median time and the most memory above idle:
 * hostile-reader.ts <address> <times> <module> <patience>
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { moduleId } from './ask.ts';
import { remoteAt } from './remote-at.ts';

const [address = '', times = '1', module = '', patience = '1'] = process.argv.slice(2);
const MIB = 1024;
const HALF_A_SECOND = 500 * Number(patience);
const limits = {
  answerMs: HALF_A_SECOND,
  idleMs: HALF_A_SECOND,
  totalMs: 3 * HALF_A_SECOND,
  slowAfterMs: 700,
  retryWithinMs: 0,
};

/** In MiB. */
function memory(line: 'VmRSS' | 'VmHWM'): number {
  const [, kib] =
    new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) / MIB;
}

async function read(id: string): Promise<string> {
  const remote = remoteAt(address, { limits });
  try {
    const round = { budget: { requests: 0, retries: 0 } };
    const { records } = await remote.fetch(moduleId(id), undefined, round);
    return `${records.length} releases`;
  } catch (error) {
    return error instanceof Error && 'kind' in error ? String(error.kind) : String(error);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

// Idle memory includes everything that a first request loads.
for (let run = 0; run < 20; run++) await read('wire:honest');
const outcomes = new Set<string>();
const durations: number[] = [];
const peaks: number[] = [];
for (let run = 0; run < Number(times); run++) {
  globalThis.gc?.();
  // Resets VmHWM, the peak memory, to the current use.
  writeFileSync('/proc/self/clear_refs', '5');
  const idle = memory('VmRSS');
  const began = performance.now();
  outcomes.add(await read(module));
  durations.push(performance.now() - began);
  peaks.push(memory('VmHWM') - idle);
}
const mib = Math.max(...peaks);
process.stdout.write(JSON.stringify({ outcomes: [...outcomes], ms: median(durations), mib }));

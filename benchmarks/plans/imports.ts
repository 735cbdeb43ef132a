import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Measured } from '../part.ts';
import { median, rounded, short, type Row } from '../row.ts';

interface ImportTimes {
  /** The entry point; undefined for a process that imports nothing. */
  readonly entry: string | undefined;
  /** From the call of `import` to its result, in milliseconds of wall-clock time. */
  readonly importMs: number;
  /** From the start of the process to that result. */
  readonly processMs: number;
}

const ROOT = join(import.meta.dirname, '../..');
const RUNS = 20;
/** The first one is a Node that does nothing. */
const ENTRIES = [
  undefined,
  'modreg',
  'modreg/config',
  'modreg/registry',
  'modreg/store',
  'modreg/poller',
  'modreg/agent',
  'modreg/board',
  'modreg/server',
  'modreg/testing',
];

/** The targets, in milliseconds. */
const MOST_MS: Readonly<Record<string, number>> = { modreg: 25, 'modreg/poller': 60 };

/** How long importing each entry point takes in a fresh process, without a compile cache: medians. */
export function imports(): Measured {
  const times = importTimes();
  const [nothing] = times;
  return {
    headline: `Importing an entry point in a fresh process, median of ${RUNS}; Node alone starts in ${short(nothing?.processMs ?? NaN)} ms`,
    details: times.map(({ entry = 'nothing', importMs, processMs }) => {
      return { entry, 'import ms': rounded(importMs), 'start to end ms': rounded(processMs) };
    }),
    rows: times.flatMap((row) => rowOf(row) ?? []),
  };
}

function rowOf({ entry, importMs }: ImportTimes): Row | undefined {
  const most = MOST_MS[entry ?? ''];
  if (most === undefined) return undefined;
  return {
    measured: `\`import '${entry}'\` in a fresh process`,
    figure: `${short(importMs)} ms`,
    target: `at most ${most} ms`,
    isMet: importMs <= most,
  };
}

function importTimes(): ImportTimes[] {
  // Entries alternate, so that other load on the machine affects all of them.
  const runs = Array.from({ length: RUNS }, () => ENTRIES.map(importOnce));
  return ENTRIES.map((entry, place) => ({
    entry,
    importMs: median(runs.map((times) => times[place]?.[0] ?? NaN)),
    processMs: median(runs.map((times) => times[place]?.[1] ?? NaN)),
  }));
}

function importOnce(entry: string | undefined): readonly [importMs: number, processMs: number] {
  const statement = entry === undefined ? '' : `await import('${entry}');`;
  const program = `const start = performance.now();
    ${statement}
    const end = performance.now();
    console.log(JSON.stringify([end - start, end]));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  const [importMs = NaN, processMs = NaN] = JSON.parse(printed) as number[];
  return [importMs, processMs];
}

import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The instructions of one run of each kernel, by its name. */
export type Counts = Readonly<Record<string, number>>;

/** What the machine code that runs depends on, besides modreg. */
export interface Machine {
  readonly node: string;
  readonly valgrind: string;
  readonly libc: string;
  /** The architecture, and the features for which V8 and the C library have code of their own. */
  readonly cpu: string;
}

/** Counts to compare with, and the machine that they were counted on. */
export interface Baseline {
  readonly key: string;
  readonly date: string;
  readonly renew: string;
  readonly machine: Machine;
  readonly counts: Counts;
}

export const FILE = 'benchmarks/gate/baseline.json';
export const RENEW = 'npm run bench:gate -- --renew';

/** A count that is higher than in the baseline by more than this share is a regression. */
const LIMIT = 0.03;

/** The features that valgrind passes on to programs, as Linux spells them. */
const FEATURES = new Set(
  'pni ssse3 sse4_1 sse4_2 popcnt cx16 avx avx2 bmi1 bmi2 fma abm f16c rdrand rdseed aes pclmulqdq movbe'.split(
    ' ',
  ),
);

function valgrindVersion(): string {
  try {
    return execFileSync('valgrind', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    console.error('valgrind is not installed: apt-get install valgrind');
    process.exit(1);
  }
}

/** Exits if valgrind is not installed. */
export function thisMachine(): Machine {
  const flags = /^(?:flags|Features)\s*: (.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1];
  const features = (flags ?? '')
    .split(' ')
    .filter((flag) => process.arch === 'arm64' || FEATURES.has(flag));
  const { glibcVersionRuntime } = (process.report.getReport() as Report).header;
  return {
    node: process.version,
    valgrind: valgrindVersion(),
    libc: glibcVersionRuntime,
    cpu: [process.arch, ...features.toSorted()].join(' '),
  };
}

interface Report {
  readonly header: { readonly glibcVersionRuntime: string };
}

/** Machines with the same key execute the same instructions. */
export function keyOf(machine: Machine): string {
  return createHash('sha256').update(JSON.stringify(machine)).digest('hex').slice(0, 12);
}

/** One line for each kernel that needs more instructions than `before` allows, or that `before` does not have. */
export function regressions(before: Counts, now: Counts): string[] {
  return Object.entries(now).flatMap(([name, count]) => {
    const known = before[name];
    if (known === undefined) return [`${name}: the baseline does not have it`];
    if (count <= known * (1 + LIMIT)) return [];
    const counts = `${known.toLocaleString('en')} instructions before, ${count.toLocaleString('en')} now`;
    return [`${name}: ${counts}, ${changeOf(known, count)} (limit +${LIMIT * 100} %)`];
  });
}

/** `+4.2 %` */
export function changeOf(before: number, now: number): string {
  const percent = (now / before - 1) * 100;
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

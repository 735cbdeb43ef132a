import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ProcessRow {
  readonly command: string;
  /** CPU time, user and sys, in milliseconds. */
  readonly median: number;
  readonly least: number;
}

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const RUNS = 9;
const COMMANDS = [
  'node_modules/.bin/node -e 0',
  "bin/modreg resolve acme:lidar '1.2.*'",
  'bin/modreg resolve acme:lidar 1.2.x',
  "bin/modreg resolve npm:typescript '5.4.*' --registry test/fixtures/registry",
  'bin/modreg compare npm:typescript --registry test/fixtures/registry',
];

/** CPU time of whole processes, beside a Node that does nothing: the shell's own `times`. */
export function processes(): ProcessRow[] {
  return COMMANDS.map((command) => {
    const times = Array.from({ length: RUNS }, () => cpuTime(command)).toSorted((a, b) => a - b);
    return { command, median: times[(RUNS - 1) / 2] ?? 0, least: times[0] ?? 0 };
  });
}

function cpuTime(command: string): number {
  const script = `${command} >/dev/null 2>&1; times`;
  const { stdout } = spawnSync('bash', ['-c', script], { cwd: ROOT, encoding: 'utf8' });
  const children = stdout.trimEnd().split('\n').at(-1) ?? '';
  const times = Array.from(children.matchAll(/(\d+)m([\d.]+)s/g), ([, minutes, seconds]) => {
    return Number(minutes) * 60_000 + Number(seconds) * 1000;
  });
  return times.reduce((sum, ms) => sum + ms, 0);
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/*
 * CPU time (user + sys) of whole processes, median of 9, beside a Node that does nothing. The shell's
 * own `times` measures it, to a hundredth of a second or better.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const RUNS = 9;

const COMMANDS = {
  'node -e 0': 'node_modules/.bin/node -e 0',
  'resolve, sample catalogue': "bin/modreg resolve acme:lidar '1.2.*'",
  'resolve, 3478 releases':
    "bin/modreg resolve npm:typescript '5.4.*' --registry test/fixtures/registry",
  'resolve, a bad constraint': 'bin/modreg resolve acme:lidar 1.2.x',
};

/** In milliseconds. */
function cpuTime(command: string): number {
  const script = `${command} >/dev/null 2>&1; times`;
  const { stdout } = spawnSync('bash', ['-c', script], { cwd: ROOT, encoding: 'utf8' });
  const children = stdout.trimEnd().split('\n').at(-1) ?? '';
  const times = Array.from(children.matchAll(/(\d+)m([\d.]+)s/g), ([, minutes, seconds]) => {
    return Number(minutes) * 60_000 + Number(seconds) * 1000;
  });
  return times.reduce((sum, ms) => sum + ms, 0);
}

test('CPU time of a process', () => {
  const rows = Object.entries(COMMANDS).map(([name, command]) => {
    const sorted = Array.from({ length: RUNS }, () => cpuTime(command)).toSorted((a, b) => a - b);
    expect(sorted[0]).toBeGreaterThan(0);
    return { name, 'median ms': sorted[(RUNS - 1) / 2], 'min ms': sorted[0] };
  });
  console.table(rows);
});

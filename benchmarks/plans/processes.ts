import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ProcessRow {
  readonly command: string;
  /** CPU time, user and sys, in milliseconds. */
  readonly median: number;
  readonly least: number;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RUNS = 9;
const COMMANDS = [
  'node_modules/.bin/node -e 0',
  "bin/modreg resolve acme:lidar '1.2.*'",
  'bin/modreg resolve acme:lidar 1.2.x',
  "bin/modreg resolve npm:typescript '5.4.*' --registry test/fixtures/registry",
  'bin/modreg compare npm:typescript --registry test/fixtures/registry',
  'bin/modreg check examples/machine.json',
];
/** Commands that check a document of 1,000 modules. ajv uses the same JSON Schema, but reports no positions. */
const LARGE_COMMANDS = ['bin/modreg check', 'node_modules/.bin/node benchmarks/plans/ajv-check.ts'];

/** CPU time of whole processes, measured by `times` of the shell. The first one is a Node that does nothing. */
export function processes(): ProcessRow[] {
  const large = largeMachine();
  const commands = [...COMMANDS, ...LARGE_COMMANDS.map((command) => `${command} ${large}`)];
  return commands.map((command) => {
    const times = Array.from({ length: RUNS }, () => cpuTime(command)).toSorted((a, b) => a - b);
    return { command, median: times[(RUNS - 1) / 2] ?? 0, least: times[0] ?? 0 };
  });
}

/** Writes a machine config of 1,000 modules and 1 MiB. The file is kept for inspection. */
function largeMachine(): string {
  const numbers = Array.from({ length: 1000 }, (_, at) => at);
  const versions = ['1.2.3', '1.2.*', '1.*', 'latest', 'latest-with-prerelease'];
  const modules = numbers.map((at) => ({
    type: 'registry',
    name: `acme_module-${at}`,
    module_id: `acme:module-${at}`,
    version: versions[at % versions.length],
    env: { HOME: '${environment.HOME}', NOTE: 'n'.repeat(250) },
  }));
  const components = numbers.map((at) => ({
    name: `component-${at}`,
    model: `acme:module-${at}:model`,
    type: 'sensor',
    namespace: 'rdk',
    attributes: { rate_hz: 10, label: 'l'.repeat(250), pins: [1, 2, 3] },
    depends_on: at === 0 ? [] : [`component-${at - 1}`],
  }));
  const file = join(tmpdir(), 'modreg-1000-modules.json');
  writeFileSync(file, JSON.stringify({ components, modules }, undefined, 2));
  return file;
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

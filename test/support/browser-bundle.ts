import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

/** The clone, whose `dist` is the package. */
const ROOT = join(import.meta.dirname, '../..');

/** A page that decides for a machine in its browser, and keeps the answers in `answers`. */
export const PROGRAM = `
import { describeDecision, indexReleases, pick, planMachine, readDeployed, resolve } from 'modreg';
import { configurationFrom, readMachine } from 'modreg/config';

const documents = {
  machine: new TextEncoder().encode('{"modules": [{"type": "registry", "name": "cam", "module_id": "acme:cam", "version": "1.*", "env": {"A": "\u00e4"}}]}'),
  policy: '{"maintenance": [{"start": "0 2 * * *", "duration": "1h", "time_zone": "Europe/Berlin"}]}',
};
const configuration = configurationFrom(documents.machine, documents.policy);
const rollout = { salt: 's1', percent: 50, share: 0.5 };
const index = indexReleases([{ version: '1.3.0', rollout }, { version: '1.2.9' }]);
const planned = (machineId) => {
  const state = { list: { index }, deployed: readDeployed('1.0.4') };
  const modules = new Map([['cam', state]]);
  const now = Date.parse('2026-11-21T00:00:00Z');
  const common = { ...configuration, platform: 'linux/arm64', now, machineId, modules };
  const [row] = planMachine({ ...common, subsystems: new Map(), isServerBusy: false }).modules;
  return row.decision.replacement.to.version.text + ': ' + describeDecision(row.decision);
};
const files = [{ platform: 'any', url: 'https://files.example/a' }];
globalThis.answers = JSON.stringify([
  pick(['1.9.0', '1.10.0', '2.0.0-rc.1'], '1.*'),
  resolve('1.*', [{ version: '1.2.9', artifacts: files }], { now: 0, platform: 'linux/arm64' }).artifact.url,
  planned('rover-7'),
  planned('rover-9'),
  readMachine(Uint8Array.of(0x7b, 0x22, 0xff)).problems.map(({ message }) => message),
  readMachine('{"modules": [{"type": "local", "name": "m", "module_id": "acme", "version": "1"}]}').problems.map(({ path }) => path),
]);
`;

/** What it answers, wherever it runs. */
export const ANSWERS: readonly unknown[] = [
  '1.10.0',
  'https://files.example/a',
  '1.3.0: the maintenance window is closed until 2026-11-21T01:00:00Z',
  '1.2.9: the maintenance window is closed until 2026-11-21T01:00:00Z; 1.3.0 is refused: the rollout at 50 % does not include this machine yet: cohort 0.99 is not below 0.50',
  ['bytes that are not UTF-8'],
  ['/modules/0/module_id'],
];

/** A program that only picks. */
export const PICKING = `import { pick } from 'modreg';\nglobalThis.answers = pick(['1.0.0'], '1.*');`;

/** Bundles `program` for browsers, with the package as its users get it, in `folder`. Also returns what the bundler complains about. */
export async function bundledForBrowsers(
  program: string,
  folder: string,
  write: (file: string, text: string) => void,
): Promise<{ readonly code: string; readonly complaints: readonly string[] }> {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/modreg'));
  write(join(folder, 'program.js'), program);
  const complaints: string[] = [];
  const { output } = await build({
    input: join(folder, 'program.js'),
    platform: 'browser',
    onLog: (_level, { message }) => void complaints.push(message),
    write: false,
    output: { format: 'iife', minify: true },
  });
  return { code: output.map((one) => ('code' in one ? one.code : '')).join(''), complaints };
}

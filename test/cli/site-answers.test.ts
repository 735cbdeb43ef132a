import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { knownAnswers } from '../support/answers.ts';
import { moduleId } from '../support/ask.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { lidarReport, type LidarMachine } from '../support/reported-facts.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SCOPES = ['publish', 'yank', 'rollout', 'fleet:read'];
const LIDAR = ['acme:lidar', '1.3.0'];

interface Recorded {
  readonly folder: string;
  readonly address: string;
  readonly catalogue: Catalogue;
  /** Runs a command, and keeps its answer. `FILE` and `ADDRESS` name the registry. */
  readonly run: (command: string) => Promise<void>;
  readonly report: (
    id: string,
    machine: LidarMachine,
    ...failed: readonly string[]
  ) => Promise<void>;
  /** All answers, a line for each line that was printed. */
  readonly text: () => string;
}

/** A served registry with a fixed clock. What differs from run to run has a name in the answers. */
async function recorded(): Promise<Recorded> {
  const folder = temporaryFolder();
  const file = join(folder, 'registry.db');
  const catalogue = new Catalogue(file, { mode: 'create' });
  const clock = { ...systemClock, now: () => NOW };
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { spreadMs: 0, clock });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const { address } = running;
  const environment = {
    MODREG_TOKEN: tokenFor(catalogue, SCOPES, 'cli'),
    PLATFORM_HOME: join(folder, 'home'),
  };
  const named = (line: string): string =>
    line
      .replaceAll(file, 'FILE')
      .replaceAll(folder, 'FOLDER')
      .replaceAll(address, 'ADDRESS')
      .replaceAll(/modreg_[\w-]{43}/g, 'TOKEN')
      .replaceAll(/(?<=history":"|registry-|sha256":")[0-9a-f]{16,}/g, 'HEX')
      .replaceAll(/"share":0\.\d+/g, '"share":"SHARE"');
  const lines: string[] = [];
  const numbers = new Map<string, number>();
  return {
    folder,
    address,
    catalogue,
    async run(command) {
      const args = command.split(' ').map((one) => one.replace('FILE', file));
      const typed = args.map((one) => one.replace('FOLDER', folder).replace('ADDRESS', address));
      const { stdout, stderr, exit } = await printed(typed, { environment, clock: () => NOW });
      lines.push(`$ ${command}`, ...stdout.map(named), ...stderr.map(named), `exit ${exit}`, '');
    },
    async report(id, machine, ...failed) {
      const number = (numbers.get(id) ?? 0) + 1;
      numbers.set(id, number);
      const token = tokenFor(catalogue, [`machine:${id}`], `${id}-${number}`);
      const module = lidarReport(machine, NOW);
      // The clock of one machine is wrong (D461).
      const at = formatTime(id === 'rover-5' ? NOW - 3_600_000 : NOW);
      const { outcomes, ...report } = machineReport([number], {
        state: { ...reportedState(number, module), at },
        queue: `queue-of-${id}`,
      });
      const [reason] = failed;
      const sent = outcomes.map((one) =>
        reason === undefined ? one : Object.assign(one, { to: '1.3.0', result: 'failed', reason }),
      );
      const answer = await fetch(`${address}/v1/machines/${id}/reports`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...report, outcomes: sent }),
      });
      expect(answer.status).toBe(200);
    },
    text: () => lines.join('\n'),
  };
}

const ARTIFACT = `--artifact linux/arm64=https://m.example/x --digest sha256:${'ab'.repeat(32)} --size 7`;

it.each([
  ['file', '--db FILE'],
  ['address', '--registry ADDRESS'],
])(
  'modules and their releases, of the %s of a registry, are answered as before',
  async (name, where) => {
    const { run, text } = await recorded();
    for (const command of [
      'list',
      'publish acme:lidar 1.2.8',
      `publish acme:lidar 1.2.9 ${ARTIFACT} --deprecated old`,
      `publish acme:lidar 1.2.9 ${ARTIFACT} --deprecated old`,
      'publish acme:lidar 1.2.9',
      'publish acme:lidar 1.3.0 --rollout --soak 2h',
      'publish acme:lidar 1.3.0 --rollout',
      'publish acme:lidar 1.2.8 --rollout',
      'publish acme:lidar 1.2',
      'publish lidar 1.2.0',
      'publish other:arm 2.0.0-rc.1 --published-at 2026-11-01T00:00:00Z',
      'list',
      'list acme',
      'list acme:lidar',
      'list acme:arm',
      'list a:b:c',
      'show acme:lidar',
      'show other:arm',
      'show acme:arm',
      'yank acme:lidar 1.2.9 --reason stops',
      'yank acme:lidar 1.2.9 --reason stops',
      'yank acme:lidar 9.9.9',
      'yank acme:arm 1.0.0',
      'show acme:lidar',
      'unyank acme:lidar 1.2.9',
      'unyank acme:lidar 1.2.9',
    ]) {
      await run(`registry ${command} ${where} --json`);
    }
    expect(text()).toBe(knownAnswers(`site/modules-of-${name}.txt`, text()));
  },
);

it('tokens, checks and backups are answered as before', async () => {
  const { run, text } = await recorded();
  for (const command of [
    'token create --name ci --scope publish:acme --scope yank:acme --expires 90d',
    'token create --name ci --scope everything',
    'token create --scope publish',
    'token list',
    'token revoke ci',
    'token revoke ci',
    'token revoke t99',
    'token list',
    'publish acme:lidar 1.2.9',
    'verify',
  ]) {
    await run(`registry ${command} --db FILE --json`);
  }
  await run('registry backup FOLDER/backup --db FILE --json');
  await run('registry verify FOLDER/backup --json');
  await run('registry verify FOLDER/none.db --json');
  await run('registry restore FOLDER/backup --db FILE --json');
  await run('registry restore FOLDER/backup --db FOLDER/other.db --json');
  expect(text()).toBe(knownAnswers('site/tokens-and-backups.txt', text()));
});

it('lists that are accepted are answered as before', async () => {
  const { run, text, catalogue } = await recorded();
  await run('registry publish acme:lidar 1.2.9 --db FILE --json');
  for (const flags of ['--dry-run ', '', '']) {
    await run(`accept acme:lidar ${flags}--registry ADDRESS --json`);
  }
  catalogue.yank(moduleId('acme:lidar'), '1.2.9', 'stops');
  await run('registry publish acme:lidar 1.3.0 --db FILE --json');
  await run('accept acme:lidar --registry ADDRESS --json');
  await run('accept acme:arm --registry ADDRESS --json');
  await run('accept acme:lidar --registry FILE --json');
  expect(text()).toBe(knownAnswers('site/accepted-lists.txt', text()));
});

it('rollouts are answered as before', async () => {
  const { run, text, report } = await recorded();
  const rollout = async (command: string): Promise<void> =>
    await run(`rollout ${command} --registry ADDRESS --json`);
  await run('registry publish acme:lidar 1.2.9 --registry ADDRESS --json');
  for (const id of ['rover-1', 'rover-2', 'rover-3']) await report(id, { id });
  await rollout('status');
  await rollout('start acme:lidar 1.2.9');
  await run('registry publish acme:lidar 1.3.0 --registry ADDRESS --json');
  await run('registry yank acme:lidar 1.3.0 --registry ADDRESS --json');
  const release = LIDAR.join(' ');
  await rollout(`start ${release} --soak soon`);
  await rollout(`start ${release} --soak 4h`);
  await rollout(`start ${release} --soak 4h`);
  await rollout(`status ${release}`);
  await rollout('status acme:lidar');
  await rollout('status acme:arm');
  await rollout('status');
  await rollout('status acme:lidar 9.9.9');
  await rollout(`raise ${release} --to 101`);
  await rollout(`raise ${release}`);
  await rollout(`raise ${release} --to 100`);
  await report('rover-1', { id: 'rover-1', deployed: '1.3.0' });
  await report('rover-2', { id: 'rover-2' }, 'motor stalled');
  await rollout(`status ${release}`);
  await rollout(`halt ${release}`);
  await rollout(`resume ${release}`);
  await rollout(`resume ${release} --failures 7`);
  await rollout(`resume ${release} --failures 1`);
  await rollout(`halt ${release} --reason loud`);
  await rollout(`retract ${release} --reason stops`);
  await rollout(`retract ${release}`);
  await rollout(`status ${release}`);
  await run(`rollout status ${release} --json`);
  expect(text()).toBe(knownAnswers('site/rollouts.txt', text()));
});

it('machines are answered as before', async () => {
  const { run, text, report } = await recorded();
  const fleet = async (command: string): Promise<void> =>
    await run(`fleet ${command} --registry ADDRESS --json`);
  await fleet('status');
  for (const version of ['1.2.8', '1.2.9']) {
    await run(`registry publish acme:lidar ${version} --registry ADDRESS --json`);
  }
  await report('rover-1', { id: 'rover-1' });
  await report('rover-2', { id: 'rover-2', deployed: '1.2.8', window: '0 3 * * *' });
  await report('rover-3', { id: 'rover-3', constraint: '1.2.*' });
  const fourth = { id: 'rover-4', minimumAgeMs: 86_400_000 };
  await report('rover-4', fourth);
  await report('rover-5', { id: 'rover-5', constraint: '2.*' });
  for (const command of [
    'status',
    'machines',
    'machines --limit 2',
    'machines --limit 0',
    'machines --stuck',
    'machines --module acme:lidar --version 1.2.8',
    'machines --module lidar',
    'machines --version 1.2',
    'what-if acme:lidar 1.4.0',
    'what-if acme:lidar 1.2.9',
    'what-if acme:lidar 1.4',
    'what-if acme:arm 1.0.0',
    'what-if acme:lidar 1.4.0 --release FOLDER/none.json',
  ]) {
    await fleet(command);
  }
  await run('registry publish acme:lidar 1.3.0 --rollout --registry ADDRESS --json');
  await run('rollout raise acme:lidar 1.3.0 --to 100 --registry ADDRESS --json');
  await report('rover-4', fourth, 'motor stalled');
  await fleet('what-if acme:lidar 1.3.0');
  await run('fleet status --json');
  await run('fleet check --nats localhost --json');
  await run('fleet check --nats nats://127.0.0.1:1 --monitor http://127.0.0.1:1 --json');
  expect(text()).toBe(knownAnswers('site/machines.txt', text()));
});

import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentRunCommand } from '../../src/cli/agent/run-command.ts';
import { resolutionDocument } from '../../src/host/resolution-document.ts';
import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import type { World } from '../../src/base/world.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

type Environment = World['environment'];

const KEYS = { api_key_id: 't1', api_key: 'key' };
const KEY_VARIABLES = { PLATFORM_API_KEY: 'key', PLATFORM_API_KEY_ID: 't2' };

interface Site {
  readonly path: string;
  readonly registry: string;
  readonly environment: Environment;
}

/** A machine with a module whose only release is in a rollout, and with these credentials in its file. */
async function siteWith(credentials: object | undefined): Promise<Site> {
  const rollout = { salt: 'salt-1', percent: 1, share: 0.01 };
  const { address } = await plainServer((response, { url = '' }) => {
    if (url.includes('/lidar')) send(response, listOf([{ version: '1.3.0', rollout }], 1));
    else response.writeHead(404).end();
  });
  const run_as = process.getuid?.() === 0 ? 'root' : undefined;
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
    'policy.json': JSON.stringify({ registry: address, run_as }),
    'deployed.json': JSON.stringify({ acme_lidar: null }),
    'credentials.json': JSON.stringify(credentials ?? {}),
  });
  chmodSync(`${folder}/credentials.json`, 0o600);
  const file = credentials ? `${folder}/credentials.json` : '/nonexistent';
  const environment = {
    PLATFORM_HOME: folder,
    PATH: process.env['PATH'],
    MODREG_CREDENTIALS_FILE: file,
  };
  return { path: `${folder}/machine.json`, registry: address, environment };
}

function worldOf(environment: Environment): World {
  return { ...quietWorld('linux/arm64'), environment, clock: Date.now };
}

/** What the rollout says of the machine. */
function reasonIn(text: string): string | undefined {
  return /cohort [\d.]+ is not|it has no id/.exec(text)?.[0];
}

async function planned({ path }: Site, environment: Environment): Promise<string | undefined> {
  const deployed = path.replace('machine.json', 'deployed.json');
  const { stdout, stderr } = await printed(
    ['plan', path, '--deployed', deployed],
    worldOf(environment),
  );
  return reasonIn([...stdout, ...stderr].join('\n'));
}

async function resolved(
  { registry }: Site,
  environment: Environment,
  ...options: readonly string[]
): Promise<string | undefined> {
  const args = ['resolve', 'acme:lidar', '1.*', '--explain', '--registry', registry, ...options];
  return reasonIn((await printed(args, worldOf(environment))).stdout.join('\n'));
}

async function onPage({ path }: Site, environment: Environment): Promise<string | undefined> {
  const page = machineOnPage(path, {}, worldOf(environment));
  const explained = await page.explain('acme_lidar');
  if (!explained.ok) return JSON.stringify(explained.error);
  return reasonIn(JSON.stringify(resolutionDocument(explained.value, { withRefused: true })));
}

/** Resolves once the agent has recorded its decision, for `reason`. */
async function agentRecords(site: Site, environment: Environment, reason: string): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<'SIGTERM'>();
  const world = { ...worldOf(environment), untilSignal: async () => await ended };
  const run = agentRunCommand(site.path, { interval: '5s' }, world);
  const recorded = async (): Promise<string | undefined> =>
    await resolved(site, environment, '--machine');
  await expect.poll(recorded, { interval: 100 }).toBe(reason);
  end('SIGTERM');
  await run;
}

describe('the id of the machine, by which a rollout includes it, is the same in plan, resolve, page and agent', () => {
  const OF_FILE = 'cohort 0.66 is not';
  const OF_ENVIRONMENT = 'cohort 0.91 is not';
  it.each([
    ['that of the credentials file', { ...KEYS, part_id: 'f' }, { PLATFORM_PART_ID: 'e' }, OF_FILE],
    [
      'that of the environment with its key',
      { ...KEYS, part_id: 'f' },
      { ...KEY_VARIABLES, PLATFORM_PART_ID: 'e' },
      OF_ENVIRONMENT,
    ],
    [
      'none, if the environment has a key and no id',
      { ...KEYS, part_id: 'f' },
      KEY_VARIABLES,
      'it has no id',
    ],
    [
      'that of the environment, if the file has none',
      KEYS,
      { PLATFORM_PART_ID: 'e' },
      OF_ENVIRONMENT,
    ],
    [
      'that of the environment, if there is no file',
      undefined,
      { PLATFORM_PART_ID: 'e' },
      OF_ENVIRONMENT,
    ],
    ['none', undefined, {}, 'it has no id'],
    [
      'that of the agent, for the page that it starts',
      { ...KEYS, part_id: 'f' },
      { MODREG_MACHINE_ID: 'e' },
      OF_ENVIRONMENT,
    ],
  ])('%s', async (_what, credentials, variables, reason) => {
    const site = await siteWith(credentials);
    const environment = { ...site.environment, ...variables };
    // The page shows the state that the agent has written.
    await agentRecords(site, environment, reason);
    const reasons = [
      await onPage(site, environment),
      await planned(site, environment),
      await resolved(site, environment),
    ];
    expect(reasons).toEqual([reason, reason, reason]);
  });
});

it('[T178] a plan for which the credentials cannot be read says so, and decides without an id', async () => {
  const site = await siteWith({ ...KEYS, part_id: 'f' });
  const file = site.environment['MODREG_CREDENTIALS_FILE'] ?? '';
  chmodSync(file, 0o644);
  const unreadable = `the credentials file "${file}" has mode 0644, and others can read it`;
  const hint = `hint: chmod 600 ${file} restricts it to its owner; others may have read the key: revoke it, and create another one`;
  const warning = `warning[MACHINE_ID_UNKNOWN]: the machine counts as one without an id, which rollouts include last: ${unreadable}`;
  const args = ['--registry', site.registry];
  const world = worldOf(site.environment);
  const plan = await printed(
    ['plan', site.path, '--deployed', site.path.replace('machine.json', 'deployed.json')],
    world,
  );
  const resolution = await printed(['resolve', 'acme:lidar', '1.*', ...args], world);
  expect([plan.stderr.slice(-2), resolution.stderr.slice(-2)]).toEqual([
    [warning, hint],
    [warning, hint],
  ]);
  const poll = await printed(['poll', site.path, '--exec', 'true'], world);
  expect(poll.stderr).toEqual([`error[PERMISSIONS]: ${unreadable}`, hint]);
});

import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { World } from '../../src/base/world.ts';
import { agentRunCommand } from '../../src/cli/agent/run-command.ts';
import { resolutionDocument } from '../../src/host/resolution-document.ts';
import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const FIRST = 'not in rollout: the groups canary, lab first';

interface Site {
  readonly folder: string;
  readonly registry: string;
  readonly world: World;
}

/** A machine with a lidar, of which the groups canary and lab get 1.3.0 first. */
async function siteWith(credentials: object | undefined, policy: object): Promise<Site> {
  const rollout = { salt: 'salt-1', percent: 0, share: 0, groups: ['canary', 'lab'] };
  const { address } = await plainServer((response, { url = '' }) => {
    const releases = ['1.2.9', { version: '1.3.0', rollout }];
    if (url.includes('/lidar')) send(response, listOf(releases, 1));
    else response.writeHead(404).end();
  });
  const run_as = process.getuid?.() === 0 ? 'root' : undefined;
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
    'policy.json': JSON.stringify({ registry: address, run_as, ...policy }),
    'deployed.json': JSON.stringify({ acme_lidar: null }),
    'credentials.json': JSON.stringify({ api_key_id: 't1', api_key: 'key', ...credentials }),
  });
  chmodSync(`${folder}/credentials.json`, 0o600);
  const environment = {
    PLATFORM_HOME: folder,
    PLATFORM_PART_ID: 'rover-7',
    PATH: process.env['PATH'],
    MODREG_CREDENTIALS_FILE: credentials ? `${folder}/credentials.json` : '/nonexistent',
  };
  return {
    folder,
    registry: address,
    world: { ...quietWorld('linux/arm64'), environment, clock: Date.now },
  };
}

/** What a text says about the rollout of 1.3.0. */
function saidIn(text: string): string | undefined {
  return text.match(/not in rollout: [\w, ]+ first/)?.[0];
}

const GROUPS: [string, object | undefined, object, string | undefined][] = [
  ['of its policy', undefined, { group: 'canary' }, undefined],
  ['of its credentials', { group: 'lab' }, {}, undefined],
  ['of its credentials, before that of its policy', { group: 'office' }, { group: 'lab' }, FIRST],
  ['of its policy, if the credentials name none', {}, { group: 'lab' }, undefined],
  ['none', undefined, {}, FIRST],
];

it.each(GROUPS)(
  '[D108] the group of a machine is the one %s, in plan and resolve',
  async (_what, credentials, policy, said) => {
    const { folder, world } = await siteWith(credentials, policy);
    const deployed = ['--deployed', `${folder}/deployed.json`];
    const plan = await printed(['plan', `${folder}/machine.json`, ...deployed], world);
    const policyFile = ['--policy', `${folder}/policy.json`];
    const resolve = ['resolve', 'acme:lidar', '1.*', '--explain', ...policyFile];
    const resolved = await printed(resolve, world);
    expect([saidIn(plan.stdout.join('\n')), saidIn(resolved.stdout.join('\n'))]).toEqual([
      said,
      said,
    ]);
  },
);

it.each(GROUPS.slice(2))(
  '[D108] the group of a machine is the one %s, for its agent and its page',
  async (_what, credentials, policy, said) => {
    const { folder, registry, world } = await siteWith(credentials, policy);
    const { promise: ended, resolve: end } = Promise.withResolvers<'SIGTERM'>();
    const path = `${folder}/machine.json`;
    const running = { ...world, untilSignal: async () => await ended };
    const run = agentRunCommand(path, { interval: '5s' }, running);
    const from = ['--registry', registry, '--machine'];
    const explain = ['resolve', 'acme:lidar', '1.*', '--explain', ...from];
    const recorded = async (): Promise<string> => (await printed(explain, world)).stdout.join('\n');
    await expect.poll(recorded, { interval: 100, timeout: 10_000 }).toContain('1.2.9');
    const onPage = await machineOnPage(path, {}, world).explain('acme_lidar');
    const shown = onPage.ok ? resolutionDocument(onPage.value, { withRefused: true }) : onPage;
    expect([saidIn(await recorded()), saidIn(JSON.stringify(shown))]).toEqual([said, said]);
    end('SIGTERM');
    await run;
  },
);

it.each([['a b'], [''], [7], ['x'.repeat(64)]])(
  'credentials with the group %j are refused',
  async (group) => {
    const folder = temporaryFolder({
      'credentials.json': JSON.stringify({ api_key_id: 't1', api_key: 'key', group }),
      'machine.json': '{}',
    });
    const path = `${folder}/credentials.json`;
    chmodSync(path, 0o600);
    const environment = { PLATFORM_HOME: folder, MODREG_CREDENTIALS_FILE: path };
    const args = ['poll', `${folder}/machine.json`, '--exec', '/bin/true'];
    const { stderr } = await printed(args, { environment });
    expect(stderr[0]).toBe(
      `error[BAD_VALUE]: the credentials file "${path}": group is missing or wrong, expected a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit`,
    );
  },
);

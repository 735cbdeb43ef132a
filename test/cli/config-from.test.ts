import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { agentInProcess, polledSite, pollingHere, script } from '../support/polling.ts';
import { entry } from '../support/planned.ts';
import { published } from '../support/published.ts';
import { inProcess } from '../support/in-process.ts';
import { tokenFor } from '../support/token.ts';
import { siteOf } from './support/lidar-site.ts';
import { servingTo } from './support/served-documents.ts';

function withLidar(version: string): object {
  return { modules: [entry('acme:lidar', version)] };
}

it('[D267] [D268] a machine that waits runs at once what its site saves, and says so', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', '1.3.0');
  const site = servingTo(loopback);
  const modules = [entry('acme:lidar', '1.2.*')];
  const folder = polledSite(loopback, { modules, deployed: { acme_lidar: '1.2.3' } });
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const { until, end } = pollingHere(folder, ['--exec', hook, ...site.args], site.environment);
  await until('polling 1 module');
  site.save(withLidar('1.3.*'));
  await until('info  revision 1 of the site is in use');
  await until('acme_lidar: upgrade 1.2.3 → 1.3.0: done');
  published(loopback, 'acme:lidar', '1.4.0');
  site.save(withLidar('1.4.*'));
  await until('info  revision 2 of the site is in use');
  await until('acme_lidar: upgrade 1.3.0 → 1.4.0: done');
  expect(site.said()).toEqual({ applied: 2, refused: undefined });
  await end('SIGTERM');
});

it('[D267] an agent installs and stops the modules that its site adds and removes, with the key of its machine', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const site = servingTo(await loopbackRegistry());
    const folder = siteOf(address);
    writeFileSync(`${folder}/machine.json`, '{}');
    const { MODREG_TOKEN: key = '' } = site.environment;
    const agent = agentInProcess(folder, site.args, {
      PLATFORM_API_KEY: key,
      PLATFORM_API_KEY_ID: 't1',
      PLATFORM_PART_ID: 'rover-7',
    });
    await agent.until('running 0 modules of');
    site.save(withLidar('1.*'));
    await agent.until('info  revision 1 of the site is in use');
    await agent.until('acme_lidar: 1.0.0 is started');
    site.save({ modules: [] }, { prefetch: false });
    await agent.until('info  revision 2 of the site is in use');
    await agent.until('acme_lidar: 1.0.0 is stopped');
    await expect.poll(() => site.said()).toEqual({ applied: 2, refused: undefined });
    await agent.end('SIGTERM');
  });
});

it('[D269] [T675] a machine that starts while its site is out of reach runs what it ran last', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3');
  const site = servingTo(loopback);
  const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const args = ['--exec', hook, ...site.args];
  const before = pollingHere(folder, args, site.environment);
  site.save({ modules: [entry('acme:lidar', '1.*'), entry('acme:gps', '1.*')] });
  await before.until('info  revision 1 of the site is in use');
  await before.end('SIGTERM');
  const refused = { ...site.environment, MODREG_TOKEN: 'modreg_revoked' };
  const after = pollingHere(folder, args, refused);
  const [first = ''] = await after.until('polling');
  expect(first.replaceAll(folder, '.')).toContain('polling 2 modules of ./machine.json');
  const [said = ''] = (await after.until('the documents of the site')).slice(-1);
  expect(said).toMatch(/cannot be read: .*denies access.*; revision 1 stays in use$/);
  const status = await inProcess(['status'], { PLATFORM_HOME: `${folder}/home` });
  expect(status.stderr).toContain(
    `note: revision 1 of the documents that ${loopback.address} serves is in use`,
  );
  await after.end('SIGTERM');
});

it('[T675] an agent with the token of an operator says so', async () => {
  const loopback = await loopbackRegistry();
  const folder = polledSite(loopback);
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const operator = { MODREG_TOKEN: tokenFor(loopback.catalogue, ['config'], 'ops') };
  const { args, environment } = servingTo(loopback);
  const machine = pollingHere(folder, ['--exec', hook, ...args], { ...environment, ...operator });
  const [said = ''] = (await machine.until('the documents of the site')).slice(-1);
  expect(said).toBe(
    `TIME warn  the documents of the site cannot be read: the registry ${loopback.address} refuses: the token is that of an operator, expected the one of this machine; its own documents stay in use`,
  );
  await machine.end('SIGTERM');
});

it('[D269] a machine that no longer follows a site runs its own documents, and status says nothing of the site', async () => {
  const loopback = await loopbackRegistry();
  const site = servingTo(loopback);
  const folder = polledSite(loopback);
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const before = pollingHere(folder, ['--exec', hook, ...site.args], site.environment);
  site.save({ modules: [] });
  await before.until('info  revision 1 of the site is in use');
  const kept = (): object => JSON.parse(readFileSync(`${folder}/home/machine.db.served`, 'utf8'));
  const commands = { taken: 0, outcomes: [] };
  await expect.poll(kept).toMatchObject({ commands });
  await before.end('SIGTERM');
  const after = pollingHere(folder, ['--exec', hook], site.environment);
  const [first = ''] = await after.until('polling');
  expect(first).toContain('polling 1 module of');
  await after.end('SIGTERM');
  const { stderr } = await inProcess(['status'], { PLATFORM_HOME: `${folder}/home` });
  expect(stderr).not.toContain('revision 1');
  expect(kept()).toEqual({
    schema: 'modreg/served-documents@1',
    site: loopback.address,
    machine: 'rover-7',
    highest: 1,
    unreached: 0,
    isUnproven: false,
    least: {},
    commands,
  });
});

it('[D269] a machine does not run what another machine on its disk followed', async () => {
  const loopback = await loopbackRegistry();
  const site = servingTo(loopback);
  const folder = polledSite(loopback);
  const args = ['--exec', script(`${folder}/hook`, 'cat > /dev/null'), ...site.args];
  const before = pollingHere(folder, args, site.environment);
  site.save({ modules: [] });
  await before.until('info  revision 1 of the site is in use');
  await before.end('SIGTERM');
  const other = { ...site.environment, PLATFORM_PART_ID: 'rover-8' };
  const after = pollingHere(folder, args, other);
  const [first = ''] = await after.until('polling');
  expect(first).toContain('polling 1 module of');
  await after.end('SIGTERM');
});

it.each([
  ['./lists', '--config-from is a path, expected the address of a registry'],
  [
    'http://registry.example',
    'the registry http://registry.example is reached by plain http:, and others could read the token',
  ],
  ['npm:https://registry.example', 'modreg cannot configure machines of npm registries'],
])('[D267] documents cannot be followed from %s', async (named, message) => {
  const folder = polledSite(await loopbackRegistry());
  const args = ['poll', `${folder}/machine.json`, '--exec', 'true', '--config-from', named];
  const ended = await inProcess(args, {
    PLATFORM_HOME: `${folder}/home`,
    PLATFORM_PART_ID: 'rover-7',
  });
  expect([ended.exit, ended.stderr.split('\n')[0]]).toEqual([2, expect.stringContaining(message)]);
});

it('[D267] a machine without an id follows no site', async () => {
  const folder = polledSite(await loopbackRegistry());
  const from = ['--config-from', 'https://registry.example'];
  const args = ['agent', 'run', `${folder}/machine.json`, ...from];
  const ended = await inProcess(args, { PLATFORM_HOME: `${folder}/home` });
  expect([ended.exit, ended.stderr]).toEqual([
    2,
    'error[USAGE]: --config-from needs the id of the machine, and its credentials have none\nhint: add "part_id" to its credentials file, or set PLATFORM_PART_ID\n',
  ]);
});

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { inProcess } from '../support/in-process.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { runModreg } from '../support/modreg.ts';
import { agentInProcess, polledSite, pollingHere, script } from '../support/polling.ts';
import { published } from '../support/published.ts';
import { siteOf } from './support/lidar-site.ts';

const UNREADABLE = 'the machine config ./machine.json has 1 error: 1:1 BAD_JSON: expected a value';

it('[T353] an agent whose machine config is empty after a loss of power runs what it ran, and says so everywhere', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const folder = siteOf(address);
    const machine = `${folder}/machine.json`;
    const environment = { PLATFORM_HOME: `${folder}/home` };
    const before = agentInProcess(folder);
    await before.until('install of 1.0.0: done');
    await before.end('SIGTERM');
    writeFileSync(machine, '');
    const agent = agentInProcess(folder);
    const started = await agent.until('acme_lidar: 1.0.0 is started');
    publish('1.0.1', 'works');
    const lines = [...started, ...(await agent.until('upgrade 1.0.0 → 1.0.1: done'))];
    expect(lines.map((line) => line.replaceAll(folder, '.'))).toContain(
      `TIME error ${UNREADABLE}; the last documents without errors are used until they are corrected; modreg check ./machine.json --as machine shows them all`,
    );
    expect(lines).toContain('TIME warn  the documents that were read last stay in use, because:');
    const said = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await runModreg(args, environment);
      return `${stdout}${stderr}`.replaceAll(folder, '.');
    };
    const trouble = `the configuration cannot be read: ${UNREADABLE}`;
    expect(await said('status')).toContain(trouble);
    expect(await said('agent', 'status')).toContain(trouble);
    const doctor = await said('doctor', machine);
    expect(doctor).toContain(trouble);
    expect(doctor).toContain('"./machine.json" has 1 error; 1:1 expected a value');
    writeFileSync(machine, JSON.stringify({ modules: [] }));
    await agent.until('the documents of the machine can be read again');
    await agent.until('acme_lidar: 1.0.1 is stopped');
    await agent.end('SIGTERM');
  });
});

it('[T353] an agent whose machine config never was without errors does not start', async () => {
  const { address } = await loopbackRegistry();
  const folder = siteOf(address);
  writeFileSync(`${folder}/machine.json`, '');
  const ended = await inProcess(['agent', 'run', `${folder}/machine.json`], {
    PLATFORM_HOME: `${folder}/home`,
  });
  expect([ended.exit, ended.stderr.replaceAll(folder, '.')]).toEqual([
    1,
    'error[BAD_VALUE]: the machine config ./machine.json has 1 error\n  because 1:1 BAD_JSON: expected a value\nhint: modreg check ./machine.json --as machine shows them all\n',
  ]);
});

it('[T353] modreg poll starts with the last policy without errors', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', '1.2.4');
  const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const before = pollingHere(folder, ['--exec', hook]);
  await before.until('acme_lidar: upgrade 1.2.3 → 1.2.4: done');
  await before.end('SIGTERM');
  writeFileSync(`${folder}/policy.json`, '');
  published(loopback, 'acme:lidar', '1.2.5');
  const { until, end } = pollingHere(folder, ['--exec', hook]);
  const lines = await until('acme_lidar: upgrade 1.2.4 → 1.2.5: done');
  expect(lines.map((line) => line.replaceAll(folder, '.'))).toContain(
    'TIME error the policy ./policy.json has 1 error: 1:1 BAD_JSON: expected a value; the last documents without errors are used until they are corrected; modreg check ./policy.json --as policy shows them all',
  );
  await end('SIGTERM');
});

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { runModreg } from '../support/modreg.ts';
import { agentInProcess, polledSite, pollingHere, script } from '../support/polling.ts';
import { published } from '../support/published.ts';
import { siteOf } from './support/lidar-site.ts';

const TROUBLE =
  'every replacement is held: the policy has the unknown field /maintenence; did you mean maintenance ?';
const HELD = 'every replacement is held until that is corrected; what is deployed runs on';
const FIELD = './policy.json:1:2 /maintenence: unknown field; did you mean maintenance ?';
const ENDED =
  'TIME info  the documents have no unknown field any more: replacements are made again';

/** Writes the policy of a site with a misspelt field. Returns how to correct it. */
function misspell(folder: string): () => void {
  const path = `${folder}/policy.json`;
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ maintenence: [], ...JSON.parse(text) }));
  return () => writeFileSync(path, text);
}

/** What a command prints about the machine of a site. */
async function said(folder: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await runModreg(args, { PLATFORM_HOME: `${folder}/home` });
  return `${stdout}${stderr}`.replaceAll(folder, '.');
}

function shown(folder: string, lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(folder, '.'));
}

it('[D241] a running agent keeps the last policy, holds every replacement, and says so everywhere', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const folder = siteOf(address);
    const agent = agentInProcess(folder);
    await agent.until('install of 1.0.0: done');
    const correct = misspell(folder);
    publish('1.0.1', 'works');
    const lines = await agent.until('the upgrade to 1.0.1 is held');
    expect(shown(folder, lines)).toContain(
      `TIME error ${FIELD}; the last documents without errors stay in use, and ${HELD}`,
    );
    expect(lines.at(-1)).toContain(
      'the policy has the unknown field /maintenence; did you mean maintenance ?',
    );
    expect(await said(folder, 'status')).toContain(TROUBLE);
    expect(await said(folder, 'agent', 'status')).toContain(TROUBLE);
    expect(await said(folder, 'why', 'acme_lidar')).toContain('the unknown field /maintenence');
    const doctor = await said(folder, 'doctor', `${folder}/machine.json`);
    expect(doctor).toContain(`${TROUBLE}\n`);
    expect(doctor).toContain('fix: see documents;');
    expect(doctor).toContain(`"./policy.json" has 1 error; 1:2 /maintenence: unknown field`);
    expect(await said(folder, 'plan', `${folder}/machine.json`)).toContain(
      'because 1:2 UNKNOWN_FIELD /maintenence: unknown field; did you mean maintenance ?',
    );
    expect(await said(folder, 'upgrade', 'acme_lidar', '--now')).toContain(
      'error[HELD]: acme:lidar is not upgraded: the policy has the unknown field /maintenence',
    );
    correct();
    expect(await agent.until('upgrade 1.0.0 → 1.0.1: done')).toContain(ENDED);
    await agent.end('SIGTERM');
  });
});

it('[D241] [T640] an agent that never read the policy without its field starts what is deployed, as after a fallback', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const folder = siteOf(address);
    const before = agentInProcess(folder);
    await before.until('install of 1.0.0: done');
    await before.end('SIGTERM');
    const correct = misspell(folder);
    // What a newer agent kept has the field too.
    writeFileSync(`${folder}/home/machine.db.documents`, '');
    publish('1.0.1', 'works');
    const agent = agentInProcess(folder);
    const lines = await agent.until('acme_lidar: 1.0.0 is started');
    // The round decides while the module starts, and may be first.
    const held = 'the upgrade to 1.0.1 is held';
    if (!lines.some((line) => line.includes(held))) lines.push(...(await agent.until(held)));
    expect(shown(folder, lines)).toContain(`TIME error ${FIELD}; it is ignored, and ${HELD}`);
    correct();
    await agent.until('upgrade 1.0.0 → 1.0.1: done');
    await agent.end('SIGTERM');
  });
});

it('[D241] [D242] modreg poll holds every replacement, and warns of a name that is probably misspelt', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', '1.2.4');
  const folder = polledSite(loopback, {
    deployed: { acme_lidar: '1.2.3' },
    policy: { modules: { 'acme-lidar': { minimum_release_age: '1d' } } },
  });
  const correct = misspell(folder);
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const poller = pollingHere(folder, ['--exec', hook]);
  const lines = shown(folder, await poller.until('the upgrade to 1.2.4 is held'));
  expect(lines).toContain(`TIME error ${FIELD}; it is ignored, and ${HELD}`);
  expect(lines).toContain(
    'TIME warn  the policy ./policy.json names "acme-lidar", which is not a module entry or a subsystem; did you mean acme_lidar ?',
  );
  correct();
  await poller.until('acme_lidar: upgrade 1.2.3 → 1.2.4: done');
  await poller.end('SIGTERM');
});

it('[D315] an agent whose machine config gets a misspelt modules ends no module, and replaces none', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const folder = siteOf(address);
    const agent = agentInProcess(folder);
    await agent.until('install of 1.0.0: done');
    const path = `${folder}/machine.json`;
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ components: [], modues: JSON.parse(text).modules }));
    publish('1.0.1', 'works');
    const lines = shown(folder, await agent.until('the upgrade to 1.0.1 is held'));
    expect(lines).toContain(
      `TIME error ./machine.json:1:18 /modues: unknown field; did you mean modules ?; the last documents without errors stay in use, and ${HELD}`,
    );
    expect(lines.at(-1)).toContain(
      'the machine config has the unknown field /modues; did you mean modules ?',
    );
    expect(await said(folder, 'agent', 'status')).toContain(
      'every replacement is held: the machine config has the unknown field /modues; did you mean modules ?',
    );
    expect(await said(folder, 'check', path)).toContain('error[UNKNOWN_FIELD]');
    writeFileSync(path, text);
    await agent.until('upgrade 1.0.0 → 1.0.1: done');
    await agent.end('SIGTERM');
  });
});

it('[D315] an agent that starts with a misspelt modules and without earlier documents says that no module is started', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const folder = siteOf(address);
    const before = agentInProcess(folder);
    await before.until('install of 1.0.0: done');
    await before.end('SIGTERM');
    const path = `${folder}/machine.json`;
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ components: [], modues: JSON.parse(text).modules }));
    writeFileSync(`${folder}/home/machine.db.documents`, '');
    const agent = agentInProcess(folder);
    const lines = shown(folder, await agent.until('/modues'));
    expect(lines.at(-1)).toBe(
      'TIME error ./machine.json:1:18 /modues: unknown field; did you mean modules ?; it is ignored, so that no module is started until that is corrected; every replacement is held until then, and what is deployed stays known',
    );
    writeFileSync(path, text);
    const corrected = await agent.until('acme_lidar: 1.0.0 is started');
    expect(corrected.filter((line) => line.includes('install of'))).toEqual([]);
    await agent.end('SIGTERM');
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keepState, keptState } from '../../src/host/served/served-state.ts';
import { inProcess } from '../support/in-process.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { polledSite, pollingHere, script } from '../support/polling.ts';
import { entry } from '../support/planned.ts';
import { published } from '../support/published.ts';
import { servingTo } from './support/served-documents.ts';

const SINCE = Date.parse('2026-11-21T01:02:03Z');
const REFUSED =
  'revision 2 of the documents that SITE serves is refused: local-term: /policy/trust is a term of the machine alone, which its site cannot set';
const IN_USE =
  'revision 1 of the documents that SITE serves is in use (since 2026-11-21T01:02:03Z)';

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine whose poller has followed revision 1 and refused revision 2, and has ended. */
async function machineThatFollowed(): Promise<{
  readonly folder: string;
  readonly home: string;
  readonly run: (...args: string[]) => Promise<Ran>;
}> {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', '1.3.0');
  const site = servingTo(loopback);
  const modules = [entry('acme:lidar', '1.2.*')];
  const folder = polledSite(loopback, { modules, deployed: { acme_lidar: '1.2.3' } });
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const poller = pollingHere(folder, ['--exec', hook, ...site.args], site.environment);
  await poller.until('polling 1 module');
  site.save({ modules: [entry('acme:lidar', '1.3.*')] });
  await poller.until('acme_lidar: upgrade 1.2.3 → 1.3.0: done');
  site.save({ modules: [] }, { trust: 'unsigned' });
  await poller.until('revision 2 of the site is refused');
  await poller.end('SIGTERM');
  const home = `${folder}/home`;
  const state = keptState(home);
  if (!state) throw new Error('nothing was kept');
  expect(state.since).toBeGreaterThan(SINCE);
  keepState(home, { ...state, since: SINCE, provisional: undefined });
  const clean = (text: string): string =>
    text.replaceAll(loopback.address, 'SITE').replaceAll(folder, '.');
  const run = async (...args: string[]): Promise<Ran> => {
    const ran = await inProcess(args, { ...site.environment, PLATFORM_HOME: home });
    return { stdout: clean(ran.stdout), stderr: clean(ran.stderr) };
  };
  return { folder, home, run };
}

it('[D326] [D433] plan, why and doctor say which revision is in use and which is refused, and plan and doctor read what is in use', async () => {
  const { folder, home, run } = await machineThatFollowed();
  const config = `${folder}/machine.json`;
  const notes = `note: ${IN_USE}\nnote: ${REFUSED}\n`;
  const plan = await run('plan', config);
  expect(plan.stdout).toMatch(/acme:lidar +1\.3\.\* +1\.3\.0 +1\.3\.0 +1\.3\.0 +up to date/);
  expect(plan.stderr).toContain(notes);
  const asJson = JSON.parse((await run('plan', config, '--json')).stdout);
  expect(asJson.site).toEqual({
    address: 'SITE',
    revision: 1,
    since: '2026-11-21T01:02:03Z',
    provisional: false,
    refused: { revision: 2, code: 'local-term', detail: REFUSED.slice(REFUSED.indexOf('/policy')) },
  });
  expect((await run('why', 'acme_lidar')).stderr).toBe(notes);
  const doctor = await run('doctor', config);
  expect(doctor.stdout).toContain(`info     documents  ${IN_USE}\n`);
  expect(doctor.stdout).toContain(
    'info     documents  revision 1 was taken while the policy named no trust document: the site could change everything but the terms of the machine alone\n',
  );
  expect(doctor.stdout).toContain(
    `warning  documents  ${REFUSED}\n                    fix: modreg fleet config show --machine rover-7 says who saved it; correct it there, and save it again\n`,
  );

  // Another machine config is not that of the machine.
  writeFileSync(`${folder}/other.json`, readFileSync(config));
  const other = await run('plan', `${folder}/other.json`);
  expect(other.stdout).toContain('1.2.*');
  expect(other.stderr).not.toContain('revision');

  // What the site serves needs the agent of the machine, which no longer reads.
  const state = keptState(home);
  if (!state?.current) throw new Error('nothing is in use');
  const misfit = { ...state.current, config: '{"modules":[{"name":7}]}' };
  keepState(home, { ...state, current: misfit });
  const error =
    'revision 1 of the site does not fit to the documents of the machine: what the machine would run cannot be used: 1:13 /modules/0: type is required';
  expect((await run('plan', config)).stderr).toContain(`error[BAD_VALUE]: ${error}`);
  expect((await run('doctor', config)).stdout).toContain(`error    documents  ${error}`);
});

import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { agentInProcess, polledSite, pollingHere, script } from '../support/polling.ts';
import { entry } from '../support/planned.ts';
import { published } from '../support/published.ts';
import { siteOf } from './support/lidar-site.ts';
import { servingTo } from './support/served-documents.ts';

const VALUE = 'kiwi-7f3a';

it('[D361] [D365] [T760] an agent starts a module with its value, also out of reach of its site, and one without a value is alone in its failure', async () => {
  const loopback = await loopbackRegistry();
  const site = servingTo(loopback);
  const folder = siteOf(loopback.address);
  writeFileSync(`${folder}/machine.json`, '{}');
  const local = (name: string, env: object): object => {
    const executable_path = script(
      `${folder}/${name}`,
      `echo "$KEY" > ${folder}/${name}.key; exec sleep 3600`,
    );
    return { type: 'local', name, module_id: `acme:${name}`, executable_path, env };
  };
  site.save({
    modules: [
      local('maps', { KEY: 'Bearer ${secret.MAPS}' }),
      local('logs', { KEY: '${secret.LOGS}' }),
    ],
  });
  const place = `/modules/maps/env/KEY (local acme:maps at ${folder}/maps)`;
  loopback.catalogue.configs.secrets.set('rover-7', 'MAPS', { value: VALUE, places: [place] });
  const agent = agentInProcess(folder, site.args, site.environment);
  const lines = await agent.until('maps: local is started');
  expect(lines).toContain(
    'TIME warn  logs: local failed: ${secret.LOGS}, which the variable KEY of the module reads, has no value for it on this machine: set it at the site with modreg fleet config secret set',
  );
  const key = (): string => readFileSync(`${folder}/maps.key`, 'utf8');
  await expect.poll(key).toBe(`Bearer ${VALUE}\n`);
  const { lines: rest } = await agent.end('SIGTERM');
  const status = await inProcess(['status', '--json'], { PLATFORM_HOME: `${folder}/home` });
  expect([...lines, ...rest, status.stdout, status.stderr].join('\n')).not.toContain(VALUE);
  writeFileSync(`${folder}/maps.key`, '');
  const refused = { ...site.environment, MODREG_TOKEN: 'modreg_revoked' };
  const again = agentInProcess(folder, site.args, refused);
  await again.until('maps: local is started');
  await expect.poll(key).toBe(`Bearer ${VALUE}\n`);
  await again.end('SIGTERM');
});

it('[D361] [D366] the program of modreg poll gets the value, which the log masks, and a machine that follows no site forgets it', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', '1.3.0');
  const site = servingTo(loopback);
  site.save({ modules: [{ ...entry('acme:lidar', '1.3.*'), env: { RATE: '${secret.RATE}' } }] });
  const places = ['/modules/acme_lidar/env/RATE (registry acme:lidar)'];
  loopback.catalogue.configs.secrets.set('rover-7', 'RATE', { value: VALUE, places });
  const folder = polledSite(loopback, {
    modules: [entry('acme:lidar', '1.2.*')],
    deployed: { acme_lidar: '1.2.3' },
  });
  const hook = script(`${folder}/hook`, `cat > ${folder}/action.json; echo "with ${VALUE}"`);
  const args = ['--exec', hook, ...site.args];
  const polling = pollingHere(folder, args, site.environment);
  const lines = await polling.until('acme_lidar: upgrade 1.2.3 → 1.3.0: done');
  expect(lines.join('\n')).toContain('with ***');
  const { environment } = JSON.parse(readFileSync(`${folder}/action.json`, 'utf8'));
  expect(environment.RATE).toBe(VALUE);
  const file = `${folder}/home/machine.db.secrets`;
  expect(readFileSync(file, 'utf8')).toContain(VALUE);
  await polling.end('SIGTERM');
  const kept = readFileSync(file);
  rmSync(file);
  // A folder in its place is not removed as a file is.
  mkdirSync(file);
  const unable = pollingHere(folder, ['--exec', hook], site.environment);
  await unable.until('cannot be removed (ERR_FS_EISDIR); it is not used');
  await unable.end('SIGTERM');
  rmdirSync(file);
  writeFileSync(file, kept);
  const alone = pollingHere(folder, ['--exec', hook], site.environment);
  await alone.until('polling 1 module');
  await expect.poll(() => existsSync(file)).toBe(false);
  await alone.end('SIGTERM');
});

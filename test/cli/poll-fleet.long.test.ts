import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { modreg } from '../support/modreg.ts';
import { newFile } from './support/registry-command.ts';
import { polledSite, polling, script } from '../support/polling.ts';
import { published } from '../support/published.ts';
import { serve } from '../support/served-process.ts';

it('a machine that polls with --reports is in fleet status of the registry that serves it', async () => {
  const db = newFile();
  const catalogue = new Catalogue(db);
  for (const version of ['1.2.8', '1.2.9']) published({ catalogue }, 'acme:lidar', version);
  const tokens = ['machine:rover-7', 'fleet:read'].map((scope, place) => {
    const created = catalogue.createToken({ name: `t-${place}`, scopes: [scope] }, 0);
    if (!created.ok) throw new Error(created.error);
    return created.value;
  });
  catalogue.close();
  const { address } = await serve(db);
  const folder = polledSite({ address }, { deployed: { acme_lidar: '1.2.8' } });
  const hook = script(`${folder}/hook`, 'exit 0');
  const { until, end } = polling(folder, ['--exec', hook, '--reports', address], {
    PLATFORM_API_KEY_ID: tokens[0]?.id ?? '',
    PLATFORM_API_KEY: tokens[0]?.token ?? '',
    PLATFORM_PART_ID: 'rover-7',
  });
  await until('acme_lidar: upgrade 1.2.8 → 1.2.9: done');
  const status = (): string[] =>
    modreg(['fleet', 'status', '--registry', address], {
      MODREG_TOKEN: tokens[1]?.token ?? '',
    }).stdout.split('\n');
  // The first report waits for up to 15 s.
  await expect
    .poll(status, { interval: 500 })
    .toContain('  acme:lidar   1.2.9      1          up to date 1');
  expect(status()[0]).toBe('1 machine, 1 seen in 24 h');
  await end('SIGKILL');
});

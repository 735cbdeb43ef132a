import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { forgetSecrets, secretFor } from '../../src/host/served/kept-secrets.ts';
import { readMachine } from '../../src/config/index.ts';
import { entry } from '../support/planned.ts';
import { value } from '../support/reading.ts';
import { followed } from './support/followed.ts';

const VALUE = 'kiwi-7f3a';
const MAPS = { ...entry('acme:maps', '1.*'), env: { KEY: '${secret.MAPS}' } };
const PLACE = '/modules/acme_maps/env/KEY (registry acme:maps)';
const ELSEWHERE = '/modules/acme_maps/env/LOG (registry acme:maps)';

type Followed = Awaited<ReturnType<typeof followed>>;

/** The value that a module of the machine gets for its variable KEY. */
function found({ home, state }: Followed, name = 'MAPS'): string | undefined {
  const { site, machine } = state();
  const [module] = value(readMachine(JSON.stringify({ modules: [MAPS] }))).modules;
  return module && secretFor({ home, site, machine })(module, 'KEY', name);
}

function set({ catalogue }: Followed, places: readonly string[] | null = [PLACE]): void {
  const secret = places && { value: VALUE, places: [...places] };
  catalogue.configs.secrets.set('rover-7', 'MAPS', secret);
}

/** A machine that runs documents whose secret has a value. */
async function withValue(): Promise<Followed> {
  const site = await followed();
  set(site);
  site.save({ modules: [MAPS] });
  await site.until('in use');
  return site;
}

it('[D365] a machine has the values before it runs the documents that name them, in a file for its user only', async () => {
  const site = await withValue();
  const file = `${site.home}/machine.db.secrets`;
  expect([found(site), found(site, 'constructor')]).toEqual([VALUE, undefined]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${site.home}/machine.db.served`, 'utf8')).not.toContain(VALUE);
  forgetSecrets(site.home);
  expect([existsSync(file), found(site)]).toEqual([false, undefined]);
});

it('[D365] a later value is read in the next round, which looks at the modules again', async () => {
  const site = await followed();
  site.save({ modules: [MAPS] });
  await site.until('in use');
  expect(found(site)).toBe(undefined);
  const before = site.changes();
  set(site);
  site.ask();
  await expect.poll(() => found(site)).toBe(VALUE);
  await expect.poll(() => site.changes()).toBe(before + 1);
});

it('[D363] [D365] a value counts for no other place than the one for which it was typed', async () => {
  const site = await followed();
  set(site, [ELSEWHERE]);
  site.save({ modules: [MAPS] });
  await site.until('in use');
  expect(found(site)).toBe(undefined);
  expect(existsSync(`${site.home}/machine.db.secrets`)).toBe(true);
});

it.each<[string, (site: Followed) => void]>([
  ['that was removed at the site', (site) => set(site, null)],
  ['that no document names any more', (site) => site.save({ modules: [] })],
])('[D365] a machine forgets a value %s', async (_what, change) => {
  const site = await withValue();
  await expect.poll(() => site.state().provisional).toBe(undefined);
  change(site);
  const kept = (): string => {
    site.ask();
    return readFileSync(`${site.home}/machine.db.secrets`, 'utf8');
  };
  await expect.poll(kept).not.toContain(VALUE);
});

it('[T762] a machine keeps a value of which its site knows nothing, as after a restore', async () => {
  const site = await withValue();
  const { configs } = site.catalogue;
  const more = { ...MAPS, env: { ...MAPS.env, MORE: '${secret.MORE}' } };
  writeFileSync(
    `${site.catalogue.path.replace(/\.db$/, '-secrets')}/rover-7.json`,
    '{"secrets":{}}',
  );
  expect(configs.secrets.of('rover-7')).toEqual({});
  site.save({ modules: [more] });
  await site.until('revision 2 of the site is in use');
  expect(found(site)).toBe(VALUE);
});

it('[T763] a machine does not run documents whose values it cannot read, and what it runs stays', async () => {
  const site = await withValue();
  const file = `${site.catalogue.path.replace(/\.db$/, '-secrets')}/rover-7.json`;
  writeFileSync(file, '{"secrets":');
  site.save({ modules: [MAPS, entry('acme:lidar', '1.*')] });
  const [said = ''] = (await site.until('cannot be read')).slice(-1);
  expect(said).toMatch(
    /^warn the documents of the site cannot be read: .*; revision 1 stays in use$/,
  );
  expect([found(site), site.state().current?.revision, said.includes(VALUE)]).toEqual([
    VALUE,
    1,
    false,
  ]);
});

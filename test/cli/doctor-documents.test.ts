import { writeFileSync } from 'node:fs';
import { openForPoller } from '../../src/store/index.ts';
import { printed } from '../support/command.ts';
import { THEN, examined } from './support/examined.ts';
import { temporaryFolder } from '../support/folder.ts';
import { logged } from '../support/machine-home.ts';
import { PAGES, blocksOf } from '../support/pages.ts';
import { listAt, saveList, shown, site } from './support/patient.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { describe, expect, it } from 'vitest';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

describe('modreg doctor on documents', () => {
  it.each<[string, (folder: string) => void, string[]]>([
    [
      'that are valid',
      () => undefined,
      ['ok       documents  ./machine.json: 1 module; policy ./policy.json'],
    ],
    [
      'whose config has errors',
      (folder) =>
        writeFileSync(`${folder}/machine.json`, '{"modules":[{"name":"x"}],"components":7}'),
      [
        'error    documents  "./machine.json" has 4 errors; 1:13 /modules/0: type is required',
        '                    fix: modreg check ./machine.json shows them all',
      ],
    ],
    [
      'whose policy is not JSON',
      (folder) => writeFileSync(`${folder}/policy.json`, '{"registry":'),
      [
        'error    documents  "./policy.json" has 1 error; 1:13 expected a value',
        '                    fix: modreg check ./policy.json shows them all',
      ],
    ],
    [
      'whose policy has a misspelt field',
      (folder) =>
        writeFileSync(`${folder}/policy.json`, '{"registri":"./lists","max_index_age":"1d"}'),
      [
        'error    documents  "./policy.json" has 1 error; 1:2 /registri: unknown field; did you mean registry ?',
        '                    fix: modreg check ./policy.json shows them all',
      ],
    ],
  ])('%s', async (_, prepare, lines) => {
    const folder = site('./lists');
    prepare(folder);
    expect(await shown(folder, 'documents')).toEqual(lines);
  });

  it('that do not exist: stdin is not read', async () => {
    const folder = temporaryFolder({ 'home/empty': '' });
    expect(await examined(folder, [`${folder}/gone.json`], { only: 'documents' })).toEqual([
      'error    documents  the file "./gone.json" does not exist',
      '                    fix: correct the path, or make the file readable for this user: ls -l',
      1,
    ]);
    const environment = { PLATFORM_HOME: `${folder}/home` };
    const { stdout } = await printed(['doctor', '-'], { environment, clock: () => THEN });
    expect(stdout).toContain('error    documents  the file "./-" does not exist');
  });
});

describe('modreg doctor on saved lists', () => {
  it('that are recent', async () => {
    const { address } = await plainServer(listAt(THEN));
    const folder = site(address);
    await saveList(folder, address, THEN - DAY);
    expect(await shown(folder, 'lists')).toEqual([
      'ok       lists      1 saved list; the oldest, of acme:lidar, was confirmed 1 d ago (max_index_age 7 d)',
    ]);
  });

  it.each([
    ['before max_index_age', 3 * DAY, '3 d ago'],
    ['by a clock ahead', -DAY, 'by a clock 1 d ahead'],
  ])('[T96] that were confirmed %s', async (_, ago, words) => {
    const { address } = await plainServer(listAt(THEN));
    const folder = site(address, { max_index_age: '2d' });
    await saveList(folder, address, THEN - ago);
    expect(await shown(folder, 'lists')).toEqual([
      `warning  lists      1 of 1 saved list cannot be used without a registry; that of acme:lidar, was confirmed ${words} (max_index_age 2 d)`,
      '                    fix: start the agent or poller, which confirms them; or raise max_index_age in the policy',
    ]);
  });

  it('[D22] that the registry contradicts', async () => {
    let answer = listAt(THEN, 9);
    const { address } = await plainServer((...request) => answer(...request));
    const folder = site(address);
    await saveList(folder, address, THEN - MINUTE);
    answer = listAt(THEN, 3);
    expect(await shown(folder, 'registry', 'lists')).toEqual([
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      'error    lists      the list of acme:lidar at http://127.0.0.1:PORT went backwards: generation 3, after 9',
      '                    fix: find out why (docs/a-registry-was-restored.md), then modreg accept acme:lidar',
      'ok       lists      1 saved list; the oldest, of acme:lidar, was confirmed 1 min ago (max_index_age 7 d)',
    ]);
  });
});

it('modreg doctor prints what operating.md shows', async () => {
  const server = await plainServer(listAt(THEN));
  const { address } = server;
  const folder = site(address, { trust: 'unsigned' });
  await saveList(folder, address, THEN - 3 * HOUR);
  const file = openForPoller(`${folder}/home/machine.db`);
  file.state.log([logged('acme_lidar')], { at: THEN - 3 * HOUR, trouble: undefined });
  file.close();
  server.close();
  const environment = { PLATFORM_HOME: `${folder}/home` };
  const { stdout } = await printed(['doctor', `${folder}/machine.json`], {
    environment,
    clock: () => THEN,
  });
  const sessions = PAGES.flatMap((page) => blocksOf(page)).map(({ content }) =>
    content.replaceAll('https://registry.example', address),
  );
  const shownLines = stdout.slice(-8).map((line) => line.replaceAll(`${folder}/`, ''));
  expect(sessions).toContain(
    `$ modreg doctor machine.json | tail -n 8\n${shownLines.join('\n')}\n`,
  );
});

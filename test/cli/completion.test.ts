import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { contentsOf, homeAfter, logged } from '../support/machine-home.ts';
import { listOf } from '../../mocks/module-document.ts';
import { passingTime } from '../support/passing-time.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { published, publishedFolder } from '../support/published.ts';
import { wireServer } from '../../mocks/wire-server.ts';
import { lines, NOW, words } from './support/completed.ts';

describe('what is offered without a registry', () => {
  it.each([
    ['qu', 'quarantine'],
    ['re', 'replay remove restart resolve registry'],
    ['hel', 'help'],
    ['--', '--version --help'],
    ['help re', 'replay remove restart resolve registry'],
    ['help e', 'exit-codes'],
    ['help resolve ', ''],
    ['quarantine ', 'list add lift help'],
    ['registry token ', 'create list revoke help'],
    [
      'registry help ',
      'publish sign yank unyank deprecate undeprecate list show outcomes invite token account backup verify restore serve page',
    ],
    ['registry token create --s', '--scope'],
    ['plan machine.json --de', '--debug --deployed'],
    ['status ', '--json --color --debug --exit-code --max-age --help'],
    ['schema ', 'machine agent policy'],
    ['schema -- ', 'machine agent policy'],
    ['schema machine --co', '--color'],
    ['completion ', 'bash zsh fish'],
    ['check --as p', 'policy'],
    ['check --as=p', '--as=policy'],
    ['check --as policy ', ':files'],
    ['check one.json two.json ', ':files'],
    ['plan --color ', 'auto always never'],
    ['plan --json=', ''],
    ['plan --platform linux/ar', 'linux/arm64'],
    ['plan ', ':files'],
    ['plan --policy=pol', ':files'],
    ['plan --max-age ', ''],
    ['agent logs -n ', ''],
    ['resolve --registry ', ':files'],
    ['registry publish acme:lidar ', ''],
    ['registry publish acme:lidar 1.0.0 --upload ', 'linux/amd64= linux/arm64='],
    ['registry publish acme:lidar 1.0.0 --upload linux/amd64=', ':files'],
    ['nonsense ', ''],
    ['why ', ''],
    ['add ', ''],
    ['resolve ', 'acme:lidar acme:arm acme:cam'],
    ['resolve acme:arm ', 'latest latest-with-prerelease 2.* 1.* 2.4.* 1.0.* 2.4.0 1.0.0'],
    ['resolve --explain --platform linux/arm64 acme:cam 1.0', '1.0.* 1.0.4'],
    ['compare acme:cam --deployed ', '1.3.0 1.0.4'],
    ['resolve acme:unknown ', ''],
    ['resolve not-a-module ', ''],
  ])('%j: %s', async (line, expected) => {
    expect(await words(line)).toBe(expected);
  });

  it('has the first sentence of the help as the description', async () => {
    expect(await lines('rollb')).toEqual(['rollback Rolls a module back to its previous version']);
    expect(await lines('check --as')).toEqual(['--as the kind of document']);
  });
});

describe('which registry is completed from', () => {
  it.each([
    ['resolve acme:lidar 2 --registry=', ':files'],
    ['resolve --registry=FOLDER/lists acme:', 'acme:lidar'],
    ['resolve --registry=FOLDER/of=site acme:', 'acme:lidar'],
    [
      'resolve --registry FOLDER/lists acme:lidar ',
      'latest latest-with-prerelease 1.* 1.0.* 1.0.0',
    ],
    ['resolve --registry FOLDER/site.db acme:lidar 2.0.', '2.0.* 2.0.0'],
    ['accept --policy FOLDER/policy.json ac', 'acme:lidar'],
    ['resolve --policy FOLDER/policy.json acme:lidar 1.0.', '1.0.* 1.0.0'],
    ['add acme:lidar FOLDER/machine.json --version 1.0.', '1.0.* 1.0.0'],
    ['add acme:lidar --policy FOLDER/none.json --version ', ''],
    ['registry show --db FOLDER/site.db ', 'acme:lidar'],
    ['registry list --db FOLDER/site.db ', 'acme'],
    ['registry show --db FOLDER/none.db ', ''],
    ['registry yank acme:lidar --db FOLDER/site.db ', '2.0.0'],
    ['registry unyank acme:lidar --db FOLDER/site.db ', ''],
  ])('%s: %s', async (line, expected) => {
    const folder = publishedFolder();
    const policy = { 'policy.json': JSON.stringify({ registry: `${folder}/lists` }) };
    const documents = temporaryFolder(policy);
    symlinkSync(`${folder}/lists`, `${folder}/of=site`);
    const named = line
      .replaceAll('FOLDER/policy', `${documents}/policy`)
      .replaceAll('FOLDER/machine', `${documents}/machine`)
      .replaceAll('FOLDER', folder);
    expect(await words(named)).toBe(expected);
  });

  it('is that of --registry, else MODREG_REGISTRY, else the file at home', async () => {
    const folder = publishedFolder();
    const home = temporaryFolder();
    const catalogue = new Catalogue(join(home, 'registry.db'), { mode: 'create' });
    published({ catalogue }, 'acme:lidar', '3.0.0');
    catalogue.yank(moduleId('acme:lidar'), '3.0.0', 'no light');
    published({ catalogue }, 'acme:lidar', '3.1.0');
    catalogue.close();
    const variable = { PLATFORM_HOME: home, MODREG_REGISTRY: `${folder}/site.db` };
    const line = 'resolve acme:lidar --registry';
    expect(await words(`${line} ${folder}/lists 1.0.`, variable)).toBe('1.0.* 1.0.0');
    expect(await words('resolve acme:lidar 2.0.', variable)).toBe('2.0.* 2.0.0');
    expect(await words('resolve acme:lidar 3.', { PLATFORM_HOME: home })).toBe('3.* 3.1.* 3.1.0');
    const own = { PLATFORM_HOME: home };
    expect(await lines('registry unyank acme:lidar ', own)).toEqual(['3.0.0 yanked']);
    expect(await words('registry yank acme:lidar ', own)).toBe('3.1.0');
    expect(await words('quarantine add acme:lidar ', own)).toBe('3.1.0 3.0.0');
  });
});

it('offers the tokens that are not revoked, by id and name', async () => {
  const db = join(temporaryFolder(), 'site.db');
  const catalogue = new Catalogue(db, { mode: 'create' });
  for (const name of ['old', 'ci']) {
    catalogue.createToken({ name, scopes: ['import'], expiresAt: undefined }, NOW);
  }
  catalogue.revokeToken('old', NOW);
  catalogue.close();
  expect(await lines(`registry token revoke --db ${db} `)).toEqual(['t2 ci', 'ci']);
});

describe('a registry over the network', () => {
  it('offers its modules, and those whose lists are saved if it does not answer', async () => {
    const { address, catalogue } = await loopbackRegistry();
    published({ catalogue }, 'acme:lidar', '1.0.0', '1.1.0-rc.1');
    published({ catalogue }, 'other:arm', '1.0.0');
    const home = homeAfter(() => undefined);
    const environment = { PLATFORM_HOME: home, MODREG_REGISTRY: address };
    const before = contentsOf(home);
    expect(await words('resolve ', environment)).toBe('acme:lidar other:arm');
    expect(await words('resolve other:', environment)).toBe('other:arm');
    const all = 'latest latest-with-prerelease 1.* 1.0.* 1.1.0-rc.1 1.0.0';
    expect(await words('resolve acme:lidar ', environment)).toBe(all);
    expect(contentsOf(home)).toEqual(before);
  });

  it('[T170] has a second to answer; a saved list takes its place', async () => {
    const server = await wireServer();
    const home = homeAfter(() => undefined);
    const environment = { PLATFORM_HOME: home, MODREG_REGISTRY: server.address };
    const body = JSON.stringify(listOf(['1.0.0'], 1));
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close';
    server.answer((socket) =>
      socket.end(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    await printed(['resolve', 'acme:lidar', 'latest'], {
      environment,
      clock: () => NOW - 3_600_000,
    });
    server.answer(() => undefined);
    try {
      const passing = passingTime();
      const began = performance.now();
      expect(await passing(words('resolve ', environment))).toBe('acme:lidar');
      expect(await passing(words('resolve acme:lidar 1.0', environment))).toBe('1.0.* 1.0.0');
      expect(await passing(words('resolve acme:other ', environment))).toBe('');
      // Other commands wait for ten seconds.
      expect(performance.now() - began).toBeLessThan(9000);
    } finally {
      await server.close();
    }
  });

  it('needs no request for a list that was confirmed in the last ten minutes', async () => {
    const server = await plainServer((response) => send(response, listOf(['1.0.0'], 1)));
    const home = homeAfter(() => undefined);
    const environment = { PLATFORM_HOME: home, MODREG_REGISTRY: server.address };
    await printed(['resolve', 'acme:lidar', 'latest'], { environment, clock: () => NOW - 60_000 });
    const sent = server.requests.length;
    expect(await words('resolve acme:lidar 1.0', environment)).toBe('1.0.* 1.0.0');
    expect(server.requests.length).toBe(sent);
  });

  it('gets the token of this machine, which no shell sees', async () => {
    const server = await plainServer((response) => {
      send(response, { modules: ['acme:lidar', 'modreg_secret'] });
    });
    const token = { MODREG_TOKEN: 'modreg_secret', MODREG_REGISTRY: server.address };
    expect(await lines('resolve ', token)).toEqual(['acme:lidar']);
    expect(server.requests).toEqual(['/v1/modules Bearer modreg_secret']);
  });
});

describe('[T170] text that a shell would run', () => {
  const HOSTILE = [
    '$(touch x)',
    '`id`',
    'a;b',
    'a b',
    "a'b",
    'a\nb',
    '\u001b[2J',
    ':files',
    '-a>b',
  ];

  it('of a registry over the network is not offered', async () => {
    const modules = [...HOSTILE.map((text) => `acme:${text}`), ...HOSTILE, 'acme:lidar'];
    const versions = HOSTILE.flatMap((text) => [text, `1.0.0-${text}`, `1.0.0+${text}`]);
    const server = await plainServer((response, { url }) => {
      send(response, url === '/v1/modules' ? { modules } : listOf([...versions, '1.0.0'], 1));
    });
    const environment = { MODREG_REGISTRY: server.address };
    expect(await lines('resolve ', environment)).toEqual(['acme:lidar']);
    expect(await lines('compare acme:lidar --deployed ', environment)).toEqual(['1.0.0']);
  });

  it('of files is not offered', async () => {
    const folder = temporaryFolder({
      ...Object.fromEntries(HOSTILE.map((text) => [`acme/${text}.json`, '{}'])),
      'acme/lidar.json': '{}',
    });
    expect(await lines(`resolve --registry ${folder} `)).toEqual(['acme:lidar']);
    const home = homeAfter((state) => {
      const rows = HOSTILE.map((name) => logged(name, { moduleId: 'acme:lidar' }));
      state.log([...rows, logged('acme_lidar')], { at: NOW, trouble: undefined });
    });
    expect(await words('why ', { PLATFORM_HOME: home })).toBe('acme_lidar acme:lidar');
  });
});

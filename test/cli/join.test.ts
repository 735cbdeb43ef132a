import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import { Catalogue } from '../../src/server/index.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { published } from '../support/published.ts';
import { ROOT_ONE, trustOf } from '../support/signed.ts';
import { inviting, NOW, TRUST } from './support/inviting.ts';

const UNVERIFIED =
  'note: releases are not verified: who controls the registry can make this machine run anything';

describe('[D194] modreg join', () => {
  it('exchanges the code of an invitation for credentials, and writes a policy and an empty machine config', async () => {
    const site = await inviting();
    const invited = await site.invite('rover-7', '--group', 'canary');
    const [code = ''] = invited.stdout;
    expect(code).toMatch(/^modreg_(?:[0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(invited.stderr).toEqual([
      `note: on the machine: modreg join <address of this registry> --name rover-7 --code ${code}`,
      'note: it is valid once, until 2026-11-21T13:00:00Z; earlier tokens of rover-7 end when it joins',
    ]);
    expect(await site.join({ code })).toEqual({
      lines: [
        'rover-7 has joined ADDRESS',
        'note: written: TO/credentials.json, TO/policy.json, TO/machine.json, TO/agent.env',
        UNVERIFIED,
        'note: next: modreg add <module_id> TO/machine.json --version <constraint>, then MODREG_CREDENTIALS_FILE=TO/credentials.json modreg agent run TO/machine.json --reports ADDRESS',
      ],
      exit: 0,
    });
    const { api_key: key, ...others } = Object(site.document('credentials.json'));
    expect(others).toEqual({
      api_key_id: 't2',
      part_id: 'rover-7',
      group: 'canary',
      registry: 'ADDRESS',
    });
    const modes = ['credentials.json', 'agent.env', 'policy.json', 'machine.json'].map((name) =>
      (statSync(join(site.to, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['600', '600', '644', '644']);
    expect(site.document('policy.json')).toEqual({ registry: 'ADDRESS' });
    expect(site.document('machine.json')).toEqual({ modules: [] });
    expect(readFileSync(join(site.to, 'agent.env'), 'utf8')).toMatch(
      /^MODREG_REPORTS=http:\/\/127\.0\.0\.1:\d+\n$/,
    );
    expect(site.catalogue.tokenWith(key)).toMatchObject({
      id: 't2',
      name: 'machine-rover-7',
      scopes: ['machine:rover-7', 'group:canary'],
      expiresAt: undefined,
    });
    expect(site.events).toMatchObject([
      { kind: 'machine-joined', machine: 'rover-7', tokenId: 't1', peer: '127.0.0.1' },
    ]);
  });

  it('prints the command that adds a module to its machine config', async () => {
    const site = await inviting();
    published(site, 'acme:lidar', '1.0.0');
    const [code = ''] = (await site.invite('rover-7')).stdout;
    const { lines } = await site.join({ code });
    const [, command = ''] = /next: modreg (.*), then/.exec(lines.at(-1) ?? '') ?? [];
    const typed = command.replace('<module_id>', 'acme:lidar').replace('<constraint>', '1.0.0');
    const { exit } = await inProcess(typed.replace('TO', site.to).split(' '), {});
    expect([exit, site.document('machine.json')]).toEqual([
      0,
      {
        modules: [
          { module_id: 'acme:lidar', name: 'acme_lidar', type: 'registry', version: '1.0.0' },
        ],
      },
    ]);
  });

  it('offers the digest that keys show prints, also of a later version of the keys', async () => {
    const site = await inviting({ isSigned: true });
    site.catalogue.trust.store(trustOf(undefined, [ROOT_ONE], { version: 2 }).text);
    const [code = ''] = (await site.invite('rover-7')).stdout;
    const [line = ''] = (await site.join({ code, json: true })).lines;
    const { stdout } = await printed(['keys', 'show', '--db', site.catalogue.path]);
    expect(stdout.slice(0, 2)).toEqual([
      JSON.parse(line).offered_trust,
      'acme-plant, version 2, expires 2027-11-27T00:00:00Z',
    ]);
  });

  it('asks for the code on a terminal, and takes it with spaces around it', async () => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7')).stdout;
    expect((await site.join({}, ` ${code}\n`)).lines[0]).toBe('rover-7 has joined ADDRESS');
  });

  it('pins the keys that --trust names, and shows those that the registry offers otherwise', async () => {
    const site = await inviting({ isSigned: true });
    const [code = ''] = (await site.invite('rover-7')).stdout;
    const other = `sha256:${'0'.repeat(64)}`;
    expect(await site.join({ code, trust: other })).toEqual({
      lines: [
        `error[REGISTRY_UNTRUSTED]: the registry offers PIN, and --trust is ${other}: the code was not used`,
        'hint: it is another registry, or another server answers in its place: compare with modreg keys show',
      ],
      exit: 4,
    });
    expect((await site.join({ code })).lines.slice(2, 4)).toEqual([
      UNVERIFIED,
      'note: the registry offers "trust": "PIN": compare it with what modreg keys show prints on the host of the registry, then write it in TO/policy.json',
    ]);
    const [second = ''] = (await site.invite('rover-8')).stdout;
    const to = join(site.on.root, 'second');
    const pinned = await site.join({ code: second, name: 'rover-8', to, trust: TRUST.pin });
    expect(pinned.lines).not.toContain(UNVERIFIED);
    expect(JSON.parse(readFileSync(join(to, 'policy.json'), 'utf8'))).toMatchObject({
      trust: TRUST.pin,
    });
  });

  it('writes the pin into a policy that exists, which keeps the rest', async () => {
    const site = await inviting({ isSigned: true });
    const [code = ''] = (await site.invite('rover-7')).stdout;
    mkdirSync(site.to);
    const policy = join(site.to, 'policy.json');
    writeFileSync(policy, `// Ours\n{ "registry": "${site.address}", "group": "canary" }\n`);
    const { lines, exit } = await site.join({ code, trust: TRUST.pin });
    expect([exit, lines.filter((line) => line.includes('not verified'))]).toEqual([0, []]);
    expect(readUpdatePolicy(readFileSync(policy))).toMatchObject({
      ok: true,
      value: { group: 'canary', terms: { trust: TRUST.pin } },
    });
    expect(readFileSync(policy, 'utf8')).toContain('// Ours');
  });

  it('installs and starts the agent with --service', async () => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7')).stdout;
    const to = join(site.on.root, 'etc/modreg');
    const { lines, exit } = await site.join({ code, to, service: true });
    expect([lines[1], exit]).toEqual([
      '@/etc/systemd/system/platform-agent.service is written and enabled, and the agent is started',
      0,
    ]);
    expect(site.on.commands.at(-1)).toBe('systemctl restart platform-agent');
  });

  it('keeps variables that the service has, and says which one is needed to report', async () => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7')).stdout;
    mkdirSync(site.to);
    writeFileSync(join(site.to, 'agent.env'), 'HTTPS_PROXY=http://proxy.example\n');
    expect((await site.join({ code })).lines.slice(1, 3)).toEqual([
      'note: written: TO/credentials.json, TO/policy.json, TO/machine.json',
      'note: TO/agent.env is kept: with MODREG_REPORTS=ADDRESS there, this machine reports',
    ]);
  });

  it('prints one line of JSON with --json', async () => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7', '--json')).stdout;
    const { schema, machine, group, expires_at, code: text } = JSON.parse(code);
    expect({ schema, machine, group, expires_at }).toEqual({
      schema: 'modreg/registry-invite@1',
      machine: 'rover-7',
      group: null,
      expires_at: '2026-11-21T13:00:00Z',
    });
    expect((await site.join({ code: text, json: true })).lines).toEqual([
      '{"schema":"modreg/join@1","machine":"rover-7","registry":"ADDRESS","files":["TO/credentials.json","TO/policy.json","TO/machine.json","TO/agent.env"],"trust":null,"offered_trust":null,"service":false}',
    ]);
  });

  it('ends the tokens that the machine had, and no other', async () => {
    const site = await inviting();
    const tokens = [
      ['old', ['machine:rover-7']],
      ['ci', ['machine:rover-7', 'publish']],
      ['other', ['machine:rover-8']],
    ] as const;
    for (const [name, scopes] of tokens) site.catalogue.createToken({ name, scopes }, NOW);
    const [code = ''] = (await site.invite('rover-7')).stdout;
    await site.join({ code });
    const active = site.catalogue.tokens().filter(({ revokedAt }) => revokedAt === undefined);
    expect(active.map(({ name }) => name)).toEqual(['ci', 'other', 'machine-rover-7']);
  });
});

it.each<[readonly string[], readonly string[]]>([
  [
    ['--name', ''],
    [
      'error[USAGE]: "" is not the name of a machine, expected up to 128 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
    ],
  ],
  [[], ['error[USAGE]: --name is missing: the id of the machine']],
])('[D194] no code is made with %j', async (options, expected) => {
  const path = join(temporaryFolder(), 'registry.db');
  new Catalogue(path, { mode: 'create' }).close();
  const { stderr, exit } = await printed(['registry', 'invite', '--db', path, ...options]);
  expect([stderr, exit]).toEqual([expected, 2]);
});

describe('[D195] the credentials of a machine in a file', () => {
  it('are written with mode 0600, and the token is not printed', async () => {
    const folder = temporaryFolder();
    const [db, out] = [join(folder, 'registry.db'), join(folder, 'credentials.json')];
    const args = ['registry', 'token', 'create', '--machine', 'rover-7', '--out', out];
    const done = await printed([...args, '--db', db, '--create']);
    expect({ ...done, stdout: done.stdout.map((line) => line.replace(folder, '.')) }).toEqual({
      stdout: ['./credentials.json'],
      stderr: ['note: copy it to /etc/modreg/credentials.json of rover-7, with mode 0600'],
      exit: 0,
    });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const { api_key: key, ...others } = JSON.parse(readFileSync(out, 'utf8'));
    expect(others).toEqual({ api_key_id: 't1', part_id: 'rover-7' });
    const catalogue = new Catalogue(db);
    expect(catalogue.tokenWith(key)).toMatchObject({
      name: 'rover-7',
      scopes: ['machine:rover-7'],
    });
    catalogue.close();
    expect((await printed([...args, '--db', db])).stderr[1]).toBe('hint: choose another file');
  });

  it.each<[readonly string[], string]>([
    [
      ['--name', 'x', '--scope', 'publish', '--out', 'credentials.json'],
      '--out is for the credentials of a machine: pass --machine',
    ],
    [['--name', 'x', '--scope', 'join:rover-7'], 'a code to join is no token'],
  ])('%j is refused', async (options, message) => {
    const db = join(temporaryFolder(), 'registry.db');
    new Catalogue(db, { mode: 'create' }).close();
    const { stderr } = await printed(['registry', 'token', 'create', '--db', db, ...options]);
    expect(stderr[0]).toBe(`error[USAGE]: ${message}`);
  });
});

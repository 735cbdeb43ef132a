import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { joinCommand, type JoinOptions } from '../../src/cli/join/join-command.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { inviting, TRUST } from './support/inviting.ts';
import { said } from './support/systemd-host.ts';

const HOUR = 3_600_000;
const OTHER = `sha256:${'0'.repeat(64)}`;
const AGAIN =
  'hint: a code is valid once, for an hour, for one machine: modreg registry invite --name <machine> prints one, where the registry is';

describe('[T575] a code does not join', () => {
  it.each<[string, (site: Awaited<ReturnType<typeof inviting>>) => Promise<string>, string]>([
    [
      'a second time',
      async ({ invite, join: joining, on }) => {
        const [code = ''] = (await invite('rover-7')).stdout;
        await joining({ code, to: join(on.root, 'first') });
        return code;
      },
      'the token t1 (join-rover-7) was revoked at 2026-11-21T12:00:00Z',
    ],
    [
      'after an hour',
      async ({ invite, wait }) => {
        const [code = ''] = (await invite('rover-7')).stdout;
        wait(HOUR);
        return code;
      },
      'the token t1 (join-rover-7) expired at 2026-11-21T13:00:00Z',
    ],
    [
      'another machine',
      async ({ invite }) => (await invite('rover-8')).stdout[0] ?? '',
      'the token t1 (join-rover-8) does not have the scope join:rover-7',
    ],
    [
      'after a later one for the machine was made',
      async ({ invite }) => {
        const [code = ''] = (await invite('rover-7')).stdout;
        await invite('rover-7');
        return code;
      },
      'the token t1 (join-rover-7) was revoked at 2026-11-21T12:00:00Z',
    ],
    [
      'that this registry did not make',
      async () => await Promise.resolve('modreg_0000-0000-0000-0000'),
      'this registry did not create the token',
    ],
  ])('%s', async (_title, codeOf, why) => {
    const site = await inviting();
    const code = await codeOf(site);
    const { lines, exit } = await site.join({ code });
    expect([lines[0]?.replace(/^.*\(40\d\): /, ''), lines[1], exit]).toEqual([why, AGAIN, 4]);
    expect(existsSync(join(site.to, 'credentials.json'))).toBe(false);
  });

  it('of two requests at once, only one', async () => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7')).stdout;
    const both = await Promise.all(
      ['one', 'two'].map(async (name) => await site.join({ code, to: join(site.on.root, name) })),
    );
    expect(both.map(({ exit }) => exit).toSorted((a, b) => a - b)).toEqual([0, 4]);
  });
});

describe('[T576] the code is not used', () => {
  it.each<[string, Readonly<Record<string, string>>, Partial<JoinOptions>, readonly string[]]>([
    [
      'where credentials exist',
      { 'credentials.json': '{}' },
      {},
      [
        'error[USAGE]: "TO/credentials.json" exists: this machine has credentials',
        'hint: remove it to join again, or choose another folder with --to',
      ],
    ],
    [
      'where the policy names another registry',
      { 'policy.json': '{"registry": "https://other.example"}' },
      {},
      [
        'error[USAGE]: "TO/policy.json" exists and names "https://other.example"',
        'hint: write "registry": "ADDRESS" there, or remove it',
      ],
    ],
    [
      'where the policy pins other keys',
      { 'policy.json': `{"registry": "ADDRESS", "trust": "${OTHER}"}` },
      { trust: TRUST.pin },
      [
        `error[USAGE]: the policy "TO/policy.json" has "trust": "${OTHER}", and nothing was changed`,
        'hint: to trust PIN, change it there',
      ],
    ],
    [
      'without a name',
      {},
      { name: '../rover' },
      [
        'error[USAGE]: --name is "../rover"',
        'hint: the id of this machine: up to 128 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
      ],
    ],
    [
      'without a code where nobody can be asked',
      {},
      { code: undefined },
      [
        'error[USAGE]: --code is missing',
        'hint: modreg registry invite --name <machine>, where the registry is, prints a code',
      ],
    ],
    [
      'with a code of other characters',
      {},
      { code: 'modreg_ü' },
      ['error[USAGE]: the code has characters that no code has', AGAIN],
    ],
  ])('%s', async (_title, files, options, expected) => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7')).stdout;
    mkdirSync(site.to);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(site.to, name), text.replace('ADDRESS', site.address));
    }
    expect(await site.join({ code, ...options })).toEqual({ lines: expected, exit: 2 });
    expect(site.catalogue.tokenWith(code)?.revokedAt).toBeUndefined();
    expect(readdirSync(site.to)).toEqual(Object.keys(files));
  });

  it('where the policy has errors, which are shown', async () => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7')).stdout;
    mkdirSync(site.to);
    writeFileSync(join(site.to, 'policy.json'), '{');
    expect(await site.join({ code })).toEqual({
      lines: [
        'error[BAD_VALUE]: the policy TO/policy.json has 1 error',
        '  because 1:2 BAD_JSON: expected "}"',
        'hint: modreg check TO/policy.json --as policy shows them all',
      ],
      exit: 1,
    });
    expect(site.catalogue.tokenWith(code)?.revokedAt).toBeUndefined();
  });

  it('where this is no system with systemd, with --service', async () => {
    const site = await inviting();
    const [code = ''] = (await site.invite('rover-7')).stdout;
    const none = { ...site.on, uid: 1000 };
    const done = await joinCommand(
      'https://registry.example',
      { name: 'rover-7', to: site.to, code, service: true },
      quietWorld('linux/x64'),
      { ask: async () => await Promise.resolve(undefined), host: none },
    );
    expect(said(done, none)).toEqual([
      'error[USAGE]: modreg agent install-unit changes the system: run it as root',
    ]);
  });
});

it('[T575] an answer that is lost: the code may have been used', async () => {
  const { address } = await plainServer((response, request) => {
    if (request.method === 'POST') return void response.destroy();
    response.statusCode = 404;
    send(response, { type: 'urn:modreg:unknown-address', detail: 'nothing is there' });
  });
  const to = temporaryFolder();
  const args = ['join', address, '--name', 'rover-7', '--code', 'modreg_0000', '--to', to];
  const { stderr } = await printed(args);
  expect(stderr.at(-1)).toBe(
    'hint: the code may have been used: make another one with modreg registry invite',
  );
});

it('[T577] an earlier registry lets no machine join', async () => {
  const { address } = await plainServer((response) => {
    response.statusCode = 404;
    send(response, { type: 'urn:modreg:unknown-address', detail: 'nothing is there' });
  });
  const to = temporaryFolder();
  const args = ['join', address, '--name', 'rover-7', '--code', 'modreg_0000', '--to', to];
  const { stderr, exit } = await printed(args);
  expect([stderr[0]?.replaceAll(address, 'ADDRESS'), exit]).toEqual([
    'error[NOT_A_REGISTRY]: the registry ADDRESS does not respond like a registry: no machine can join: its modreg is an earlier one',
    4,
  ]);
});

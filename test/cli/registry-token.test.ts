import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { brokenStream } from '../support/broken-stream.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess, startedInProcess, textOf } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { createdToken, newFile, registry } from './support/registry-command.ts';
import { sh } from '../support/shell.ts';

const DAY = 86_400_000;
const SCOPES =
  'publish, yank, rollout or import, each with or without :<namespace>, outcomes:<namespace>, machine:<id>, group:<group>, fleet:read, wall, config, commands, trust, or logs:read';

/** A file with three tokens: one in use, one that has expired, and one that was revoked. */
function threeTokens(): { readonly db: string; readonly texts: readonly string[] } {
  const db = newFile();
  const catalogue = new Catalogue(db);
  const at = Date.parse('2026-01-02T03:04:05Z');
  const texts = [
    { name: 'ci', scopes: ['publish:acme', 'yank:acme'] },
    { name: 'robot', scopes: ['machine:rover-7'], expiresAt: at + DAY },
    { name: 'mirror', scopes: ['import'] },
  ].map((request) => {
    const created = catalogue.createToken(request, at);
    if (!created.ok) throw new Error(created.error);
    return created.value.token;
  });
  const [used] = catalogue.tokens();
  if (used) catalogue.recordUse({ ...used, scopes: [] }, at + 1000);
  catalogue.revokeToken('mirror', at + 2000);
  catalogue.close();
  return { db, texts };
}

describe('modreg registry token list', () => {
  it('shows each token, but not its text', async () => {
    const { db, texts } = threeTokens();
    const { stdout, stderr, exit } = await registry(db, 'token', 'list');
    expect([stderr, exit]).toEqual(['', 0]);
    expect(stdout)
      .toBe(`  ID   NAME     SCOPES                   CREATED                EXPIRES                LAST USED              STATE
  t1   ci       publish:acme yank:acme   2026-01-02T03:04:05Z   never                  2026-01-02T03:04:06Z   active
  t2   robot    machine:rover-7          2026-01-02T03:04:05Z   2026-01-03T03:04:05Z   not recorded           expired
  t3   mirror   import                   2026-01-02T03:04:05Z   never                  never                  revoked
`);
    const json = (await registry(db, 'token', 'list', '--json')).stdout;
    const common = { created_at: '2026-01-02T03:04:05Z', last_used_at: null, revoked_at: null };
    expect(JSON.parse(json)).toEqual({
      schema: 'modreg/registry-tokens@1',
      tokens: [
        {
          ...common,
          id: 't1',
          name: 'ci',
          scopes: ['publish:acme', 'yank:acme'],
          expires_at: null,
          last_used_at: '2026-01-02T03:04:06Z',
          state: 'active',
        },
        {
          ...common,
          id: 't2',
          name: 'robot',
          scopes: ['machine:rover-7'],
          expires_at: '2026-01-03T03:04:05Z',
          state: 'expired',
        },
        {
          ...common,
          id: 't3',
          name: 'mirror',
          scopes: ['import'],
          expires_at: null,
          revoked_at: '2026-01-02T03:04:07Z',
          state: 'revoked',
        },
      ],
    });
    for (const text of texts) expect(stdout + json).not.toContain(text);
    expect((await registry(newFile(), 'token', 'list')).stdout).toBe('no tokens\n');
  });
});

describe('modreg registry token create', () => {
  it('prints the token once, alone on stdout', async () => {
    const db = newFile();
    const options = ['--name', 'ci', '--scope', 'publish:acme', '--scope', 'yank:acme'];
    const { stdout, stderr, exit } = await registry(db, 'token', 'create', ...options);
    expect([stderr, exit]).toEqual([
      'note: t1 (ci) is valid until it is revoked\nnote: this is the only time that the token is shown\n',
      0,
    ]);
    expect(stdout).toMatch(/^modreg_[\w-]{43}\n$/);
    const catalogue = new Catalogue(db);
    expect(catalogue.tokenWith(stdout.trim())).toMatchObject({
      name: 'ci',
      scopes: ['publish:acme', 'yank:acme'],
    });
    catalogue.close();
  });

  it('creates a token that expires', async () => {
    const db = newFile();
    const options = ['--name', 'ci', '--scope', 'publish', '--expires', '90d'];
    const { stdout, stderr } = await registry(db, 'token', 'create', ...options, '--json');
    const { token, created_at, expires_at, ...fields } = JSON.parse(stdout) as Record<
      string,
      string
    >;
    expect([fields, stderr]).toEqual([
      {
        schema: 'modreg/registry-token@1',
        id: 't1',
        name: 'ci',
        scopes: ['publish'],
        last_used_at: null,
        revoked_at: null,
        state: 'active',
      },
      '',
    ]);
    expect(token).toMatch(/^modreg_[\w-]{43}$/);
    expect(Date.parse(expires_at ?? '') - Date.parse(created_at ?? '')).toBe(90 * DAY);
  });

  it.each<[readonly string[], string]>([
    [['--scope', 'publish'], '--name is missing: the token needs a name, such as ci'],
    [['--name', 'x'], `no scope is named, expected ${SCOPES}`],
    [['--name', 'x', '--scope', 'admin'], `"admin" is not a scope, expected ${SCOPES}`],
    [
      ['--name', 'ci', '--scope', 'publish'],
      'the token t1 is called "ci": choose another name, or revoke it first',
    ],
    [
      ['--name', 'x', '--scope', 'publish', '--expires', 'soon'],
      '--expires: "soon" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m',
    ],
    [
      ['--name', 'x', '--scope', 'publish', '--expires', '0s'],
      'the token would have expired already',
    ],
  ])('%j is refused', async (options, message) => {
    const { db } = threeTokens();
    expect(await registry(db, 'token', 'create', ...options)).toEqual({
      stdout: '',
      stderr: `error[USAGE]: ${message}\n`,
      exit: 2,
    });
    expect((await registry(db, 'token', 'list')).stdout.split('\n')).toHaveLength(5);
  });
});

it('modreg registry token revoke names the token of that name that is in use', async () => {
  const { db } = threeTokens();
  await registry(db, 'token', 'revoke', 'ci');
  await createdToken(db, 'publish');
  expect((await registry(db, 'token', 'revoke', 'ci')).stdout).toBe('t4 (ci) is revoked\n');
});

it('modreg registry token revoke takes an id, a name or a token', async () => {
  const { db, texts } = threeTokens();
  const revoke = async (named: string, ...options: string[]): Promise<unknown[]> => {
    const { stdout, stderr, exit } = await registry(db, 'token', 'revoke', named, ...options);
    return [stdout, stderr, exit];
  };
  expect(await revoke('ci')).toEqual(['t1 (ci) is revoked\n', '', 0]);
  expect(await revoke('t1')).toEqual(['t1 (ci) is already revoked\n', '', 0]);
  expect(await revoke(texts[1] ?? '')).toEqual(['t2 (robot) is revoked\n', '', 0]);
  expect(await revoke('modreg_other')).toEqual([
    '',
    `error[UNKNOWN_TOKEN]: this registry did not create the token\nhint: modreg registry token list --db ${db} shows the tokens\n`,
    1,
  ]);
  expect(await revoke('t9')).toEqual([
    '',
    `error[UNKNOWN_TOKEN]: this registry has no token with the id or name "t9"\nhint: modreg registry token list --db ${db} shows the tokens\n`,
    1,
  ]);
  expect(JSON.parse(String((await revoke('mirror', '--json'))[0]))).toMatchObject({
    schema: 'modreg/registry-token-revoke@1',
    id: 't3',
    state: 'revoked',
    revoked_at: '2026-01-02T03:04:07Z',
  });
});

describe('the file of --db', () => {
  const CREATE = ['token', 'create', '--name', 'ci', '--scope', 'publish'];
  const COMMANDS = [
    ['publish', 'acme:lidar', '1.0.0'],
    ['yank', 'acme:lidar', '1.0.0'],
    ['list'],
    ['show', 'acme:lidar'],
    ['serve'],
    CREATE,
    ['token', 'list'],
    ['token', 'revoke', 'ci'],
  ];

  it.each(COMMANDS)('must exist for %s %s', async (...args) => {
    const db = `${temporaryFolder()}/registry.db`;
    const { stdout, stderr, exit } = await registry(db, ...args);
    expect([stdout, stderr, exit, existsSync(db)]).toEqual([
      '',
      `error[UNREADABLE_FILE]: "${db}": there is no such file\nhint: check the path; publish, token create, keys init and serve create the file if --create is passed\n`,
      2,
      false,
    ]);
  });

  it.each([
    ['publish', 'acme:lidar', '1.0.0'],
    ['token', 'create', '--name', 'ci', '--scope', 'publish'],
  ])('is created by %s %s with --create', async (...args) => {
    const db = `${temporaryFolder()}/registry.db`;
    expect((await registry(db, ...args, '--create')).exit).toBe(0);
    expect(existsSync(db)).toBe(true);
    // An existing file is used.
    expect((await registry(db, 'publish', 'acme:lidar', '1.0.1', '--create')).exit).toBe(0);
  });

  it('without --db is created at home', async () => {
    const PLATFORM_HOME = temporaryFolder();
    expect((await inProcess(['registry', ...CREATE], { PLATFORM_HOME })).exit).toBe(0);
    expect(existsSync(`${PLATFORM_HOME}/registry.db`)).toBe(true);
  });

  it.each(['https://me:pw@registry.example', 'npm:https://x', 'HTTP:x', 'ftp://x'])(
    'is not the address %s',
    async (address) => {
      expect(await registry(address, 'list')).toEqual({
        stdout: '',
        stderr: 'error[USAGE]: --db is a file; --registry takes an address\n',
        exit: 2,
      });
    },
  );
});

it.each([[[]], [['--json']]])(
  '[T119] a token that nobody has seen is not lost silently: %j',
  async (options) => {
    const args = ['registry', 'token', 'create', '--name', 'ci', '--scope', 'publish', ...options];
    const streams = { stdout: brokenStream('ENOSPC') };
    const running = startedInProcess([...args, '--db', newFile()], streams);
    expect(await running.ended).toBe(70);
    const output = textOf(running.stderr);
    expect(output).toContain('cannot write the answer (ENOSPC)');
    expect(output).toContain(
      'the token t1 was not shown: modreg registry token revoke t1, with the same file, and create another one',
    );
  },
);

it('[T119] no token is created without a stdout', async () => {
  const db = newFile();
  const create = `${ROOT}bin/modreg registry token create --name ci --scope publish --db ${db}`;
  expect(sh(`${create} 2>&1 >&-; echo "exit $?"`)).toMatch(/stdout is closed\)\nexit 70\n$/);
  expect((await registry(db, 'token', 'list')).stdout).toBe('no tokens\n');
});

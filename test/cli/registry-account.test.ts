import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { storedPassword } from '../../src/server/accounts/password.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newFile, registry } from './support/registry-command.ts';

const PASSWORD = 'correct horse battery';

/** A password with a byte that is not UTF-8. */
const BROKEN = Buffer.concat([Buffer.from(PASSWORD), Buffer.from([0xff])]);

/** It takes a core for a while, so that it is derived once. */
const STORED = storedPassword(PASSWORD);

/** The path of a registry with the account ada, an admin with `PASSWORD`. */
async function withAda(): Promise<string> {
  const db = newFile();
  const { accounts, close } = opened(db);
  accounts.set({ name: 'ada', role: 'admin', password: await STORED }, Date.now());
  close();
  return db;
}

/** The path of a file with a password. */
function passwordFile(text: string | Uint8Array, mode = 0o600): string {
  const path = `${temporaryFolder()}/password.txt`;
  writeFileSync(path, text, { mode });
  return path;
}

async function account(db: string, ...args: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr, exit } = await registry(db, 'account', ...args);
  return [`${exit}`, ...`${stdout}${stderr}`.trimEnd().split('\n')];
}

function opened(db: string): Pick<Catalogue, 'accounts' | 'close'> {
  const catalogue = new Catalogue(db);
  return { accounts: catalogue.accounts, close: () => catalogue.close() };
}

describe('[D370] modreg registry account', () => {
  it('adds an account, whose password opens it, and keeps no password', async () => {
    const db = newFile();
    const file = passwordFile(`${PASSWORD}\n`);
    const set = ['set', 'ada@acme', '--role', 'operator', '--password-file', file];
    expect(await account(db, ...set)).toEqual(['0', 'ada@acme (operator) was added']);
    const catalogue = new Catalogue(db);
    const found = [PASSWORD, `${PASSWORD}\n`, ''].map(
      async (text) => (await catalogue.accounts.withPassword('ada@acme', text))?.name,
    );
    expect(await Promise.all(found)).toEqual(['ada@acme', undefined, undefined]);
    catalogue.close();
    expect(JSON.stringify(await registry(db, 'account', 'list', '--json'))).not.toContain('scrypt');
    expect(readFileSync(db, 'latin1')).toMatch(/scrypt:32768:8:3:(?![^]*correct horse)/);
  });

  it('compares passwords as they are read, not as a keyboard composes them', async () => {
    const db = newFile();
    const file = passwordFile('na\u{ef}ve caf\u{e9} 1');
    await account(db, 'set', 'ada', '--role', 'viewer', '--password-file', file);
    const catalogue = new Catalogue(db);
    const { accounts } = catalogue;
    expect((await accounts.withPassword('ada', 'nai\u{308}ve cafe\u{301} 1'))?.name).toBe('ada');
    catalogue.close();
  });

  it('lists accounts with their roles, by name', async () => {
    const db = newFile();
    expect(await account(db, 'list')).toEqual(['0', 'no accounts']);
    const catalogue = new Catalogue(db);
    const at = Date.parse('2026-01-02T03:04:05Z');
    for (const [name, role] of [['eve', 'admin'] as const, ['ada', 'viewer'] as const]) {
      catalogue.accounts.set({ name, role, password: 'x' }, at);
    }
    catalogue.close();
    expect(await account(db, 'list')).toEqual([
      '0',
      '  NAME   ROLE     CHANGED                STATE',
      '  ada    viewer   2026-01-02T03:04:05Z   active',
      '  eve    admin    2026-01-02T03:04:05Z   active',
    ]);
    const { stdout } = await registry(db, 'account', 'list', '--json');
    const common = { changed_at: '2026-01-02T03:04:05Z', state: 'active' };
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/registry-accounts@1',
      accounts: [
        { name: 'ada', role: 'viewer', ...common },
        { name: 'eve', role: 'admin', ...common },
      ],
    });
  });

  it('changes the role or the password alone, and removes', async () => {
    const db = newFile();
    const [one, other] = [passwordFile(PASSWORD), passwordFile('another long password')];
    await account(db, 'set', 'ada', '--role', 'viewer', '--password-file', one);
    expect(await account(db, 'set', 'ada', '--role', 'operator')).toEqual([
      '0',
      'ada (operator) was changed, and its sessions ended',
    ]);
    const { accounts, close } = opened(db);
    const found = async (text: string): Promise<unknown> => {
      const signedIn = await accounts.withPassword('ada', text);
      return signedIn && accounts.roleOf(signedIn);
    };
    expect(await found(PASSWORD)).toBe('operator');
    await account(db, 'set', 'ada', '--password-file', other);
    expect([await found(PASSWORD), await found('another long password')]).toEqual([
      undefined,
      'operator',
    ]);
    close();
    expect(await account(db, 'remove', 'ada')).toEqual([
      '0',
      'ada was removed, and its sessions ended',
    ]);
    expect(await account(db, 'remove', 'ada')).toEqual([
      '1',
      'error[UNKNOWN_REFERENCE]: there is no account "ada"; nothing was changed',
      `hint: modreg registry account list --db ${db} shows them`,
    ]);
  });

  it.each<[readonly string[], string | undefined, string]>([
    [['Ada', '--role', 'viewer'], undefined, 'USAGE]: "Ada" is not the name of an account, expe'],
    [['ada'], undefined, 'USAGE]: neither --role nor --password-file says what to change; nothing'],
    [['ada', '--role', 'root'], undefined, 'USAGE]: --role: found "root", expected one of viewer'],
    [['ada', '--role', 'viewer'], undefined, 'USAGE]: "ada" is a new account, or has a role that'],
    [['ada'], PASSWORD, 'USAGE]: "ada" is a new account, or has a role that this modreg does not '],
    [['ada'], 'elevenchars', 'USAGE]: the password has 11 characters, expected 12 to 256; nothing'],
    [['ada'], 'x'.repeat(257), 'USAGE]: the password has 257 characters, expected 12 to 256; noth'],
    [['ada', '--password-file', '/no/file'], undefined, 'UNREADABLE_FILE]: the file "/no/file" d'],
  ])('refuses set %j with the password %s', async (args, password, message) => {
    const db = newFile();
    const file = password === undefined ? [] : ['--password-file', passwordFile(password)];
    const [exit, line = ''] = await account(db, 'set', ...args, ...file);
    expect([exit, line.slice(0, message.length + 6)]).toEqual(['2', `error[${message}`]);
    expect(await account(db, 'list')).toEqual(['0', 'no accounts']);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['an empty last line', `${PASSWORD}\n\n`, 'the password has 2 lines, expected one'],
    ['a CR', `${PASSWORD}\r${PASSWORD}`, 'the password has 2 lines, expected one'],
    ['other bytes', BROKEN, 'the password has bytes that are not UTF-8, expected UTF-8'],
    [
      'a byte order mark',
      `\uFEFF${PASSWORD}`,
      'the password begins with a byte order mark (EF BB BF), expected UTF-8 without one',
    ],
    ['64 KiB', 'x'.repeat(65_536), 'the password has 65536 characters, expected 12 to 256'],
    ['2 MB', 'x'.repeat(2e6), 'the password has more than 65536 bytes, expected one line'],
  ])('refuses a file with %s', async (_, password, message) => {
    const db = newFile();
    const file = passwordFile(password);
    const set = ['set', 'ada', '--role', 'viewer', '--password-file', file];
    expect(await account(db, ...set)).toEqual(['2', `error[USAGE]: ${message}; nothing was saved`]);
    expect(await account(db, 'list')).toEqual(['0', 'no accounts']);
  });

  it('refuses a file that others can read', async () => {
    const db = newFile();
    const file = passwordFile(PASSWORD, 0o644);
    const set = ['set', 'ada', '--role', 'viewer', '--password-file', file];
    const [exit, line, hint] = await account(db, ...set);
    expect([exit, line, hint]).toEqual([
      '1',
      `error[PERMISSIONS]: others can read the file "${file}", which has a secret (mode 0644)`,
      `hint: chmod 600 "${file}"`,
    ]);
  });
});

/** A registry with two accounts, and its backup. */
async function restored(): Promise<string> {
  const db = newFile();
  const catalogue = new Catalogue(db);
  for (const name of ['ada', 'eve'])
    catalogue.accounts.set({ name, role: 'operator', password: 'x' }, Date.now());
  catalogue.close();
  await registry(db, 'backup', `${db}-backup`);
  return db;
}

describe('a restored backup', () => {
  it('[T776] has accounts that open nothing, and names them', async () => {
    const db = await restored();
    const { accounts, close } = opened(db);
    const before = accounts.all();
    close();
    const { stdout } = await registry(db, 'restore', `${db}-backup`, '--replace');
    expect(stdout.split('\n').slice(2)).toEqual([
      'signs in only after modreg registry account confirm: ada',
      'signs in only after modreg registry account confirm: eve',
      '',
    ]);
    const after = opened(db);
    const roles = [...before, ...after.accounts.all()].map((one) => after.accounts.roleOf(one));
    expect(roles).toEqual([undefined, undefined, undefined, undefined]);
    after.close();
    const list = await account(db, 'list');
    expect(list.slice(2).map((line) => line.trim().split(/ +/).at(-1))).toEqual([
      'unconfirmed',
      'unconfirmed',
    ]);
  });

  it('[D374] has an account that signs in again once it is confirmed, and none of its earlier sessions', async () => {
    const db = await restored();
    const { accounts, close } = opened(db);
    const [before] = accounts.all();
    close();
    await registry(db, 'restore', `${db}-backup`, '--replace');
    expect(await account(db, 'set', 'ada', '--role', 'operator')).toEqual([
      '0',
      'ada (operator) was changed, and its sessions ended',
      'note: it signs in only after modreg registry account confirm ada',
    ]);
    expect(await account(db, 'confirm', 'ada')).toEqual(['0', 'ada (operator) signs in again']);
    expect(await account(db, 'confirm', 'ada')).toEqual(['0', 'ada (operator) signs in already']);
    const after = opened(db);
    const roles = [before, ...after.accounts.all()].map((one) => one && after.accounts.roleOf(one));
    expect(roles).toEqual([undefined, 'operator', undefined]);
    after.close();
    expect(await account(db, 'confirm', 'bob')).toEqual([
      '1',
      'error[UNKNOWN_REFERENCE]: there is no account "bob"; nothing was changed',
      `hint: modreg registry account list --db ${db} shows them`,
    ]);
  });
});

it('[T777] a front of a cluster refuses accounts, and those of its file open nothing', async () => {
  const db = await withAda();
  const catalogue = new Catalogue(db);
  const [ada] = catalogue.accounts.all();
  const roleNow = (): unknown => ada && catalogue.accounts.roleOf(ada);
  expect(roleNow()).toBe('admin');
  catalogue.log.begin({ sequence: 1, subject: 'begin', id: 'a', body: '{}' }, 'shared');
  expect([roleNow(), catalogue.accounts.all()]).toEqual([undefined, []]);
  expect(await catalogue.accounts.withPassword('ada', PASSWORD)).toBe(undefined);
  catalogue.close();
  const refused = [
    '4',
    'error[REGISTRY_REFUSED]: a front of a cluster has no accounts yet; nothing was changed',
    `hint: people sign in to its page with codes: modreg registry page sign-in --db ${db}`,
  ];
  const file = passwordFile(PASSWORD);
  const set = ['set', 'eve', '--role', 'admin', '--password-file', file];
  for (const args of [set, ['remove', 'ada']]) expect(await account(db, ...args)).toEqual(refused);
});

it.each([
  "role = 'owner'",
  "password = 'argon2:1'",
  "password = replace(password, ':32768:', ':1048576:')",
  "password = replace(password, ':32768:', ':32769:')",
  "password = replace(password, ':32768:', ':0:')",
  "password = replace(password, ':32768:8:', ':32768:0:')",
  "password = replace(password, ':8:3:', ':8:0:')",
  "password = replace(password, ':8:3:', ':8:3')",
])('[T778] an account that has, unknown to this modreg, %s opens nothing', async (change) => {
  const db = await withAda();
  const database = new DatabaseSync(db);
  database.exec(`UPDATE accounts SET ${change}`);
  database.close();
  const { accounts, close } = opened(db);
  expect(await accounts.withPassword('ada', PASSWORD)).toBe(undefined);
  close();
});

it('[D443] accounts that are set, confirmed and removed are noted with who did it', async () => {
  const db = await withAda();
  await account(db, 'set', 'ada', '--role', 'viewer');
  const database = new DatabaseSync(db);
  database.exec('UPDATE accounts SET is_confirmed = 0');
  database.close();
  await account(db, 'confirm', 'ada');
  await account(db, 'confirm', 'ada');
  await account(db, 'remove', 'ada');
  await account(db, 'remove', 'ada');
  await account(db, 'set', 'bob', '--role', 'viewer');
  const catalogue = new Catalogue(db);
  const changes = catalogue.configs.changed({ machine: undefined, before: {}, limit: 9 });
  catalogue.close();
  expect(changes.map(({ author, thing }) => [author, Object(thing).what])).toEqual([
    [userInfo().username, 'account-removed'],
    [userInfo().username, 'account-confirmed'],
    [userInfo().username, 'account-set'],
  ]);
});

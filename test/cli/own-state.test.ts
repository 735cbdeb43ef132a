import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TODAY } from '../support/later-layouts.ts';
import { contentsOf, homeAfter, logged } from '../support/machine-home.ts';

const LIST = ['quarantine', 'list'];
const LIFT = ['quarantine', 'lift', 'acme:lidar', '1.2.9'];
const ROLLBACK = ['rollback', 'acme:lidar'];
const WHERE =
  'modreg agent run or modreg poll creates it in $PLATFORM_HOME, or else in $HOME/.platform';

/** The tables that the first version of the file does not have. */
const LATER_TABLES = [
  'identity',
  'deployed',
  'actions',
  'restarts',
  'quarantine',
  'decisions',
  'starts',
  'poller',
];

/** A home whose file was changed by `sql`. */
function homeWhere(sql: string): string {
  const home = homeAfter((state) =>
    state.log([logged('acme_lidar')], { at: 1, trouble: undefined }),
  );
  const database = new DatabaseSync(`${home}/machine.db`);
  database.exec(sql);
  database.close();
  return home;
}

function homeWithFolder(): string {
  const home = temporaryFolder();
  mkdirSync(`${home}/machine.db`);
  return home;
}

async function ended(command: readonly string[], PLATFORM_HOME: string): Promise<Printed> {
  return await printed(command, { environment: { PLATFORM_HOME } });
}

describe('a machine.db that cannot be used is reported and not changed', () => {
  it.each<[string, string, readonly (readonly string[])[], () => string]>([
    ['no file', `there is no such file\nhint: ${WHERE}`, [LIST, LIFT, ROLLBACK], temporaryFolder],
    [
      'an empty file',
      `it is empty\nhint: ${WHERE}`,
      [LIST],
      () => temporaryFolder({ 'machine.db': '' }),
    ],
    [
      'a file that is not a database',
      'file is not a database',
      [['status'], LIFT],
      () => temporaryFolder({ 'machine.db': 'not a database\n'.repeat(100) }),
    ],
    [
      'a file of another program',
      'it is a SQLite file of another program',
      [['status'], ROLLBACK],
      () => homeWhere('PRAGMA application_id = 7'),
    ],
    [
      'a file of a later version',
      `it has schema 99, for programs that know 98 or later, and this modreg knows ${TODAY}; nothing was changed: use the later modreg again`,
      [['status'], LIFT],
      () => homeWhere('PRAGMA user_version = 99; UPDATE compatibility SET oldest_reader = 98'),
    ],
    [
      'a decision that is not JSON',
      'a row of the table decisions is damaged; the next start of modreg agent run or modreg poll sets it aside',
      [['status'], ROLLBACK],
      () => homeWhere("UPDATE decisions SET content = '{'"),
    ],
    [
      'a decision without its name',
      'a row of the table decisions is damaged; the next start of modreg agent run or modreg poll sets it aside',
      [['status'], ROLLBACK],
      () => homeWhere(`UPDATE decisions SET content = replace(content, '"name"', '"nane"')`),
    ],
    [
      'a number that is too large for JavaScript',
      'a row of the table starts is damaged; the next start of modreg agent run or modreg poll sets it aside',
      [['status'], LIST, ROLLBACK],
      () => homeWhere('INSERT INTO starts (at) VALUES (9223372036854775807)'),
    ],
    ['a folder of that name', 'unable to open database file', [['status'], LIST], homeWithFolder],
  ])('%s', async (_, found, commands, make) => {
    const home = make();
    const before = contentsOf(home);
    const message = `error[STATE_UNREADABLE]: "HOME/machine.db": ${found}`;
    for (const command of commands) {
      const { stdout, stderr, exit } = await ended(command, home);
      const said = stderr.join('\n').replace(home, 'HOME');
      expect([stdout, said, exit]).toEqual([[], message, 70]);
    }
    expect(contentsOf(home)).toEqual(before);
  });

  it.each([
    [['status'], {}],
    [LIST, { HOME: '' }],
    [LIFT, { HOME: '', PLATFORM_HOME: '' }],
    [[...ROLLBACK], {}],
  ])('%j without a home in the environment %j', async (command, environment) => {
    expect(await printed(command, { environment })).toEqual({
      stdout: [],
      stderr: [
        'error[USAGE]: the state of this machine is not found: neither PLATFORM_HOME nor HOME is set',
      ],
      exit: 2,
    });
  });

  it('is also reported as JSON', async () => {
    const environment = { HOME: '/nowhere' };
    const { stdout, stderr, exit } = await printed([...LIST, '--json'], { environment });
    expect([stdout, exit]).toEqual([[], 70]);
    expect(JSON.parse(stderr.join(''))).toEqual({
      error: {
        code: 'STATE_UNREADABLE',
        message: '"/nowhere/.platform/machine.db": there is no such file',
        input: null,
        because: [],
        suggestion: null,
        hint: WHERE,
      },
    });
  });

  it('waits a second for a file that is being written, and reports it as locked', async () => {
    const home = homeAfter((state) =>
      state.log([logged('acme_lidar')], { at: 1, trouble: undefined }),
    );
    const file = openMachineFile(`${home}/machine.db`);
    file.database.exec('BEGIN IMMEDIATE');
    const began = performance.now();
    const { stdout, stderr, exit } = await ended(LIFT, home);
    const lasted = performance.now() - began;
    file.close();
    expect([stdout, stderr, exit]).toEqual([
      [],
      [`error[LOCKED]: "${home}/machine.db": database is locked`],
      70,
    ]);
    expect([lasted > 900, lasted < 5000]).toEqual([true, true]);
  });

  it('a command that only reads does not change a file of an earlier version', async () => {
    const home = homeWhere(`${LATER_TABLES.map((table) => `DROP TABLE ${table};`).join('')}
      PRAGMA user_version = 1`);
    const before = contentsOf(home);
    await ended(['status'], home);
    // [bug] The file was migrated.
    expect(contentsOf(home)).toEqual(before);
  });
});

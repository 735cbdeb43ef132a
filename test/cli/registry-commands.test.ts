import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { backupCommand } from '../../src/cli/registry/backup-command.ts';
import { databaseProblem } from '../../src/site/catalogue-options.ts';
import { damageProblem } from '../../src/site/damage.ts';
import { publishCommand } from '../../src/cli/registry/publish-command.ts';
import { restoreCommand } from '../../src/cli/registry/restore-command.ts';
import { tokenCreateCommand } from '../../src/cli/registry/token-command.ts';
import { verifyCommand } from '../../src/cli/registry/verify-command.ts';
import type { Outcome } from '../../src/base/problem.ts';
import type { World } from '../../src/base/world.ts';
import { Catalogue } from '../../src/server/index.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../src/sqlite/database-error.ts';
import { moduleId } from '../support/ask.ts';
import { FILE, LIDAR, NOON, publish, site, sql } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { quietWorld } from '../support/quiet-world.ts';

const WORLD: World = { ...quietWorld('linux/x64'), clock: () => NOON };
const NO_FILE = 'no registry file is named: pass --db, or set PLATFORM_HOME or HOME';
const RESTORING = 'modreg registry restore <folder> --replace restores a backup';

/** The message of the only problem, the lines after it and its hint. */
function problemIn({ problems, answer }: Outcome): readonly unknown[] {
  expect([problems.length, answer]).toEqual([1, []]);
  const [{ message, because, hint } = { message: '', because: [], hint: '' }] = problems;
  return [message, because, hint];
}

describe('[T77] modreg registry verify', () => {
  it.each<[string | undefined, object, string]>([
    [undefined, {}, 'no registry or backup is named: pass its path, or set PLATFORM_HOME or HOME'],
    ['', {}, 'no registry or backup is named: pass its path, or set PLATFORM_HOME or HOME'],
    ['x', { db: 'y' }, 'a path and --db are given: name one registry or backup'],
  ])('of %j with %j: %s', (named, options, message) => {
    expect(verifyCommand(named, options, WORLD).problems).toEqual([
      { severity: 'error', kind: 'usage', message },
    ]);
  });

  it.each<[string, (place: ReturnType<typeof site>) => string, string, string]>([
    [
      'a backup',
      ({ folder }) => {
        rmSync(`${folder}/files/sha256/${FILE}`);
        return folder;
      },
      `the hosted file sha256:${FILE}: there is no such file`,
      'do not restore it; modreg registry backup makes another one',
    ],
    [
      'the database of a registry',
      ({ path }) => {
        sql(path, 'UPDATE catalogue SET sequence = 7');
        return path;
      },
      'the sequence is 7, and the last change of a module has 2',
      RESTORING,
    ],
    [
      'a hosted file of a registry',
      ({ path }) => {
        rmSync(`${path}-files/sha256/${FILE}`);
        return path;
      },
      `the hosted file sha256:${FILE}: there is no such file`,
      `remove a damaged file from "PATH-files/sha256", then publish its release again with --upload; or ${RESTORING}`,
    ],
  ])('names what is wrong with %s, and what to do', async (_, damage, finding, hint) => {
    const place = site();
    await backupCommand(place.folder, { db: place.path }, WORLD);
    const path = damage(place);
    const kind = path === place.folder ? 'backup' : 'registry';
    const found = verifyCommand(path, {}, WORLD);
    expect(found.problems).toMatchObject([{ severity: 'error', kind: 'damaged' }]);
    expect(problemIn(found)).toEqual([
      `the ${kind} "${path}" is damaged`,
      [finding],
      hint.replace('PATH', path),
    ]);
    const json = verifyCommand(path, { json: true }, WORLD);
    const isCounted = !finding.startsWith('the sequence');
    expect([json.problems, JSON.parse(json.answer.join())]).toEqual([
      found.problems,
      {
        schema: 'modreg/registry-verify@1',
        path,
        kind,
        intact: false,
        modules: isCounted ? 1 : null,
        releases: isCounted ? 2 : null,
        files: isCounted ? 1 : null,
        sequence: isCounted ? 2 : null,
        findings: [finding],
      },
    ]);
  });

  it.each([
    [50, 50, 'f49'],
    [51, 51, '… 1 more'],
    [100, 51, '… 50 more'],
  ])('shows of %d findings %d lines', (count, lines, last) => {
    const findings = Array.from({ length: count }, (_, place) => `f${place}`);
    const { because = [] } = damageProblem('x', findings);
    expect([because.length, because.at(-1)]).toEqual([lines, last]);
  });
});

describe('[T75] [T76] modreg registry backup and restore', () => {
  it.each<[string, (folder: string) => Outcome | Promise<Outcome>, string]>([
    ['no registry', (folder) => restoreCommand(folder, {}, WORLD), NO_FILE],
    ['an empty --db', (folder) => restoreCommand(folder, { db: '' }, WORLD), NO_FILE],
    ['an empty folder', async () => await backupCommand('', {}, WORLD), 'found "" as the folder'],
  ])('refuse %s', async (_, run, message) => {
    expect((await run(site().folder)).problems).toEqual([
      { severity: 'error', kind: 'usage', message },
    ]);
  });

  it('a backup is the manifest and its folder as JSON', async () => {
    const { path, folder } = site();
    const { answer } = await backupCommand(folder, { db: path, json: true }, WORLD);
    const manifest = JSON.parse(readFileSync(`${folder}/manifest.json`, 'utf8')) as object;
    expect(JSON.parse(answer.join())).toEqual({ ...manifest, folder });
  });

  it('a damaged database has no hint about files', async () => {
    const { path, folder } = site();
    sql(path, 'UPDATE catalogue SET sequence = 7');
    expect(problemIn(await backupCommand(folder, { db: path }, WORLD))).toEqual([
      `"${path}" is damaged, so nothing was backed up`,
      ['the sequence is 7, and the last change of a module has 2'],
      undefined,
    ]);
  });

  it.each<[string, (catalogue: Catalogue) => unknown, string]>([
    [
      'release',
      ({ path }) => publish(path, LIDAR, '1.2.0'),
      'lost: acme:lidar 1.2.0; machines that run it keep it',
    ],
    [
      'yank',
      (catalogue) => catalogue.yank(moduleId(LIDAR), '1.1.0', 'stops'),
      'no longer yanked: acme:lidar 1.1.0',
    ],
    [
      'revocation',
      (catalogue) => catalogue.revokeToken('ci', NOON),
      'no longer revoked: the token t1 (ci)',
    ],
  ])('a restore says what to do about one %s', async (_, change, lost) => {
    const { path, folder } = site();
    const catalogue = new Catalogue(path);
    catalogue.createToken({ name: 'ci', scopes: ['publish'] }, NOON);
    await backupCommand(folder, { db: path }, WORLD);
    change(catalogue);
    catalogue.close();
    const { answer, notes } = restoreCommand(folder, { db: path, replace: true }, WORLD);
    expect([answer.slice(2), notes]).toEqual([
      [lost],
      ['note: publish, yank and revoke again what is lost, before the server starts'],
    ]);
  });

  it('a restore names all that is lost, and what to do', async () => {
    const { path, folder } = site();
    const catalogue = new Catalogue(path);
    catalogue.createToken({ name: 'ci', scopes: ['publish'] }, NOON);
    await backupCommand(folder, { db: path }, WORLD);
    publish(path, LIDAR, '1.2.0');
    catalogue.yank(moduleId(LIDAR), '1.1.0', 'stops');
    catalogue.revokeToken('ci', NOON);
    catalogue.close();
    const options = { db: path, replace: true } as const;
    const aside = `${path}.replaced-20261122T120000Z`;
    const restored = (added: string): string =>
      `"${path}" is restored from 2026-11-22T12:00:00Z: 1 module, 2 releases and 1 file; ${added} was added to each generation`;
    expect(restoreCommand(folder, options, WORLD)).toEqual({
      answer: [
        restored('1000'),
        `the earlier registry is "${aside}"`,
        'lost: acme:lidar 1.2.0; machines that run it keep it',
        'no longer yanked: acme:lidar 1.1.0',
        'no longer revoked: the token t1 (ci)',
      ],
      notes: ['note: publish, yank and revoke again what is lost, before the server starts'],
      problems: [],
    });
    expect(restoreCommand(folder, options, WORLD)).toEqual({
      answer: [restored('2000'), `the earlier registry is "${aside}-2"`],
      notes: [],
      problems: [],
    });
    writeFileSync(path, 'not a database');
    expect(restoreCommand(folder, options, WORLD)).toEqual({
      answer: [
        restored('1000'),
        `the earlier registry is "${aside}-3"`,
        'it cannot be read, so what the backup lacks is not known',
      ],
      notes: [],
      problems: [],
    });
    rmSync(path);
    expect(restoreCommand(folder, { db: path }, WORLD).answer).toEqual([restored('1000')]);
    rmSync(path);
    const { answer } = restoreCommand(folder, { db: path, json: true }, WORLD);
    expect(JSON.parse(answer.join())).toEqual({
      schema: 'modreg/registry-restore@1',
      path,
      created_at: '2026-11-22T12:00:00Z',
      modules: 1,
      releases: 2,
      files: 1,
      added: 1000,
      set_aside: null,
      lost: { releases: null, yanks: null, revocations: null },
      unconfirmed_accounts: [],
    });
  });
});

it('modreg registry token create says until when a token is valid', () => {
  const db = `${temporaryFolder()}/registry.db`;
  const options = { db, create: true, name: 'ci', scope: ['publish'], expires: '36h' } as const;
  const { notes, ifLost } = tokenCreateCommand(options, WORLD);
  expect([notes, ifLost]).toEqual([
    [
      'note: t1 (ci) is valid until 2026-11-24T00:00:00Z',
      'note: this is the only time that the token is shown',
    ],
    'the token t1 was not shown: modreg registry token revoke t1, with the same file, and create another one',
  ]);
});

it('modreg registry publish counts what it yanked', async () => {
  const folder = temporaryFolder({
    'list.json': JSON.stringify([
      { version: '1.0.0', yanked: 'x' },
      { version: '1.1.0' },
      { version: '2.0.0' },
    ]),
  });
  const db = `${folder}/registry.db`;
  const options = { db, create: true } as const;
  await publishCommand(LIDAR, '1.0.0', options, WORLD);
  await publishCommand(LIDAR, '1.1.0', options, WORLD);
  const published = await publishCommand(
    LIDAR,
    undefined,
    { db, file: `${folder}/list.json` },
    WORLD,
  );
  expect(published.answer).toEqual(['acme:lidar: 1 published, 1 unchanged, 1 yanked']);
});

it.each<[DatabaseErrorKind, string]>([
  ['missing', 'unreadable-file'],
  ['damaged', 'state-unreadable'],
  ['unreadable', 'state-unreadable'],
  ['later-schema', 'state-unreadable'],
  ['locked', 'locked'],
  ['unwritable', 'state-write'],
])('a file that is %s is the problem %s', (kind, expected) => {
  const problem = { severity: 'error', kind: expected, message: 'why' };
  expect(databaseProblem(new DatabaseError(kind, 'why'))).toEqual(problem);
});

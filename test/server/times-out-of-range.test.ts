import { describe, expect, it } from 'vitest';
import { SCHEMA } from '../../src/server/catalogue/catalogue-schema.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { moduleId } from '../support/ask.ts';
import { printed } from '../support/command.ts';
import { decodeReleaseDocument } from '../support/decoded-list.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { published } from '../support/published.ts';
import { tokenFor } from '../support/token.ts';
import { testRegistry } from './support/registry.ts';

const LIDAR = moduleId('acme:lidar');
const ADDRESS = '/v1/modules/acme/lidar';
const BEFORE = '0000-01-01T00:00:00+23:59';
const AFTER = '9999-12-31T23:59:59-23:59';
/** What an earlier modreg read them as. */
const YEAR_MINUS_1 = -62_167_305_540_000;
const YEAR_10000 = 253_402_387_139_000;

describe.each([BEFORE, AFTER])('[T256] %s, whose year in UTC has no four digits', (time) => {
  const found = `"${time}" is not in the years 0000 to 9999 of UTC`;

  it('is refused as a publish time, also with a token that imports', async () => {
    const registry = testRegistry();
    const token = tokenFor(registry.catalogue, ['import:acme'], 'mirror');
    const answer = await registry.ask('POST', `${ADDRESS}/releases`, {
      headers: { authorization: `Bearer ${token}` },
      body: { version: '1.0.0', published_at: time },
    });
    const detail = `/published_at: ${found}`;
    expect([answer.status, answer.json]).toMatchObject([422, { errors: [detail] }]);
    expect((await registry.ask('GET', ADDRESS)).status).toBe(404);
  });

  it('is refused in a report', async () => {
    const registry = testRegistry();
    const token = tokenFor(registry.catalogue, ['machine:rover-7'], 'rover');
    const answer = await registry.ask('POST', '/v1/machines/rover-7/reports', {
      headers: { authorization: `Bearer ${token}` },
      body: machineReport([], { state: { ...reportedState(1), at: time } }),
    });
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { errors: ['/state/at: expected a time, such as 2026-11-21T01:02:03Z'] },
    ]);
  });

  it.each([
    ['resolve acme:lidar 1.*', 'error[BAD_TIME]'],
    ['compare acme:lidar --deployed 1.0.0', 'error[BAD_TIME]'],
    ['plan machine.json', 'error[BAD_TIME]'],
    ['why acme:lidar', 'error[BAD_TIME]'],
  ])('is refused by %s --at', async (command, error) => {
    const { stderr, exit } = await printed([...command.split(' '), '--at', time]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`${error}: ${found}`);
  });

  it('is dropped from an entry of a list of another registry, and the others are read', () => {
    const releases = [
      { version: '1.0.0', published_at: time },
      { version: '1.1.0', published_at: '2026-11-21T01:02:03Z' },
    ];
    const expected = `"${time}", expected a time in the years 0000 to 9999 of UTC`;
    const records = [{ version: '1.0.0' }, { version: '1.1.0', publishedAt: 1795222923000 }];
    expect(decodeReleaseDocument({ releases }, LIDAR)).toEqual({
      records,
      dropped: [`/releases/0/published_at is ${expected}`],
    });
    const versions = { '1.0.0': {}, '1.1.0': {} };
    const npm = { versions, time: { '1.0.0': time, '1.1.0': '2026-11-21T01:02:03Z' } };
    expect(decodeReleaseDocument(npm, LIDAR)).toMatchObject({
      records,
      dropped: [`/time/1.0.0 is ${expected}`],
    });
  });
});

it.each([
  ['a publish time of year 10000', { publishedAt: YEAR_10000 }, '/published_at: "+010000-'],
  ['a publish time of year -1', { publishedAt: YEAR_MINUS_1 }, '/published_at: "-000001-'],
  ['no version', { version: '1' }, '/version: "1" is not a version'],
  ['half a character', { deprecated: '\ud800' }, '/deprecated: contains half a surrogate pair'],
])(
  '[T257] a release with %s is not published: nobody could read it again',
  (_what, change, why) => {
    const { catalogue } = testRegistry();
    published({ catalogue }, 'acme:lidar', '1.0.0');
    const release = readRelease({ version: '1.1.0' });
    if (!release.ok) throw new Error(release.error.join());
    const publish = (): unknown => catalogue.publish(LIDAR, { ...release.value, ...change }, 0);
    expect(publish).toThrow(why);
    expect(() => catalogue.publish(LIDAR, release.value, YEAR_10000)).toThrow(RangeError);
    expect(catalogue.summaries()).toMatchObject([{ count: 1 }]);
  },
);

/** A file as an earlier modreg wrote it, with times that it accepted. */
function earlierFile(history: string | null): string {
  const path = `${temporaryFolder()}/registry.db`;
  const layout = { ...SCHEMA, migrations: SCHEMA.migrations.slice(0, 7) };
  const database = openDatabase(path, layout, { mode: 'create', busyTimeoutMs: 0 });
  const content = '{"deprecated":null}';
  database.exec(`
    UPDATE catalogue SET sequence = 6;
    INSERT INTO modules VALUES (1, 'acme', 'camera', 1, 4), (2, 'acme', 'lidar', 3, 6), (3, 'acme', 'arm', 2, 5);
    INSERT INTO releases (module, version, published_at, content) VALUES
      (1, '1.0.0', 1795222923000, '${content}'),
      (2, '1.0.0', ${YEAR_MINUS_1}, '${content}'),
      (2, '1.1.0', 1795222923000, '${content}'),
      (2, '1.2.0', ${YEAR_10000}, '${content}'),
      (3, '1.0.0', ${YEAR_10000}, '${content}'),
      (3, '1.1.0', 253402300799500, '${content}')`);
  database.prepare('UPDATE catalogue SET shared_history = ?').run(history);
  database.close();
  return path;
}

interface ServedList {
  readonly generation: number;
  readonly releases: readonly { readonly published_at: string }[];
}

function listIn(catalogue: Catalogue, id: string): unknown {
  const { bytes } = catalogue.document(moduleId(id)) ?? {};
  const list: ServedList = JSON.parse(Buffer.from(bytes ?? []).toString());
  const times = list.releases.map(({ published_at }) => published_at);
  return { generation: list.generation, times };
}

describe('[T258] times that an earlier modreg accepted', () => {
  it('become the nearest ones in the file of a server, in lists with a higher generation', () => {
    const catalogue = new Catalogue(earlierFile(null));
    const [usual, first] = ['2026-11-21T01:02:03Z', '0000-01-01T00:00:00Z'];
    const last = '9999-12-31T23:59:59.999Z';
    expect(listIn(catalogue, 'acme:camera')).toEqual({ generation: 1, times: [usual] });
    expect(listIn(catalogue, 'acme:lidar')).toEqual({ generation: 4, times: [first, usual, last] });
    const times = [last, '9999-12-31T23:59:59.500Z'];
    expect(listIn(catalogue, 'acme:arm')).toEqual({ generation: 3, times });
    // Machines learn of it.
    expect(catalogue.changes(6)).toMatchObject({
      sequence: 8,
      modules: ['acme:lidar', 'acme:arm'],
    });
    catalogue.close();
  });

  it('become them without a higher generation in the file of a front: all fronts have the same numbers', () => {
    const catalogue = new Catalogue(earlierFile('0123456789abcdef'));
    const times = ['0000-01-01T00:00:00Z', '2026-11-21T01:02:03Z', '9999-12-31T23:59:59.999Z'];
    expect(listIn(catalogue, 'acme:lidar')).toEqual({ generation: 3, times });
    expect(catalogue.changes(6)).toMatchObject({ sequence: 6, modules: [] });
    catalogue.close();
  });

  it('do not keep a registry from being backed up and verified', async () => {
    const path = earlierFile(null);
    const backup = `${temporaryFolder()}/backup`;
    expect(await printed(['registry', 'backup', backup, '--db', path])).toMatchObject({ exit: 0 });
    const intact = { stderr: [], exit: 0 };
    expect(await printed(['registry', 'verify', path])).toMatchObject(intact);
    expect(await printed(['registry', 'verify', backup])).toMatchObject(intact);
  });
});

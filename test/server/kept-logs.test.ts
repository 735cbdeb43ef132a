import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { backUp } from '../../src/server/backup/backup.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { logsPath } from '../../src/server/logs/registry-logs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { line } from '../support/otlp-logs.ts';
import { LINE, logging } from './support/logging.ts';

it('[D307] a record that is sent again changes nothing, and the same id of another machine is another record', async () => {
  const { send, texts } = logging();
  expect(await send('rover-7', [line('a'), line('b')])).toEqual([200, {}]);
  expect(await send('rover-7', [line('a'), line('b'), line('c'), line('c')])).toEqual([200, {}]);
  expect(await send('rover-8', [line('a')])).toEqual([200, {}]);
  expect(await texts('?machine=rover-7')).toEqual(['c', 'b', 'a']);
  expect(await texts()).toEqual(['a', 'c', 'b', 'a']);
});

/** A record of 1,000 bytes, whose text begins with `name`. */
function kilobyte(name: string, severity: LogRecord['severity'] = 'info'): LogRecord {
  return line(name.padEnd(872, '.'), { severity });
}

const named = (texts: unknown): string =>
  (texts as string[]).map((text) => text.replace(/\.+$/, '')).join(' ');

it('[D307] what is sent again takes no room, and was received when it came first', async () => {
  const { registry, send, texts, read } = logging({ logsOfMachine: 4000 });
  const lines = ['a', 'b', 'c', 'd'].map((one) => kilobyte(one));
  await send('rover-7', lines);
  registry.now += 1000;
  for (let time = 0; time < 3; time++) expect(await send('rover-7', lines)).toEqual([200, {}]);
  expect(named(await texts())).toBe('d c b a');
  expect(await read('?machine=rover-7&limit=1')).toMatchObject({
    lines: [{ received_at: LINE.received_at }],
    dropped: null,
  });
});

it.each<[string, readonly LogRecord[], string]>([
  [
    'the oldest line is dropped first',
    ['a', 'b', 'c', 'd', 'e'].map((one) => kilobyte(one)),
    'e d c b',
  ],
  [
    'lines are dropped before a warning and an error that are older',
    [
      kilobyte('w', 'warn'),
      kilobyte('x', 'error'),
      ...['a', 'b', 'c', 'd'].map((one) => kilobyte(one)),
    ],
    'd c x w',
  ],
  [
    'warnings and errors take at most half of the room if there are other lines',
    [kilobyte('a'), kilobyte('b'), ...['v', 'w', 'x', 'y'].map((one) => kilobyte(one, 'warn'))],
    'y x b a',
  ],
  [
    'warnings alone may take all of it',
    ['v', 'w', 'x', 'y', 'z'].map((one) => kilobyte(one, 'error')),
    'z y x w',
  ],
])('[D306] of a machine with room for four lines, %s', async (_what, lines, kept) => {
  const { send, texts, read } = logging({ logsOfMachine: 4000 });
  for (const one of lines) expect(await send('rover-7', [one])).toEqual([200, {}]);
  expect(named(await texts('?machine=rover-7'))).toBe(kept);
  const count = lines.length - 4;
  expect(await read('?machine=rover-7')).toMatchObject({ dropped: { count, until: LINE.at } });
});

it('[D306] when all machines have too many lines, the one with most loses some', async () => {
  const { send, texts } = logging({ logs: 5000 });
  await send('rover-8', [kilobyte('x')]);
  for (const one of ['a', 'b', 'c', 'd', 'e']) await send('rover-7', [kilobyte(one)]);
  await send('rover-9', [kilobyte('y')]);
  expect(named(await texts())).toBe('y e d c x');
});

const WAITS =
  'nothing was stored, and the rest of the registry goes on; the log of the registry says what is wrong with the file';
const REFUSED = {
  type: 'urn:modreg:logs-unavailable',
  title: 'The registry cannot use its file of logs',
  status: 503,
  detail: WAITS,
};

it('[T710] with a damaged file of logs, logs are refused, the log says so once, and all else goes on', async () => {
  const { registry, send, read } = logging();
  const path = logsPath(registry.path);
  writeFileSync(path, 'x'.repeat(8192));
  expect(await send('rover-7', [line('a')])).toEqual([503, REFUSED]);
  expect(await send('rover-7', [line('a')])).toEqual([503, REFUSED]);
  expect(await read()).toEqual(REFUSED);
  const release = { version: '1.0.0' };
  const published = await registry.ask('POST', '/v1/modules/acme/lidar/releases', {
    body: release,
  });
  expect(published.status).toBe(201);
  writeFileSync(path, '');
  expect(await send('rover-7', [line('a')])).toEqual([200, {}]);
  expect(registry.events.map((event) => [Object(event).change, Object(event).because])).toEqual([
    ['wait', `"${path}": file is not a database`],
    [undefined, undefined],
    ['go-on', undefined],
  ]);
});

it('[T710] a file that takes the place of one with a fault is used', async () => {
  const { registry, send, texts } = logging();
  const path = logsPath(registry.path);
  await send('rover-7', [line('a')]);
  expect(await texts()).toEqual(['a']);
  const database = new DatabaseSync(path);
  database.exec('DROP TABLE records');
  database.close();
  expect(await send('rover-7', [line('b')])).toEqual([503, REFUSED]);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  expect(await send('rover-7', [line('c')])).toEqual([200, {}]);
  expect(await texts()).toEqual(['c']);
});

it('[T710] on a disk with too little space, logs are refused, and what was stored is read', async () => {
  const { registry, send, texts } = logging();
  await send('rover-7', [line('a')]);
  const full = logging({ freeDisk: Number.MAX_SAFE_INTEGER });
  expect(await full.send('rover-7', [line('a')])).toEqual([503, REFUSED]);
  expect(full.registry.events).toEqual([
    {
      kind: 'logs',
      change: 'wait',
      because: expect.stringMatching(
        /^".*": the disk has \d+ bytes free, and \d+ are needed: 9007199254740991 must stay free$/,
      ) as unknown,
    },
  ]);
  expect(await texts()).toEqual(['a']);
  expect(registry.events).toEqual([]);
});

it('[T713] counts that somebody changed in the file are corrected', async () => {
  const { registry, send, texts } = logging({ logsOfMachine: 4000 });
  await send('rover-7', [kilobyte('a')]);
  const database = new DatabaseSync(logsPath(registry.path));
  database.exec('UPDATE machines SET bytes = 99000, severe_bytes = 99000');
  database.close();
  for (const one of ['b', 'c', 'd']) await send('rover-7', [kilobyte(one)]);
  expect(named(await texts())).toBe('d c b a');
});

it('[T714] a backup leaves logs out, and a restore leaves those that are there', async () => {
  const { registry, send } = logging();
  await send('rover-7', [line('a')]);
  const folder = `${temporaryFolder()}/backup`;
  await backUp(registry.path, folder, registry.now);
  expect(readdirSync(folder).filter((name) => name.includes('logs'))).toEqual([]);
  const logs = logsPath(registry.path);
  const before = statSync(logs, { bigint: true });
  registry.catalogue.close();
  restore(folder, registry.path, { replaces: true, now: registry.now });
  const { ino, mtimeNs } = statSync(logs, { bigint: true });
  expect([ino, mtimeNs]).toEqual([before.ino, before.mtimeNs]);
});

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openLog, type LogFile } from '../../src/logs/log-file.ts';
import { LOG_LAYOUT } from '../../src/logs/log-layout.ts';
import { MOST_BYTES, MOST_RECORDS } from '../../src/logs/log-limits.ts';
import type { LogRecord, Severity } from '../../src/logs/log-record.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { temporaryFolder } from '../support/folder.ts';

const AT = 1_764_000_000_000;

function record(severity: Severity, text: string, at = AT, module = 'lidar'): LogRecord {
  return { at, severity, module, text };
}

function newLog(): { readonly path: string; readonly log: LogFile } {
  const path = `${temporaryFolder()}/logs.db`;
  return { path, log: openLog(path, 'create') };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function texts(log: LogFile, query: Parameters<LogFile['newest']>[0]): string[] {
  return log.newest(query).map(({ text }) => text);
}

describe('a log', () => {
  it('has what was added, also for another process', () => {
    const { path, log } = newLog();
    const added = [
      record('info', 'listening'),
      record('error', 'no laser'),
      { ...record('warn', 'agent'), module: undefined },
    ];
    log.append(added);
    const reader = openLog(path, 'read');
    expect(reader.newest({ count: 10 })).toEqual(
      added.map((one, place) => Object.assign({ id: place + 1 }, one)),
    );
    expect(reader.dropped()).toBe(undefined);
    reader.close();
    log.close();
  });

  it.for([
    [{ count: 2 }, ['c', 'd']],
    [{ count: 2, module: 'arm' }, ['b', 'd']],
    [{ count: 1, module: 'arm' }, ['d']],
    [{ count: 9, after: 2 }, ['c', 'd']],
    [{ count: 9, module: 'lidar', after: 1 }, ['c']],
    [{ count: 9, module: 'base' }, []],
  ] as const)('returns the newest %o', ([query, expected]) => {
    const { log } = newLog();
    const modules = ['lidar', 'arm', 'lidar', 'arm'];
    log.append(
      modules.map((module, place) => record('info', 'abcd'.charAt(place), AT + place, module)),
    );
    expect(texts(log, query)).toEqual(expected);
    log.close();
  });

  it('keeps all errors of a flood, and counts what it dropped (T63)', () => {
    const { log } = newLog();
    const total = 50_000;
    const batch = 500;
    for (let first = 0; first < total; first += batch) {
      log.append(
        Array.from({ length: batch }, (_, place) =>
          record(
            (first + place) % 50 === 0 ? 'error' : 'info',
            `${first + place}`,
            AT + first + place,
          ),
        ),
      );
    }
    const kept = log.newest({ count: total });
    expect(kept).toHaveLength(MOST_RECORDS);
    expect(kept.filter(({ severity }) => severity === 'error')).toHaveLength(total / 50);
    expect(log.dropped()?.count).toBe(total - MOST_RECORDS);
    // Of the others, the newest are left.
    const oldest = kept.find(({ severity }) => severity === 'info');
    expect(log.dropped()?.newestAt).toBe((oldest?.at ?? 0) - 1);
    log.close();
  });

  it('drops the oldest errors if there is nothing else', () => {
    const { log } = newLog();
    const errors = Array.from({ length: MOST_RECORDS + 2 }, (_, place) =>
      record('error', `${place}`),
    );
    log.append(errors);
    log.append([record('info', 'too little')]);
    expect(texts(log, { count: MOST_RECORDS }).slice(0, 1)).toEqual(['2']);
    expect(texts(log, { count: 1 })).toEqual([`${MOST_RECORDS + 1}`]);
    expect(log.dropped()).toEqual({ count: 3, newestAt: AT });
    log.close();
  });

  it.for([100, 1000, 1300, 16_384])(
    'with lines of %i bytes is bounded, and its files take less than 8 MiB',
    (bytes) => {
      const { path, log } = newLog();
      const text = 'x'.repeat(bytes);
      let largest = 0;
      const count = Math.min(2 * MOST_RECORDS, Math.ceil((3 * MOST_BYTES) / bytes));
      for (let added = 0; added < count; added += 64) {
        log.append(Array.from({ length: 64 }, () => record('info', text)));
        const sizes = ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix).size);
        largest = Math.max(largest, sum(sizes));
      }
      const most = Math.min(MOST_RECORDS, Math.floor(MOST_BYTES / (bytes + 64)));
      expect(log.newest({ count: MOST_RECORDS + 1 })).toHaveLength(most);
      log.close();
      expect(largest).toBeLessThan(8 * 1024 * 1024);
    },
  );

  it('drops what was sent before what is as severe, or one step less', () => {
    const { log } = newLog();
    const add = (severity: Severity, count: number): void => {
      log.append(Array.from({ length: count }, () => record(severity, 'a')));
    };
    const third = Math.floor(MOST_RECORDS / 3);
    for (const severity of ['info', 'warn', 'error'] as const) add(severity, third);
    const [last] = log.newest({ count: 1 });
    log.passed(last?.id, { kind: 'sent', at: AT, droppedReported: 0, rejected: 0 });
    const left = (): string => {
      const position = last?.id ?? 0;
      const kinds = log
        .newest({ count: MOST_RECORDS })
        .map(({ id, severity }) => `${id > position ? 'unsent' : 'sent'} ${severity}`);
      return Array.from(
        Map.groupBy(kinds, (kind) => kind),
        ([kind, all]) => `${all.length} ${kind}`,
      ).join(', ');
    };
    add('info', MOST_RECORDS - 3 * third);
    const steps = [
      ['info', third],
      ['info', third],
      ['warn', third + 1],
      ['error', third + 1],
      ['error', third],
      ['error', 10],
    ] as const;
    const seen = steps.map(([severity, count]) => {
      add(severity, count);
      return left();
    });
    expect(seen).toEqual([
      '3333 sent warn, 3333 sent error, 3334 unsent info',
      '3333 sent error, 6667 unsent info',
      '3333 sent error, 3333 unsent info, 3334 unsent warn',
      '3332 sent error, 3334 unsent warn, 3334 unsent error',
      '3333 unsent warn, 6667 unsent error',
      '3323 unsent warn, 6677 unsent error',
    ]);
    // 6,667 lines of info and 11 warnings: those that were sent do not count.
    expect(log.delivery().dropped.count).toBe(6678);
    log.close();
  });

  it('says until when lines were dropped before they were sent, although a less severe one was older', () => {
    const { log } = newLog();
    const filled = Array.from({ length: MOST_RECORDS - 1 }, () => record('warn', 'a', AT));
    log.append([...filled, record('info', 'b', AT + 1000)]);
    for (const _ of [1, 2]) log.append([record('error', 'c', AT + 2000)]);
    expect(log.dropped()).toEqual({ count: 2, newestAt: AT + 1000 });
    expect(log.delivery().dropped).toEqual({ count: 2, newestAt: AT + 1000 });
    log.close();
  });

  it('is not sent again because of what says only how many lines were dropped', () => {
    const { log } = newLog();
    log.append([record('info', 'a'), record('info', 'b')]);
    log.passed(2, { kind: 'sent', at: AT, droppedReported: 0, rejected: 0 });
    log.passed(undefined, { kind: 'sent', at: AT, droppedReported: 1, rejected: 0 });
    expect(log.unsent(10)).toEqual([]);
    log.close();
  });

  it('counts what a file has that is opened again', () => {
    const { path, log } = newLog();
    log.append(Array.from({ length: MOST_RECORDS }, (_, place) => record('info', `${place}`)));
    log.close();
    const again = openLog(path, 'create');
    again.append([record('info', 'last')]);
    expect(texts(again, { count: MOST_RECORDS }).slice(0, 1)).toEqual(['1']);
    expect(again.dropped()?.count).toBe(1);
    again.close();
  });

  it('of an earlier modreg has its lines, and they are to be sent', () => {
    const path = `${temporaryFolder()}/logs.db`;
    const earlier = { ...LOG_LAYOUT, migrations: LOG_LAYOUT.migrations.slice(0, 1) };
    const database = openDatabase(path, earlier, { mode: 'create', busyTimeoutMs: 0 });
    database.exec(`INSERT INTO records (at, severity, module, text, bytes)
      VALUES (${AT}, 2, 'lidar', 'no laser', 72)`);
    database.close();
    const log = openLog(path, 'create');
    const expected = [{ id: 1, ...record('error', 'no laser') }];
    expect(log.newest({ count: 9 })).toEqual(expected);
    expect(log.unsent(9)).toEqual(expected);
    log.close();
  });

  it('is private to its owner', () => {
    const { path, log } = newLog();
    log.append([record('info', 'listening')]);
    log.close();
    expect(statSync(path).mode.toString(8)).toBe('100600');
  });

  it('of another program is refused, and left as it is', () => {
    const path = `${temporaryFolder()}/logs.db`;
    writeFileSync(path, 'not a log');
    expect(() => openLog(path, 'create')).toThrow(`"${path}"`);
    expect(readFileSync(path, 'utf8')).toBe('not a log');
  });
});

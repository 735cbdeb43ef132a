import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openLog, type LogFile } from '../../src/logs/log-file.ts';
import { MOST_BYTES, MOST_RECORDS } from '../../src/logs/log-limits.ts';
import type { LogRecord, Severity } from '../../src/logs/log-record.ts';
import { temporaryFolder } from '../support/folder.ts';

const AT = 1_764_000_000_000;

function record(severity: Severity, text: string, at = AT, module = 'lidar'): LogRecord {
  return { at, severity, module, text };
}

function newLog(): { readonly path: string; readonly log: LogFile } {
  const path = `${temporaryFolder()}/logs.db`;
  return { path, log: openLog(path, 'create') };
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

  it('keeps all errors of a flood, and counts what it dropped', () => {
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

  it('is bounded in bytes, and so is its file', () => {
    const { path, log } = newLog();
    const text = 'x'.repeat(16_384);
    for (let count = 0; count < 1000; count++) log.append([record('info', text)]);
    const kept = log.newest({ count: MOST_RECORDS });
    expect(kept).toHaveLength(Math.floor(MOST_BYTES / (16_384 + 64)));
    log.close();
    expect(statSync(path).size).toBeLessThan(1.3 * MOST_BYTES);
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

import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openLog } from '../../src/logs/log-file.ts';
import type { LogRecord, Severity } from '../../src/logs/log-record.ts';
import { logWriter } from '../../src/logs/log-writer.ts';
import { temporaryFolder } from '../support/folder.ts';

const AT = 1_764_000_000_000;

function record(severity: Severity, text: string): LogRecord {
  return { at: AT, severity, module: 'lidar', text };
}

function linesIn(path: string): string[] {
  const log = openLog(path, 'read');
  try {
    return log.newest({ count: 100 }).map(({ severity, text }) => `${severity} ${text}`);
  } finally {
    log.close();
  }
}

function unexpected(reason: string): never {
  throw new Error(reason);
}

/** Resolves once what is urgent was written. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('the writer of a log', () => {
  it('writes a warning at once, with what waits before it', async () => {
    const path = `${temporaryFolder()}/logs.db`;
    const writer = logWriter(path, unexpected);
    writer.write(record('info', 'one'));
    writer.write(record('warn', 'two'));
    writer.write(record('info', 'three'));
    await nextTurn();
    expect(linesIn(path)).toEqual(['info one', 'warn two', 'info three']);
    writer.write(record('info', 'four'));
    await nextTurn();
    expect(linesIn(path)).toHaveLength(3);
    writer.close();
    expect(linesIn(path)).toEqual(['info one', 'warn two', 'info three', 'info four']);
  });

  it('writes other lines within a second', async () => {
    const path = `${temporaryFolder()}/logs.db`;
    const writer = logWriter(path, unexpected);
    writer.write(record('info', 'one'));
    await expect.poll(() => linesIn(path)).toEqual(['info one']);
    writer.close();
  });

  it('sets a damaged log aside, and begins a new one', async () => {
    const path = `${temporaryFolder()}/logs.db`;
    writeFileSync(path, 'damaged'.repeat(1000));
    const troubles: string[] = [];
    const writer = logWriter(path, (reason) => troubles.push(reason));
    writer.write(record('warn', 'one'));
    await nextTurn();
    expect(troubles).toEqual([
      `"${path}": file is not a database; it is now "${path}.damaged", and a new log begins`,
    ]);
    expect(linesIn(path)).toEqual(['warn one']);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('damaged'.repeat(1000));
    writer.close();
  });

  it('sets a log aside that is damaged while it is written, and goes on with a new one', async () => {
    const path = `${temporaryFolder()}/logs.db`;
    const troubles: string[] = [];
    const writer = logWriter(path, (reason) => troubles.push(reason));
    writer.write(record('warn', 'one'));
    await nextTurn();
    const other = new DatabaseSync(path, { defensive: false });
    other.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET rootpage = 9999 WHERE name = 'records'; PRAGMA schema_version = 99`);
    other.close();
    for (const text of ['two', 'three']) {
      writer.write(record('warn', text));
      await nextTurn();
    }
    expect(troubles).toEqual([
      `"${path}": malformed database schema (records) - invalid rootpage; it is now "${path}.damaged", and a new log begins`,
    ]);
    expect(linesIn(path)).toEqual(['warn two', 'warn three']);
    writer.close();
  });

  it('says once what is in the way, and then how many lines are missing', async () => {
    const path = `${temporaryFolder()}/logs.db`;
    mkdirSync(path);
    const troubles: string[] = [];
    const writer = logWriter(path, (reason) => troubles.push(reason));
    for (const text of ['one', 'two']) {
      writer.write(record('warn', text));
      await nextTurn();
    }
    expect(troubles).toEqual([
      `"${path}": unable to open database file; lines will be missing in the log`,
    ]);
    rmdirSync(path);
    writer.write(record('warn', 'three'));
    await nextTurn();
    expect(linesIn(path)).toEqual([
      'warn 2 lines are missing: they could not be written',
      'warn three',
    ]);
    writer.close();
  });
});

import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import type { NewRolloutEvent } from '../../src/server/catalogue/rollout-event.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { moduleId } from '../support/ask.ts';
import { NOON, publish, sql } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR = moduleId('acme:lidar');
const FAILURES = { failed: 2, silent: 0 };

/** A registry whose rollout of 1.0.0 was started (row 2), halted (row 3), resumed and halted again (row 5). */
function halted(): string {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const release = readRelease({ version: '1.0.0', rollout: { soak_ms: 60_000 } });
  if (!release.ok) throw new Error(release.error.join());
  expect(catalogue.publish(LIDAR, release.value, NOON)).toBe('published');
  const write = (event: NewRolloutEvent): void => {
    const change = { moduleId: LIDAR, version: '1.0.0', event, soakMs: undefined };
    expect(catalogue.apply({ kind: 'rollout', ...change })).toMatchObject({ ok: true });
  };
  const halt = { kind: 'halted', at: NOON, because: '2 failed', failures: FAILURES } as const;
  write({ ...halt, after: 2 });
  write({ kind: 'resumed', after: 3, at: NOON, acknowledged: FAILURES });
  write({ ...halt, after: 4 });
  catalogue.close();
  return path;
}

/** The list of a registry as clients get it, or the error that they get instead of it. */
function listed(path: string): string {
  const catalogue = new Catalogue(path);
  try {
    return Buffer.from(catalogue.document(LIDAR)?.bytes ?? []).toString();
  } catch (error) {
    return String(error);
  } finally {
    catalogue.close();
  }
}

describe('[T200] a damaged row of a rollout', () => {
  it.each<[string, string, string]>([
    [
      'an empty object',
      `content = '{}' WHERE sequence = 5`,
      'row 5 of rollout_events, column content: /because: required; /failures: required',
    ],
    [
      'no JSON',
      `content = 'x' WHERE sequence = 2`,
      'row 2 of rollout_events, column content: it is not JSON',
    ],
    [
      'a list',
      `content = '[]' WHERE sequence = 2`,
      'row 2 of rollout_events, column content: it is not a JSON object',
    ],
    [
      'a kind with one other bit',
      `kind = 'haltee' WHERE sequence = 5`,
      'row 5 of rollout_events, column kind: expected started, raised, halted, resumed, completed, retracted',
    ],
    [
      'a field with one other bit',
      `content = replace(content, 'soakMs', 'soakMr') WHERE sequence = 2`,
      'row 2 of rollout_events, column content: /soakMr: unknown field; an event has salt, percent, share, first if it is started',
    ],
    [
      'a share above 1',
      `content = json_set(content, '$.share', 4) WHERE sequence = 2`,
      'row 2 of rollout_events, column content: /share: expected a share up to 1',
    ],
    [
      'a share below 0',
      `content = json_set(content, '$.share', -1) WHERE sequence = 2`,
      'row 2 of rollout_events, column content: /share: expected a share from 0',
    ],
    [
      'a percentage above 100',
      `content = json_set(content, '$.percent', 101) WHERE sequence = 2`,
      'row 2 of rollout_events, column content: /percent: expected a percentage up to 100',
    ],
    [
      'a percentage below 0',
      `content = json_set(content, '$.percent', -1) WHERE sequence = 2`,
      'row 2 of rollout_events, column content: /percent: expected a percentage from 0',
    ],
    [
      'a count below 0',
      `content = json_set(content, '$.failures.failed', -1) WHERE sequence = 5`,
      'row 5 of rollout_events, column content: /failures/failed: expected a whole number from 0',
    ],
    [
      'a count that is none',
      `content = json_set(content, '$.failures.silent', 0.5) WHERE sequence = 5`,
      'row 5 of rollout_events, column content: /failures/silent: expected a whole number from 0',
    ],
    [
      'another predecessor',
      'after = 3 WHERE sequence = 5',
      'row 5 of rollout_events: halted cannot follow the row before it: stale',
    ],
    [
      'another event',
      `kind = 'completed', content = '{}' WHERE sequence = 4`,
      'row 4 of rollout_events: completed cannot follow the row before it: not-running',
    ],
  ])('%s is reported, and the release is not listed without its rollout', (_, change, found) => {
    const path = halted();
    publish(path, 'acme:zoom', '1.0.0');
    sql(path, `UPDATE rollout_events SET ${change}`);
    sql(path, `UPDATE releases SET version = '1' WHERE id = 2`);
    expect(listed(path)).toBe(`DatabaseError: "${path}": ${found}`);
    // What is wrong elsewhere is named, too.
    expect(checkRegistry(path).findings).toEqual([
      `"${path}": ${found}`,
      'acme:zoom: /releases/0/version is "1"',
      'acme:zoom: /releases/0/version: "1" is not a version',
    ]);
  });

  it('a row that is missing is reported', () => {
    const path = halted();
    sql(path, 'DELETE FROM rollout_events WHERE sequence = 4');
    const found = `"${path}": row 5 of rollout_events: halted cannot follow the row before it: stale`;
    expect([listed(path), checkRegistry(path).findings]).toEqual([
      `DatabaseError: ${found}`,
      [found],
    ]);
  });

  it('a row that names another module is reported', () => {
    const path = halted();
    publish(path, 'acme:zoom', '1.0.0');
    sql(path, 'UPDATE rollout_events SET module = 2 WHERE sequence = 5');
    expect(checkRegistry(path).findings).toEqual([
      `"${path}": row 5 of rollout_events: it names module 2, and its release is one of module 1`,
      `"${path}": row 5 of rollout_events: halted cannot follow the row before it: stale`,
    ]);
  });

  it('no flipped bit of its kind, or of a name in its content, shows the release to more machines', () => {
    const path = halted();
    const before = listed(path);
    const damagedRow = `DatabaseError: "${path}": row 5 of rollout_events, column `;
    const row = texts(path);
    for (const column of ['kind', 'content'] as const) {
      const all = flippedBits(row[column]);
      // Each opens the file: of the content, every fifth is enough.
      for (const damaged of all.filter((_, place) => column === 'kind' || place % 5 === 0)) {
        set(path, column, damaged);
        const after = listed(path);
        const keepsHalt = after.startsWith('{') && isHalted(after);
        expect(keepsHalt ? damagedRow : after).toContain(damagedRow);
      }
      set(path, column, row[column]);
    }
    expect(listed(path)).toBe(before);
  });
});

/** Whether a list shows the release as halted. */
function isHalted(list: string): boolean {
  const { releases } = JSON.parse(list) as { releases: { rollout?: { halted?: unknown } }[] };
  return releases.every(({ rollout }) => rollout?.halted !== undefined);
}

function texts(path: string): { readonly kind: string; readonly content: string } {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT kind, content FROM rollout_events WHERE sequence = 5').get();
  database.close();
  return { kind: String(row?.['kind']), content: String(row?.['content']) };
}

function set(path: string, column: 'kind' | 'content', text: string): void {
  const database = new DatabaseSync(path);
  database.prepare(`UPDATE rollout_events SET ${column} = ? WHERE sequence = 5`).run(text);
  database.close();
}

/** An ASCII text with each of its bits flipped but the first of each byte, which would not be UTF-8. */
function flippedBits(text: string): string[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: bytes.length * 7 }, (_, place) => {
    const damaged = Buffer.from(bytes);
    const at = Math.floor(place / 7);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (place % 7));
    return damaged.toString();
  });
}

import { describe, expect, it } from 'vitest';
import { noteDecisions, type NotedDecisions } from '../../src/store/decision-history.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { noteOrigin } from '../../src/registry/list-origin.ts';
import { claimed, LIDAR } from '../support/claimed.ts';
import { moduleQuestion, openFrom, type Situation } from '../support/decided.ts';
import { DAY, NOW } from '../support/decides.ts';
import { logged } from '../support/machine-home.ts';
import { history, HOUR, log, logInput, UPGRADE } from './support/logged-history.ts';

/** An error that takes at least this many bytes in an entry: it is the reason, as text and as data, and a fact. */
function errorOf(bytes: number): { error: { kind: string; message: string } } {
  return { error: { kind: 'registry-unreachable', message: 'x'.repeat(bytes / 3) } };
}

/** An entry of 1970. */
const INSERT_OLD = `
  INSERT INTO decision_history (kind, name, at, change, bytes, first)
  VALUES ('module', 'arm', 0, ?, 0, '{}')`;

const CLOSED = openFrom([NOW + 10 * HOUR, NOW + 11 * HOUR], [NOW + 34 * HOUR, NOW + 35 * HOUR]);

const SEEN = { since: NOW, added: new Map([['1.1.0', { after: 1, at: 2 }]]) };

/** Open now. Each has functions of its own. */
function openWindow(): NonNullable<Situation['timing']> {
  return { window: openFrom([NOW - DAY, NOW + DAY]) };
}

describe('the history of decisions', () => {
  it.each([
    ['the same decision', UPGRADE, []],
    ['another deployed version', { ...UPGRADE, deployed: '1.0.1' }, ['2 to 2: hold 1.0.1']],
    ['another target', { ...UPGRADE, list: ['1.2.0'] }, ['2 to 2: hold 1.0.0']],
    ['another word', { ...UPGRADE, list: ['1.0.0'] }, ['2 to 2: up-to-date 1.0.0']],
    [
      'another reason',
      { ...UPGRADE, timing: { window: CLOSED, isServerBusy: true } },
      ['2 to 2: hold 1.0.0'],
    ],
  ])('has one more for %s', (_, situation: Situation, more) => {
    const { state } = claimed(':memory:');
    const timing = { window: CLOSED };
    log(state, NOW, { ...UPGRADE, timing });
    log(state, NOW + 2 * HOUR, { timing, ...situation });
    expect(history(state)).toEqual(['0 to 0: hold 1.0.0', ...more]);
  });

  it('has no other for a new time of the same hold', () => {
    const { state } = claimed(':memory:');
    const later = openFrom([NOW + 20 * HOUR, NOW + 21 * HOUR]);
    log(state, NOW, { ...UPGRADE, timing: { window: CLOSED } });
    log(state, NOW + HOUR, { ...UPGRADE, timing: { window: later } });
    expect(history(state)).toHaveLength(1);
  });

  it.each([
    ['the terms', { ...UPGRADE, timing: { restartCeiling: 3 } }, '0 to 2: upgrade 1.0.0'],
    ['the list', { ...UPGRADE, list: ['1.1.0', '1.0.0', '0.9.0'] }, '0 to 2: upgrade 1.0.0'],
    [
      'the latest time of publication',
      { ...UPGRADE, eligibility: { notAfter: NOW + DAY } },
      '0 to 2: upgrade 1.0.0',
    ],
    ['nothing but the time', UPGRADE, '0 to 0: upgrade 1.0.0'],
  ])('keeps the facts of a decision up to date: %s', (_, situation: Situation, expected) => {
    const { state } = claimed(':memory:');
    log(state, NOW, UPGRADE);
    log(state, NOW + 2 * HOUR, situation);
    expect(history(state)).toEqual([expected]);
  });

  it.each<[string, Partial<Situation>, Partial<Situation>, string]>([
    [
      'the same window, computed again',
      { timing: openWindow() },
      { timing: openWindow() },
      '0 to 0',
    ],
    ['a window that ended', { timing: openWindow() }, {}, '0 to 2'],
    [
      'a first list that was read again',
      { firstSeen: SEEN },
      { firstSeen: { ...SEEN, since: NOW + 1 } },
      '0 to 0',
    ],
    [
      'a release that was first seen',
      { firstSeen: { ...SEEN, added: new Map() } },
      { firstSeen: SEEN },
      '0 to 2',
    ],
    ['a fact that no longer exists', { eligibility: { notAfter: NOW + DAY } }, {}, '0 to 2'],
  ])('has the facts of their last change: %s', (_, before, after, expected) => {
    const { state } = claimed(':memory:');
    log(state, NOW, { ...UPGRADE, ...before });
    log(state, NOW + 2 * HOUR, { ...UPGRADE, ...after });
    expect(history(state)).toEqual([`${expected}: upgrade 1.0.0`]);
  });

  it.each([
    ['of the same origin', 'aa', '0 to 0'],
    ['with another digest', 'bb', '0 to 2'],
  ])('has the facts of their last change: a list %s', (_, digest, expected) => {
    const { state } = claimed(':memory:');
    for (const [hour, origin] of [
      [0, 'aa'],
      [2, digest],
    ] as const) {
      const input = moduleQuestion({ ...UPGRADE, eligibility: { now: NOW + hour * HOUR } });
      if ('index' in input.list) noteOrigin(input.list.index, { address: 'lists', digest: origin });
      logInput(state, 'lidar', input);
    }
    expect(history(state)).toEqual([`${expected}: upgrade 1.0.0`]);
  });

  it.each<[string, Partial<LoggedDecision>]>([
    ['decision', { decision: 'hold' }],
    ['target', { target: '1.1.0+b' }],
    ['constraint', { constraint: '1.x' }],
    ['dependency', { reason: 'due; waits for acme_arm', waitsFor: 'acme_arm' }],
  ])('has one more for the same facts and another %s', (_, other) => {
    const { state } = claimed(':memory:');
    const input = moduleQuestion(UPGRADE);
    logInput(state, 'lidar', input);
    logInput(state, 'lidar', input, other);
    expect(state.history(LIDAR).map(({ first }) => first)).toMatchObject([{}, other]);
  });

  it('counts the bytes of both facts of a decision', () => {
    const { state, sql } = claimed(':memory:');
    log(state, NOW, UPGRADE);
    log(state, NOW + HOUR, { ...UPGRADE, timing: { restartCeiling: 3 } });
    const counted = sql.all(
      'SELECT bytes - length(first) - length(last) AS bytes FROM decision_history',
    );
    expect(counted).toEqual([{ bytes: 0 }]);
  });

  it('continues in the next process', () => {
    const file = claimed();
    const { path } = file;
    log(file.state, NOW, UPGRADE);
    file.close();
    const next = claimed(path).state;
    log(next, NOW + HOUR, UPGRADE);
    log(next, NOW + 2 * HOUR, { ...UPGRADE, deployed: '1.1.0' });
    expect(history(next)).toEqual(['0 to 1: upgrade 1.0.0', '2 to 2: up-to-date 1.1.0']);
  });

  it('writes nothing while nothing changes', () => {
    const { state, sql } = claimed(':memory:');
    const input = moduleQuestion(UPGRADE);
    const written = () => Number(sql.get('SELECT total_changes() AS changes')?.['changes']);
    const counts = [0, 1, 2].map((hour) => {
      const before = written();
      logInput(state, 'lidar', {
        ...input,
        eligibility: { ...input.eligibility, now: NOW + hour * HOUR },
      });
      return written() - before;
    });
    // The round is written each time, and each row is written again with its checksum.
    expect(counts).toEqual([6, 2, 2]);
  });

  it('keeps 90 days, and the newest decision of each target', () => {
    const { state } = claimed(':memory:');
    log(state, NOW, UPGRADE, 'arm');
    log(state, NOW, UPGRADE);
    log(state, NOW + HOUR, { ...UPGRADE, deployed: '1.1.0' });
    log(state, NOW + 90 * DAY + HOUR, UPGRADE);
    expect(history(state)).toEqual(['1 to 1: up-to-date 1.1.0', '2161 to 2161: upgrade 1.0.0']);
    expect(history(state, 'arm')).toEqual(['0 to 0: upgrade 1.0.0']);
  });

  it('keeps 32 MiB, and the newest decision of each target', () => {
    const { state } = claimed(':memory:');
    const message = 'x'.repeat(4 * 1024 * 1024);
    const large = (kind: string): Situation => ({
      ...UPGRADE,
      list: { error: { kind, message: `${kind} ${message}` } },
    });
    log(state, NOW, large('first'), 'arm');
    for (const hour of [1, 2, 3]) log(state, NOW + hour * HOUR, large(`number ${hour}`));
    // Each has its error three times: as the reason, as text and as data, and as a fact.
    expect(history(state)).toEqual(['2 to 2: stuck 1.0.0', '3 to 3: stuck 1.0.0']);
    expect(history(state, 'arm')).toEqual(['0 to 0: stuck 1.0.0']);
  });

  it.each<[string, number, Partial<Situation>, string[]]>([
    ['less than an hour later', HOUR - 1, {}, ['old', 'newest']],
    ['an hour later', HOUR, {}, ['newest']],
    ['after the clock was set back by an hour', -HOUR, {}, ['newest']],
    ['after a megabyte', 1, { list: errorOf(1024 * 1024) }, ['newest']],
    ['after half a megabyte', 1, { list: errorOf(200 * 1024) }, ['old', 'newest']],
  ])('removes what is too old %s', (_, ms, situation, kept) => {
    const { state, sql } = claimed(':memory:');
    log(state, NOW, UPGRADE);
    for (const change of ['old', 'newest']) sql.run(INSERT_OLD, change);
    log(state, NOW + ms, { ...UPGRADE, deployed: '1.0.1', ...situation });
    const changes = sql.all("SELECT change FROM decision_history WHERE name = 'arm' ORDER BY id");
    expect(changes.map(({ change }) => change)).toEqual(kept);
  });

  it('removes what is too old once a megabyte was added in several entries', () => {
    const { state, sql } = claimed(':memory:');
    log(state, NOW, UPGRADE);
    for (const change of ['old', 'newest']) sql.run(INSERT_OLD, change);
    const counts = [1, 2, 3].map((hundredths) => {
      const deployed = `1.0.${hundredths}`;
      log(state, NOW + hundredths, { ...UPGRADE, deployed, list: errorOf(400 * 1024) });
      return sql.get("SELECT count(*) AS entries FROM decision_history WHERE name = 'arm'");
    });
    expect(counts).toEqual([{ entries: 2 }, { entries: 2 }, { entries: 1 }]);
  });

  it.each([
    ['exactly', 0, 1],
    ['a byte more than', 1, 0],
  ])('if it has %s 32 MiB, it keeps the oldest entry', (_, more, kept) => {
    const { state, sql } = claimed(':memory:');
    log(state, NOW, UPGRADE);
    log(state, NOW + 1, { ...UPGRADE, deployed: '1.0.1' });
    // The third entry is as long as the second one.
    sql.run(
      'UPDATE decision_history SET bytes = ? - 2 * (SELECT bytes FROM decision_history WHERE id = 2) WHERE id = 1',
      32 * 1024 * 1024 + more,
    );
    log(state, NOW + HOUR, { ...UPGRADE, deployed: '1.0.2' });
    expect(history(state)).toHaveLength(kept + 2);
  });

  it.each([
    [0, 'removes'],
    [1, 'keeps'],
  ])('%i bytes before a megabyte was added, it %s what is too old', (missing, expected) => {
    const { sql } = claimed(':memory:');
    const input = moduleQuestion({ ...UPGRADE, eligibility: { now: NOW } });
    const inputs = new Map([['module lidar', input]]);
    const add = (before: NotedDecisions): NotedDecisions =>
      noteDecisions(sql, [logged('lidar')], inputs, before);
    const none = { newest: new Map(), prunedAt: NOW, unpruned: 0 };
    const { unpruned: bytes } = add(none);
    const { unpruned } = add({ ...none, unpruned: 1024 * 1024 - bytes - missing });
    expect(unpruned === 0 ? 'removes' : 'keeps').toBe(expected);
  });

  it('has targets that the machine no longer has', () => {
    const { state } = claimed(':memory:');
    log(state, NOW, UPGRADE);
    state.log([], { at: 1, trouble: undefined });
    expect(state.newestInHistory().map(({ name }) => name)).toEqual(['lidar']);
    expect(state.history(LIDAR)).toHaveLength(1);
  });
});

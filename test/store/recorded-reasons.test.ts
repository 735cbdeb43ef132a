import { expect, it } from 'vitest';
import { passing, say, toldAs } from '../../src/core/text/time-words.ts';
import { moduleListOf } from '../../src/registry/module-list.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { staleOnError } from '../../src/registry/stale-on-error.ts';
import { claimed } from '../support/claimed.ts';
import { DAY, NOW } from '../support/decides.ts';
import { history, HOUR, log, UPGRADE } from './support/logged-history.ts';

it.each<[string, string, number]>([
  ['no answer within 10 min', 'no answer within 10 min', 1],
  ['no answer within 10 min', 'no answer within 20 min', 2],
  ['expired at 2026-11-20T10:00:00Z', 'expired at 2026-11-20T11:00:00Z', 2],
])('[D65] the history has for "%s" and "%s", as a registry wrote them: %i', (one, other, rows) => {
  const { state } = claimed();
  const kind = 'registry-timeout';
  log(state, NOW, { ...UPGRADE, list: { error: { kind, message: one } } });
  log(state, NOW + HOUR, { ...UPGRADE, list: { error: { kind, message: other } } });
  expect(history(state)).toHaveLength(rows);
});

it('[D65] the history has no other while the age of a saved list grows, and the registry asks to retry later', () => {
  const { state } = claimed();
  for (const [hour, age] of ['8 d', '8 d 1 h'].entries()) {
    const busy = toldAs(say`busy, and asks to retry after ${passing(`${hour} s`)}`);
    const error = new RegistryError('registry-busy', busy.text, { words: busy.words });
    const list = { records: [], dropped: [], lost: new Map(), confirmedAt: NOW - 8 * DAY } as never;
    const from = { list, from: 'a registry', now: NOW + hour * HOUR, maxIndexAgeMs: DAY };
    const result = moduleListOf(staleOnError(error, from));
    if (!('error' in result)) throw new Error('expected an error');
    expect(result.error.message).toBe(
      `${busy.text}; the saved list was confirmed ${age} ago (limit 1 d)`,
    );
    log(state, NOW + hour * HOUR, { ...UPGRADE, list: result });
  }
  expect(history(state)).toEqual(['0 to 1: stuck 1.0.0']);
});

import { describe, expect, it } from 'vitest';
import { fitOf, ranked, type Place, type Words } from '../../tools/site/browser/ranking.ts';

const PLACES: readonly Place[] = [
  ['design/faults.html#T30', 'T30: a quarantine that ends while a plan is made', ''],
  ['design/decision-table.html#D13', 'D13: a version failed: quarantine', ''],
  ['operating.html#quarantine', 'Operating machines: Quarantine', ''],
  ['api/core.html#quarantined', 'modreg: Quarantined', ''],
  ['changelog.html#added', 'Changelog: Added', ''],
  ['embedding.html', 'Embedding modreg', ''],
];
const OF_Q: Words = { quarantine: [0, 1, 2, 4, 5], quarantined: [3], quantity: [4] };
const OF_D: Words = { d13: [1, 2], d130: [4] };

/** The addresses that are found, best first. */
function found(word: string, words: Words): string[] {
  return ranked(PLACES, [word], [fitOf(word, words)]).map(([address]) => address);
}

const BEST_FIRST = [
  'operating.html#quarantine',
  'api/core.html#quarantined',
  'embedding.html',
  'design/faults.html#T30',
  'design/decision-table.html#D13',
  'changelog.html#added',
];

describe('[D319] the search of the site', () => {
  it.each([
    ['a whole word', 'quarantine'],
    ['a wrong letter', 'quarentine'],
    ['a letter too much', 'quarrantine'],
    ['a missing letter', 'quarntine'],
    ['two swapped letters', 'qaurantine'],
    ['the beginning of a word, with a wrong letter', 'quarent'],
  ])('finds guides and the API before rows: %s', (_what, word) => {
    expect(found(word, OF_Q).toSorted()).toEqual(BEST_FIRST.toSorted());
    expect(found(word, OF_Q)[0]).toBe('operating.html#quarantine');
    expect(found(word, OF_Q).indexOf('design/faults.html#T30')).toBeGreaterThan(1);
  });

  it('ranks all places of a word', () => {
    expect(found('quarantine', OF_Q)).toEqual(BEST_FIRST);
  });

  it.each([
    ['two errors', 'quorentine'],
    ['a short word', 'quay'],
  ])('finds nothing for %s', (_what, word) => {
    expect(found(word, OF_Q)).toEqual([]);
  });

  it('adds words with an error where few places have the word itself', () => {
    const words = { maintenence: [4], maintenance: [2] };
    expect(found('maintenence', words)).toEqual([
      'operating.html#quarantine',
      'changelog.html#added',
    ]);
  });

  it('finds the row of an id first, and no id that is like it', () => {
    expect(found('d13', OF_D)[0]).toBe('design/decision-table.html#D13');
    expect(found('d1300', { d130: [4], d1301: [1] })).toEqual([]);
    expect(found('d131', OF_D)).toEqual([]);
  });
});

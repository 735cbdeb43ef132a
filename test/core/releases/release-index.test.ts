import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, indexReleases, parseVersion, resolve } from '../../../src/core/index.ts';
import { mismatch } from '../../../src/core/version/constraint.ts';
import { constraintTexts, versionTexts } from '../../support/arbitrary.ts';
import { chosen, constraint, refusals } from '../../support/ask.ts';

describe('a list of versions without records', () => {
  it.each([
    [
      'selects the newest',
      ['1.9.0', '1.10.0', '1.2.0'],
      '1.10.0',
      ['1.9.0: older', '1.2.0: older'],
    ],
    [
      'refuses text that is not a version',
      ['v1.0.0', '1.0.0'],
      '1.0.0',
      ['v1.0.0: not-a-version', 'v1.0.0: not-a-version'],
    ],
    [
      'merges an entry with a record of the same version',
      ['1.0.0', '1.1.0'],
      '1.0.0',
      ['1.1.0: yanked'],
    ],
  ])('%s', (_, versions, version, refused) => {
    const records = versions.map((text) =>
      text === '1.1.0' ? { version: text, yanked: '' } : text,
    );
    const index = indexReleases([...records, ...versions]);
    const resolution = resolve(constraint('latest'), index);
    expect([index.published, chosen(resolution), refusals(resolution)]).toEqual([
      2 * versions.length,
      version,
      refused,
    ]);
  });
});

/** Text whose first characters look like those of a high version. */
const lookalikes = fc.constantFrom(
  '',
  '.',
  '9',
  '9.',
  '9.9',
  '9.9.',
  '09.9.9',
  '9.09.9',
  '9.9.09',
  '9.9.9.9',
  '9.9.9_1',
  'v9.9.9',
  '-9.9.9',
  '9.9.9-',
  '9.9.9+',
  '9007199254740992.0.0',
  '9007199254740991.9007199254740991.9007199254740991',
  '9'.repeat(300),
  '9.9.9-01',
);

it('the first query selects the highest accepted version, whatever the order of the list', () => {
  const orders = fc.constantFrom('ascending', 'descending', 'shuffled');
  const texts = fc.array(
    fc.oneof({ weight: 5, arbitrary: versionTexts }, { weight: 1, arbitrary: lookalikes }),
  );
  const property = fc.property(texts, constraintTexts, orders, (list, text, order) => {
    const wanted = constraint(text);
    const sorted = list.toSorted();
    const ordered =
      order === 'shuffled' ? list : order === 'ascending' ? sorted : sorted.toReversed();
    const accepted = list.flatMap((one) => {
      const version = parseVersion(one);
      return version.ok && !mismatch(wanted, version.value) ? [version.value] : [];
    });
    const highest = accepted.toSorted(compareVersions).at(-1);
    const found = chosen(resolve(wanted, indexReleases(ordered)));
    // A pin selects its exact text even if a higher build of it is published (D3).
    const pinned = wanted.kind === 'patch' && list.includes(wanted.version.text);
    expect(found).toBe(pinned ? wanted.version.text : highest?.text);
  });
  fc.assert(property, { numRuns: Number(process.env['MODREG_RUNS'] ?? 1000) });
});

import { expect, it } from 'vitest';
import { readTrustDocument, type TrustDocument } from '../../../src/core/trust/trust-document.ts';
import { chainFrom } from '../../../src/registry/trust/pinned-document.ts';
import { key, role, trustOf, type TestKey } from '../../support/signed.ts';

const [A, B, C] = [key('a'), key('b'), key('c')];
/** Who signs a version, and how many of them have to. */
const ROOTS: readonly (readonly [threshold: number, keys: readonly TestKey[]])[] = [
  [1, [A]],
  [1, [A, B]],
  [2, [A, B]],
  [2, [B, C]],
];
/** All sets of the three keys. */
const SETS = Array.from({ length: 8 }, (_, bits) =>
  [A, B, C].filter((_key, place) => bits & (1 << place)),
);

type Root = (typeof ROOTS)[number];

/** The version as each set of keys signs it. */
function versions(version: number, [threshold, keys]: Root): readonly string[] {
  const more = { version, root: role('root', threshold, ...keys) };
  return SETS.map((signers) => trustOf([], signers, more).text);
}

function documentIn(text: string): TrustDocument {
  const read = readTrustDocument(text);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

/** A version: which of the roles its root keys are, and which set of keys signed it. */
interface Signed {
  readonly root: number;
  readonly by: number;
}

const ALL: readonly Signed[] = ROOTS.flatMap((_, root) => SETS.map((_set, by) => ({ root, by })));

/** Whether the keys that signed `one` are enough for the role `root`. */
function has({ by }: Signed, root: number): boolean {
  const [threshold, keys] = ROOTS[root] ?? [3, []];
  return keys.filter((each) => SETS[by]?.includes(each)).length >= threshold;
}

/** The version where a chain ends that begins with the role `root`. */
function endOf(root: number, second: Signed, third: Signed): number {
  if (!has(second, root) || !has(second, second.root)) return 1;
  return has(third, second.root) && has(third, third.root) ? 3 : 2;
}

it('[D150] of all chains of three versions, four roles of root keys and all sets of three keys, each ends where the thresholds say', () => {
  const [ones, twos, threes] = [1, 2, 3].map((version) =>
    ROOTS.map((root) => versions(version, root)),
  );
  const wrong = ROOTS.flatMap((_, root) => {
    const first = documentIn(ones?.[root]?.at(-1) ?? '');
    const pairs = ALL.flatMap((second) => ALL.map((third) => [second, third] as const));
    return pairs.filter(([second, third]) => {
      // In any order.
      const later = [threes?.[third.root]?.[third.by], twos?.[second.root]?.[second.by]];
      const { document } = chainFrom(
        first,
        later.map((text) => text ?? ''),
      );
      return document.version !== endOf(root, second, third);
    });
  });
  expect([ALL.length, wrong]).toEqual([32, []]);
});

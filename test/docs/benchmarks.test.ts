import { expect, it } from 'vitest';
import { tableOf, withRows } from '../../benchmarks/document.ts';

const DOCUMENT = `before
<!-- measured: one -->

Measured on an old machine.

| measured | figure |
| -------- | ------ |
| a        | 1 ms   |
| b        | 2 ms   |

<!-- end -->
between
<!-- measured: other -->
<!-- end -->
`;

it('a measured row replaces the one that measured the same, and all others stay', () => {
  const rows = [
    { measured: 'c', figure: '3 ms', peer: 'semver: 4 ms' },
    { measured: 'a', figure: '5 ms', target: '< 6 ms', isMet: true },
  ];
  expect(withRows(DOCUMENT, { section: 'one', machine: 'a machine', rows })).toBe(`before
<!-- measured: one -->

Measured on a machine.

| measured | figure | peer         | target |
| -------- | ------ | ------------ | ------ |
| a        | 5 ms   |              | < 6 ms |
| b        | 2 ms   |              |        |
| c        | 3 ms   | semver: 4 ms |        |

<!-- end -->
between
<!-- measured: other -->
<!-- end -->
`);
});

it('an unknown section is refused', () => {
  const unknown = { section: 'none', machine: 'a machine', rows: [] };
  const message = 'docs/benchmarks.md has no "<!-- measured: none -->" with an "<!-- end -->"';
  expect(() => withRows(DOCUMENT, unknown)).toThrow(message);
});

it('a table has a column for each key', () => {
  expect(tableOf([{ a: 1 }, { b: 'two' }])).toBe(
    '| a | b   |\n| - | --- |\n| 1 |     |\n|   | two |',
  );
});

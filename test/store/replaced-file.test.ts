import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { caught, claimed, LIDAR } from '../support/claimed.ts';

it.each<[string, (path: string) => void]>([
  ['removed', (path) => rmSync(path)],
  [
    'replaced by a copy',
    (path) => {
      copyFileSync(path, `${path}-copy`);
      renameSync(`${path}-copy`, path);
    },
  ],
])('a claimed file that was %s is not written any more', (_, replace) => {
  const { path, state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  replace(path);
  const error = ['missing', `"${path}": the file was replaced or removed`];
  expect(caught(() => state.report(LIDAR, '1.1.0', 2))).toEqual(error);
  expect(caught(() => state.log([], { at: 2, trouble: undefined }))).toEqual(error);
  expect(state.memory().of(LIDAR).deployed).toMatchObject({ version: { text: '1.0.0' } });
});

it('a file in memory is always in place', () => {
  const { state } = claimed(':memory:');
  expect(caught(() => state.report(LIDAR, '1.0.0', 1))).toBeUndefined();
});

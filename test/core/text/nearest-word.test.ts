import { expect, it } from 'vitest';
import { nearestWord } from '../../../src/core/text/nearest-word.ts';

it.each([
  ['verison', ['version', 'env'], 'version'],
  ['modul_id', ['module_id', 'name'], 'module_id'],
  ['nme', ['env', 'name', 'nume'], 'name'],
  ['nme', ['nume', 'name'], 'name'],
  ['abcd', ['abce', 'abfg'], 'abce'],
  ['abcd', ['abab', 'abce'], 'abce'],
  ['ab', ['abcd', 'abc'], 'abc'],
  ['version', ['version'], undefined],
  ['PSK', ['psk', 'ssid'], 'psk'],
  ['Stable', ['stable'], 'stable'],
  ['x', ['y', 'xy'], undefined],
  ['', ['a'], undefined],
  ['abc', ['abcdef'], undefined],
  ['anything', [], undefined],
])('the word nearest to %s in %j is %s', (text, words, nearest) => {
  expect(nearestWord(text, words)).toBe(nearest);
});

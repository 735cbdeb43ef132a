import { expect, it } from 'vitest';
import { presentationOf } from '../../src/cli/base/presentation.ts';

it.each([
  [[], false, false, 'auto'],
  [['resolve', '--json', '--debug'], true, true, 'auto'],
  [['--color=always'], false, false, 'always'],
  [['--color', 'never'], false, false, 'never'],
  [['--color', 'never', '--color=always'], false, false, 'always'],
  [['--color=pink'], false, false, 'auto'],
  [['--color'], false, false, 'auto'],
  [['--registry', '--color always'], false, false, 'auto'],
  [['--', '--json', '--debug', '--color=always'], false, false, 'auto'],
])('%j', (argv, isJson, isDebug, colour) => {
  expect(presentationOf(argv)).toEqual({ isJson, isDebug, colour });
});

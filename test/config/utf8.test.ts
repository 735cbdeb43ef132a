import { expect, it } from 'vitest';
import { readMachine } from '../../src/config/index.ts';

it.each([
  [
    'the replacement character itself',
    Buffer.from('{"modules": [], "a\ufffd": 1}'),
    ['/a\ufffd: unknown field'],
  ],
  [
    'half of a character at the end',
    Buffer.concat([Buffer.from('{}'), Buffer.of(0xe2)]),
    [': bytes that are not UTF-8'],
  ],
  ['half of the replacement character', Buffer.of(0xef, 0xbf), [': bytes that are not UTF-8']],
])('[D347] bytes are decoded without Node: %s', (_name, bytes, problems) => {
  expect(readMachine(bytes).problems.map(({ path, message }) => `${path}: ${message}`)).toEqual(
    problems,
  );
});

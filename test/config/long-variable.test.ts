import { expect, it } from 'vitest';
import { readMachine } from '../../src/config/index.ts';

/** The messages about a config whose module has a variable of so many bytes. */
function messagesFor(bytes: number): readonly string[] {
  const env = { LONG: 'ü'.repeat(bytes / 2) };
  const entry = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*', env };
  const read = readMachine(Buffer.from(JSON.stringify({ modules: [entry] })));
  const errors = read.problems.filter(({ severity }) => severity === 'error');
  return errors.map(({ message }) => message);
}

it.each([
  [131_068, []],
  [
    131_070,
    ['the text has 131070 bytes, expected at most 131069, which Linux passes on in a variable'],
  ],
])('[T271] a variable of %i bytes: %j', (bytes, expected) => {
  expect(messagesFor(bytes)).toEqual(expected);
});

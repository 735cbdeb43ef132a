import { expect, it } from 'vitest';
import { commandText } from '../../../src/core/trust/command-text.ts';

const COMMAND = {
  machine: 'rover-7',
  id: 'q3J-AAAAAAAAAAAAAAAAAA',
  kind: 'restart',
  module: 'acme:lidar',
  version: undefined,
  givenAt: Date.parse('2026-11-29T12:00:00.250Z'),
  expiresAt: Date.parse('2026-11-29T13:00:00Z'),
  reason: 'no points',
};
const UNTIL = '2026-11-29T12:00:00.250Z\n2026-11-29T13:00:00Z\n';
const HEAD = 'modreg/command@1\nacme-plant\nrover-7\nq3J-AAAAAAAAAAAAAAAAAA\n';

it.each([
  ['of a module', {}, `restart\n"acme:lidar"\nnull\n${UNTIL}"no points"\n`],
  [
    'of the whole machine',
    { kind: 'unhold', module: undefined },
    `unhold\nnull\nnull\n${UNTIL}"no points"\n`,
  ],
  [
    'of a version',
    { kind: 'unquarantine', version: '1.4.0' },
    `unquarantine\n"acme:lidar"\n"1.4.0"\n${UNTIL}"no points"\n`,
  ],
  [
    'that pretends to have other lines',
    { module: 'a"\n"1.0.0"', reason: 'a"\n' },
    `restart\n"a\\"\\n\\"1.0.0\\""\nnull\n${UNTIL}"a\\"\\n"\n`,
  ],
])('[D392] the text of a command %s has a line for each thing', (_what, more, rest) => {
  expect(commandText('acme-plant', { ...COMMAND, ...more })).toBe(HEAD + rest);
});

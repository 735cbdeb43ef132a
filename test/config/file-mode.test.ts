import { expect, it } from 'vitest';
import { modeOpenToOthers } from '../../src/config/file-mode.ts';

it.each([
  [0o100600, undefined],
  [0o100400, undefined],
  [0o100640, '0640'],
  [0o100620, '0620'],
  [0o100604, '0604'],
  [0o100601, '0601'],
  [0o100007, '0007'],
])('[T65] mode %i is reported as open to others: %s', (mode, open) => {
  expect(modeOpenToOthers(mode)).toBe(open);
});

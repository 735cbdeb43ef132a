import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clockStateOf } from '../../src/cli/clock-state.ts';
import { RELEASED_AT } from '../../src/cli/version.ts';
import { temporaryFolder } from '../support/folder.ts';

it('[D57] [T299] files say whether systemd-timesyncd keeps the clock right', () => {
  const folder = join(temporaryFolder(), 'timesync');
  const state = (): string => clockStateOf(() => RELEASED_AT, folder)();
  expect(state()).toBe('unknown');
  mkdirSync(folder);
  expect(state()).toBe('unsynchronized');
  writeFileSync(join(folder, 'synchronized'), '');
  expect(state()).toBe('synchronized');
  rmSync(folder, { recursive: true });
  expect(state()).toBe('unknown');
});

it('[D57] [T299] a process notices at once that the clock was synchronized', () => {
  const folder = join(temporaryFolder({ 'timesync/other': '' }), 'timesync');
  const state = clockStateOf(() => RELEASED_AT, folder);
  expect(state()).toBe('unsynchronized');
  writeFileSync(join(folder, 'synchronized'), '');
  expect(state()).toBe('synchronized');
});

it('[D57] [T299] a clock before the release of modreg is wrong', () => {
  const folder = join(temporaryFolder({ 'timesync/synchronized': '' }), 'timesync');
  expect(clockStateOf(() => RELEASED_AT - 1, folder)()).toBe('unsynchronized');
});

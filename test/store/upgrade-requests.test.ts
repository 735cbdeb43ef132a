import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { UpgradeRequest } from '../../src/core/decision/upgrade-request.ts';
import type { ActionOutcome } from '../../src/store/index.ts';
import { AGENT, ARM, claimed, commitOne, LIDAR, startedWithout } from '../support/claimed.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

const REQUEST: UpgradeRequest = {
  requestedAt: 5,
  by: 'ann',
  because: 'fire',
  from: '1.0.0',
  to: '1.1.0',
  despite: [
    { by: 'arm', said: 'person in cell' },
    { by: 'lidar', said: undefined },
  ],
};
const BARE: UpgradeRequest = {
  ...REQUEST,
  requestedAt: 6,
  because: undefined,
  from: undefined,
  despite: [],
};

it('[D76] requests are kept as they were made, one for each target', () => {
  const first = claimed();
  first.state.requestUpgrade(LIDAR, BARE);
  first.state.requestUpgrade(LIDAR, REQUEST);
  first.state.requestUpgrade(AGENT, BARE);
  first.state.requestRound(ARM, 7);
  first.state.requestRound(ARM, 8);
  first.close();
  const memory = claimed(first.path).state.memory();
  const of = [LIDAR, ARM, AGENT].map((target) => memory.of(target).upgradeRequest);
  expect(of).toEqual([REQUEST, undefined, BARE]);
  expect(memory.upgradeRequests.map(({ target }) => target.name)).toEqual([
    'lidar',
    'platform-agent',
  ]);
  expect(memory.roundRequests).toEqual([{ kind: 'module', name: 'arm' }]);
});

it('[D76] a request is not for another module with the name', () => {
  const { state } = claimed();
  state.requestUpgrade(LIDAR, REQUEST);
  const other = { ...LIDAR, moduleId: moduleId('acme:other') };
  expect(state.memory().of(other).upgradeRequest).toBeUndefined();
});

it('[D76] a request ends, unless another one took its place', () => {
  const { state } = claimed();
  state.requestUpgrade(LIDAR, REQUEST);
  state.endUpgrade(LIDAR, 4);
  expect(state.memory().of(LIDAR).upgradeRequest).toEqual(REQUEST);
  state.endUpgrade(LIDAR, 5);
  state.requestRound(LIDAR, 5);
  state.endRoundRequests();
  const { upgradeRequests, roundRequests } = state.memory();
  expect([upgradeRequests, roundRequests]).toEqual([[], []]);
});

it.each<[string, ActionOutcome, number]>([
  ['done', { kind: 'done' }, 0],
  [
    'failed because of the release',
    { kind: 'failed', blame: 'release', reason: 'no light', running: '1.0.0' },
    0,
  ],
  [
    'failed because of the machine',
    { kind: 'failed', blame: 'machine', reason: 'full', running: '1.0.0' },
    1,
  ],
])('[D76] a replacement that has %s leaves this many requests', (_, outcome, left) => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  state.requestUpgrade(LIDAR, REQUEST);
  const { id } = commitOne(state, { to: '1.1.0' });
  state.deliver(id, 2);
  state.acknowledge(id, outcome, { at: 3, quarantineUntil: 900, retryAt: 4 });
  expect(state.memory().upgradeRequests).toHaveLength(left);
});

it('[D76] a restart ends no request for a replacement', () => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  state.requestUpgrade(LIDAR, REQUEST);
  const { id } = commitOne(state, { to: '1.0.0', direction: 'restart' });
  state.deliver(id, 2);
  state.acknowledge(id, { kind: 'done' }, { at: 3, quarantineUntil: 900, retryAt: 4 });
  expect(state.memory().upgradeRequests).toHaveLength(1);
});

it('[D76, D38] a release that is reported to have failed while it is deployed leaves no request for it', () => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  state.requestUpgrade(LIDAR, REQUEST);
  const { id } = commitOne(state, { to: '1.1.0' });
  state.deliver(id, 2);
  const failure = { version: '1.1.0', reason: 'no light', running: '1.0.0' };
  expect(state.reportFailure(LIDAR, failure, { at: 3, quarantineUntil: 900 })).toBe(id);
  expect(state.memory().upgradeRequests).toEqual([]);
});

it.each([
  [
    "upgrade_requests SET to_version = '6.6.6'",
    'the requested replacement of module lidar at once; request it again',
  ],
  [
    "upgrade_requests SET despite = '[{'",
    'the requested replacement of module lidar at once; request it again',
  ],
  [
    'round_requests SET requested_at = 9',
    'the requested round of module lidar; the next one is by the interval',
  ],
])('[D76] a damaged record begins nothing: %s', (change, lost) => {
  const first = claimed();
  first.state.requestUpgrade(LIDAR, REQUEST);
  first.state.requestRound(LIDAR, 5);
  first.close();
  const database = new DatabaseSync(first.path);
  // A connection that is not modreg's leaves the checksum as it was.
  database.exec(`UPDATE ${change}`);
  database.close();
  const { lostRows, state } = claimed(first.path);
  expect(lostRows).toEqual([`a damaged row: ${lost}`]);
  const { upgradeRequests, roundRequests } = state.memory();
  expect(upgradeRequests.length + roundRequests.length).toBe(1);
});

it('[D76, T71] a modreg without requests uses a file that has some, and keeps them', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const first = claimed(path);
  first.state.requestUpgrade(LIDAR, REQUEST);
  first.close();
  startedWithout('upgrade_requests', path);
  const { setAside, state } = claimed(path);
  expect([setAside, state.memory().starts]).toEqual([undefined, [7]]);
  expect(state.memory().of(LIDAR).upgradeRequest).toEqual(REQUEST);
});

import { describe, expect, it } from 'vitest';
import { whyText } from '../../src/host/requests/request-words.ts';
import { commitOne, LIDAR, moduleNamed, running } from '../support/claimed.ts';
import { fallen, refused, REAR, TERMS, upgraded } from './support/undecided.ts';

it('[D102] a pinned version fails as the one that it goes back from: neither is blamed', () => {
  const { state } = upgraded();
  state.reportFailure(
    LIDAR,
    { version: '1.1.0', reason: 'no camera', running: '1.1.0' },
    { at: 3, quarantineUntil: undefined },
  );
  const { id } = commitOne(state, { from: '1.1.0', to: '1.0.0', direction: 'downgrade' });
  state.deliver(id, 3);
  const outcome = { kind: 'failed', blame: 'undecided', reason: 'no camera' } as const;
  state.acknowledge(id, { ...outcome, running: '1.0.0' }, TERMS);
  expect([running(state), ...refused(state)]).toEqual([
    '1.0.0 after 1.1.0',
    '1.1.0 waits for 1.0.0',
    '1.0.0 may be tried again, as 1.1.0',
  ]);
});

describe('[D104] a version that was up for an hour', () => {
  const camera = { reason: 'no camera', running: '1.0.0', blame: 'undecided' } as const;

  it.each([
    [false, '1.1.0 failed'],
    [true, '1.1.0 waits for 1.0.0'],
  ])('fails twice with the one before it; it was proven: %s', (isProven, expected) => {
    const { state } = upgraded();
    if (isProven) state.reportWorking(LIDAR, { version: '1.1.0', isProven });
    for (const _ of [1, 2]) {
      state.reportFailure(LIDAR, { version: '1.1.0', ...camera }, TERMS);
      if (_ === 1) state.reportWorking(LIDAR, { version: '1.0.0', isProven: false });
    }
    expect(refused(state)).toEqual([expected]);
    expect(state.isProven(LIDAR, '1.1.0')).toBe(isProven);
    expect(state.isProven(REAR, '1.1.0')).toBe(false);
  });
});

it('[D80] what works in one entry says nothing about the releases of another', () => {
  const { state } = fallen('1.0.0');
  state.report(REAR, '1.1.0', 4);
  state.reportWorking(moduleNamed('front', 'acme:lidar'), { version: '1.0.0', isProven: false });
  state.reportWorking(REAR, { version: '1.0.0', isProven: false });
  expect(refused(state)).toEqual(['1.1.0 waits for 1.0.0', '1.0.0 may be tried again, as 1.1.0']);
});

describe('[D105] an entry is renamed', () => {
  it('what is undecided is so under its new name, and no longer under the old one', () => {
    const { state } = fallen('1.0.0');
    state.inheritFailures(REAR, LIDAR.name);
    state.reportWorking(REAR, { version: '1.0.0', isProven: false });
    expect(refused(state, REAR)).toEqual([
      '1.1.0 may be tried again, as 1.0.0',
      '1.0.0 may be tried again, as 1.1.0',
    ]);
    expect(refused(state)).toEqual([
      '1.1.0 may be tried again, as 1.0.0 in rear',
      '1.0.0 may be tried again, as 1.1.0 in rear',
    ]);
  });

  it('[D81] a release that failed alone stays blamed on the old entry', () => {
    const { state } = upgraded();
    const failure = { version: '1.1.0', reason: 'broken', running: '1.0.0' };
    state.reportFailure(LIDAR, failure, TERMS);
    state.inheritFailures(REAR, LIDAR.name);
    expect(refused(state, REAR)).toEqual([`1.1.0 failed in ${LIDAR.name}`]);
  });
});

it('[D80] a release in quarantine that is deployed all the same is marked so', () => {
  const { state } = upgraded();
  const failure = { version: '1.1.0', reason: 'no camera', running: '1.1.0' };
  state.reportFailure(LIDAR, failure, TERMS);
  const words = (): string[] => state.memory().quarantine.map(whyText);
  expect(words()).toEqual(['it is in use all the same: no camera']);
  state.report(LIDAR, '1.0.0', 5);
  expect(words()).toEqual(['no camera']);
  state.reportFailure(LIDAR, { ...failure, running: '1.0.0', blame: 'undecided' }, TERMS);
  expect(words()).toEqual([
    'undecided: 1.0.0 fails in the same way, it may be tried again once 1.0.0 works: no camera',
  ]);
  state.report(LIDAR, '1.1.0', 6);
  expect(words()).toEqual(['undecided: 1.0.0 fails in the same way, it is in use: no camera']);
});

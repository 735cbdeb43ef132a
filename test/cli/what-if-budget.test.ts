import { describe, expect, it } from 'vitest';
import { groupedEffects } from '../../src/site/effect-groups.ts';
import { effectsOf, type MachinesWithEffect } from '../../src/site/what-if.ts';
import { indexReleases } from '../../src/core/index.ts';
import type { ModuleStates } from '../../src/registry/fleet-documents.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import { lidarReport } from '../support/reported-facts.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const RELEASES = indexReleases([{ version: '1.2.9' }, { version: '1.4.0' }]);
const WHAT_IF = { index: RELEASES, version: '1.4.0', now: NOW, isStaged: false };

function stateOf(facts: unknown, ...machines: readonly string[]): ModuleStates {
  const honest = lidarReport({}, NOW);
  const state = { ...honest, facts: facts as object, platform: 'linux/arm64' };
  return { state, machines };
}

const HONEST = lidarReport({}, NOW).facts;

/** A clock on which each decision takes so long. */
function takingMs(ms: number): { readonly monotonic: () => number } {
  let reads = 0;
  return { monotonic: () => Math.floor(++reads / 2) * ms };
}

function words(effects: readonly MachinesWithEffect[]): string[] {
  return groupedEffects(effects, { version: '1.4.0', now: NOW }).groups.map(
    ({ when, what, machines }) => `${machines.join(' ')}: ${when}, ${what}`,
  );
}

describe('[T268] what-if', () => {
  it('decides no more for a machine whose reports take over a second, and for all others', () => {
    const states = [
      ...Array.from({ length: 6 }, () => stateOf(HONEST, 'bad')),
      stateOf(HONEST, 'rover-1'),
      stateOf(HONEST, 'rover-2', 'rover-3'),
    ];
    expect(words(uninterrupted(effectsOf(states, WHAT_IF, takingMs(300))))).toEqual([
      'bad bad bad bad rover-1 rover-2 rover-3: now, upgrade, stops lidar0, nav',
      'bad bad: not computed, over 1 s for what this machine reports',
    ]);
  });

  it('says which machines are left after 30 seconds', () => {
    const states = Array.from({ length: 35 }, (_, place) => stateOf(HONEST, `m${place}`));
    const effects = uninterrupted(effectsOf(states, WHAT_IF, takingMs(1000)));
    const { machines, included, notComputed } = groupedEffects(effects, {
      version: '1.4.0',
      now: NOW,
    });
    expect([machines, included, notComputed]).toEqual([35, 31, 4]);
    expect(words(effects)[1]).toBe('m31 m32 m33 m34: not computed, over 30 s for all machines');
  });

  it.each([
    [1, 1],
    [5, 5],
    [10, 10],
    [20, 10],
  ])('with decisions of %i ms, others are answered %i times in ten of them', (ms, expected) => {
    const states = Array.from({ length: 10 }, (_, place) => stateOf(HONEST, `m${place}`));
    const slices = effectsOf(states, WHAT_IF, takingMs(ms));
    let pauses = 0;
    while (slices.next().done !== true) pauses++;
    expect(pauses).toBe(expected);
  });

  it('others are answered while a machine of each step of a rollout is decided', () => {
    const ids = Array.from({ length: 10 }, (_, place) => `m${place}`);
    const slices = effectsOf(
      [stateOf(HONEST, ...ids)],
      { ...WHAT_IF, isStaged: true },
      takingMs(10),
    );
    let pauses = 0;
    while (slices.next().done !== true) pauses++;
    expect(pauses).toBe(10);
  });

  it('others are answered between windows', () => {
    const start = '0 0 30 2 *';
    const $windows = Array.from({ length: 5 }, (_, place) => ({
      start,
      durationMs: 1000 + place,
      timeZone: 'UTC',
    }));
    const timing = { ...Object(HONEST).timing, window: { $windows } };
    const slices = effectsOf([stateOf({ ...HONEST, timing }, 'm')], WHAT_IF, takingMs(10));
    let pauses = 0;
    while (slices.next().done !== true) pauses++;
    expect(pauses).toBe(6);
  });
});

const ENDED = { from: NOW - 2, until: NOW - 1, timeZone: 'UTC', reason: 'season' };
const honest = Object(HONEST);
const timing = (fields: object): object => ({ ...honest, timing: { ...honest.timing, ...fields } });
const window = (fields: object): object => {
  const rule = { start: '0 2 * * *', durationMs: 1000, timeZone: 'UTC', ...fields };
  return timing({ window: { $windows: [rule] } });
};
const blackouts = (count: number): object =>
  timing({ blackouts: Array.from({ length: count }, () => ENDED) });
const quarantine = (...ends: readonly number[]): object => ({
  ...honest,
  quarantine: ends.map((until) => ({ version: '1.4.0', until })),
});

const UPGRADED = 'now, upgrade, stops lidar0, nav';
const NO_WINDOWS = 'never, its maintenance windows cannot be read';

describe('[T269] facts that no machine reports concern the machine that reported them', () => {
  it.each<[string, object, string]>([
    [
      'a window that is no window',
      timing({ window: {} }),
      'never, its report has no usable timing',
    ],
    [
      'a list that is no list',
      { ...honest, list: { index: {} } },
      'never, its report has no usable list',
    ],
    ['a time zone that does not exist', window({ timeZone: 'Foo/Bar' }), NO_WINDOWS],
    ['a start that is no cron time', window({ start: 'noon' }), NO_WINDOWS],
    ['a duration that is text', window({ durationMs: '1h' }), NO_WINDOWS],
    ['windows that are no list', timing({ window: { $windows: 7 } }), NO_WINDOWS],
    ['10,000 restarts', timing({ restarts: Array.from({ length: 10_000 }, () => 1) }), UPGRADED],
    [
      'a blackout [D74]',
      timing({ blackouts: [{ ...ENDED, until: NOW + 3_600_000 }] }),
      '2026-11-21T13:00:00Z .in 1 h., upgrade, stops lidar0, nav',
    ],
    ['100 blackouts [T335]', blackouts(100), UPGRADED],
    ['101 blackouts [T335]', blackouts(101), 'never, its report has no usable timing'],
    [
      'a blackout until a time that no calendar has [T335]',
      timing({ blackouts: [{ from: 0, until: 1e300, timeZone: 'UTC' }] }),
      'never, its report has no usable timing',
    ],
    ['a busy server', timing({ isServerBusy: true }), UPGRADED],
    ['a quarantine until a time that no calendar has', quarantine(1e300), 'never, quarantined'],
  ])('%s', (_, facts, expected) => {
    const states = [stateOf(facts, 'bad'), stateOf(HONEST, 'rover-1')];
    const [first, second] = uninterrupted(effectsOf(states, WHAT_IF, takingMs(0)));
    expect(words(first ? [first] : [])[0]).toMatch(new RegExp(`^bad: ${expected}`));
    expect(words(second ? [second] : [])).toEqual([`rover-1: ${UPGRADED}`]);
  });
});

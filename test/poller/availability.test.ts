import { expect, it } from 'vitest';
import { Availability } from '../../src/poller/availability.ts';
import { RegistryError, type ListResult } from '../../src/registry/index.ts';
import type { RegistryErrorKind } from '../../src/registry/registry-error.ts';
import { moduleId } from '../support/ask.ts';
import { readingOf } from '../support/racing.ts';

/** What a registry gives for the lidar and the arm; nothing for one that it was not asked for. */
type Given = readonly ['list' | 'stale' | RegistryErrorKind, ('list' | RegistryErrorKind)?];

function resultOf(given: 'list' | 'stale' | RegistryErrorKind): ListResult {
  const list = readingOf(1);
  if (given === 'list' || !list.ok) return list;
  if (given !== 'stale') return { ok: false, error: new RegistryError(given, given) };
  const stale = new RegistryError('registry-unreachable', 'down');
  return { ok: true, value: { ...list.value, stale } };
}

it.each<[string, Given[], string[]]>([
  ['as long as all is well nothing', [['list', 'list']], []],
  [
    'an outage once, and its end',
    [['registry-busy'], ['registry-busy'], ['list']],
    ['0 registry-unavailable', '2 registry-available'],
  ],
  ['an outage while saved lists decide', [['stale', 'registry-busy']], ['0 registry-unavailable']],
  ['no outage where modules are unknown', [['unknown-module']], ['0 list-unavailable acme:lidar']],
  [
    'a list that is not there once, and that it is back',
    [
      ['list', 'unknown-module'],
      ['list', 'unknown-module'],
      ['list', 'list'],
    ],
    ['0 list-unavailable acme:arm', '2 list-available acme:arm'],
  ],
  [
    'nothing of lists during an outage',
    [
      ['list', 'unknown-module'],
      ['registry-busy', 'registry-busy'],
      ['list', 'unknown-module'],
    ],
    ['0 list-unavailable acme:arm', '1 registry-unavailable', '2 registry-available'],
  ],
  [
    'a list again, of a module that was left out meanwhile',
    [['list', 'unknown-module'], ['list'], ['list', 'unknown-module']],
    ['0 list-unavailable acme:arm', '2 list-unavailable acme:arm'],
  ],
])('reports %s [T20] [T21]', (_, answers, expected) => {
  const events: string[] = [];
  let round = 0;
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => await Promise.resolve() };
  const availability = new Availability({
    clock,
    onEvent: (event) => {
      const of = 'moduleId' in event ? ` ${event.moduleId}` : '';
      events.push(`${round} ${event.kind}${of}`);
    },
  });
  for (const [lidar, arm] of answers) {
    const results = new Map([[moduleId('acme:lidar'), resultOf(lidar)]]);
    if (arm) results.set(moduleId('acme:arm'), resultOf(arm));
    availability.report(results, 0);
    round++;
  }
  expect(events).toEqual(expected);
});

import { expect, it } from 'vitest';
import { Availability } from '../../src/poller/availability.ts';
import { RegistryError, type ListResult } from '../../src/registries/index.ts';
import type { RegistryErrorKind } from '../../src/registry/registry-error.ts';
import { moduleId } from '../support/ask.ts';
import { readingOf } from '../support/racing.ts';

/** What a registry returns for the lidar, and for the arm if that was requested. */
type Answer = readonly ['list' | 'stale' | RegistryErrorKind, ('list' | RegistryErrorKind)?];

function resultOf(answer: 'list' | 'stale' | RegistryErrorKind): ListResult {
  const list = readingOf(1);
  if (answer === 'list' || !list.ok) return list;
  if (answer !== 'stale') return { ok: false, error: new RegistryError(answer, answer) };
  const stale = new RegistryError('registry-unreachable', 'down');
  return { ok: true, value: { ...list.value, stale } };
}

it.each<[string, Answer[], string[]]>([
  ['nothing while all lists are available', [['list', 'list']], []],
  [
    'an outage once, and its end',
    [['registry-busy'], ['registry-busy'], ['list']],
    ['0 registry-unavailable', '2 registry-available after 2 s'],
  ],
  [
    'an outage while saved lists are used',
    [['stale', 'registry-busy']],
    ['0 registry-unavailable'],
  ],
  [
    'another error of one list, but no outage',
    [['list', 'registry-busy']],
    ['0 list-unavailable acme:arm'],
  ],
  ['an unknown module, but no outage', [['unknown-module']], ['0 list-unavailable acme:lidar']],
  [
    'a missing list once, and its return',
    [
      ['list', 'unknown-module'],
      ['list', 'unknown-module'],
      ['list', 'list'],
    ],
    ['0 list-unavailable acme:arm', '2 list-available acme:arm'],
  ],
  [
    'no single list during an outage',
    [
      ['list', 'unknown-module'],
      ['registry-busy', 'registry-busy'],
      ['list', 'unknown-module'],
    ],
    ['0 list-unavailable acme:arm', '1 registry-unavailable', '2 registry-available after 1 s'],
  ],
  [
    'a missing list again after a round without its module',
    [['list', 'unknown-module'], ['list'], ['list', 'unknown-module']],
    ['0 list-unavailable acme:arm', '2 list-unavailable acme:arm'],
  ],
])('reports %s [T20] [T21]', (_, answers, expected) => {
  const events: string[] = [];
  let round = 0;
  const clock = {
    now: () => 0,
    monotonic: () => round * 1000,
    sleep: async () => await Promise.resolve(),
  };
  const availability = new Availability({
    clock,
    onEvent: (event) => {
      const of = 'moduleId' in event ? ` ${event.moduleId}` : '';
      const after = 'afterMs' in event ? ` after ${event.afterMs / 1000} s` : '';
      events.push(`${round} ${event.kind}${of}${after}`);
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

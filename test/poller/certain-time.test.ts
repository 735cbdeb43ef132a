import { expect, it } from 'vitest';
import type { ClockFault } from '../../src/core/releases/eligibility-policy.ts';
import type { PollableRegistry } from '../../src/registries/index.ts';
import { day, HOUR, MINUTE } from '../support/day.ts';
import { entry } from '../support/planned.ts';

/** The lists are read without a fault, as before the clock was set. */
it.each<[string, ClockFault | undefined, readonly string[]]>([
  ['nothing is wrong with the clock', undefined, ['1.2.3 → 1.2.4']],
  ['no time is certain', { kind: 'unsynchronized' }, []],
  ['the clock is 60 days ahead', { kind: 'wrong', aheadMs: 60 * 24 * HOUR }, []],
])('[D57] each plan asks what is wrong with the clock: %s', async (_, found, expected) => {
  let fault = found;
  const published = Date.parse('2026-11-01T00:00:00Z');
  const read: PollableRegistry['read'] = async () =>
    await Promise.resolve({
      records: ['1.2.3', '1.2.4'].map((version) => ({ version, publishedAt: published })),
      dropped: [],
      source: 'folder',
      from: 'lists',
      fetchedAt: published,
    });
  const registry: PollableRegistry = { read, clockFault: () => fault };
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    policy: { minimum_release_age: '3d' },
    deployed: { acme_lidar: '1.2.3' },
    releases: {},
    registryFor: () => registry,
  });
  const committed = (): string[] =>
    machine.story().flatMap((line) => /committed acme_lidar (.*)/.exec(line)?.[1] ?? []);
  await machine.pass(5 * MINUTE);
  expect(committed()).toEqual(expected);
  fault = undefined;
  await machine.pass(5 * MINUTE);
  expect(committed()).toEqual(expected.length > 0 ? [] : ['1.2.3 → 1.2.4']);
});

import { describe, expect, it } from 'vitest';
import { readDeployed, resolve, type ModuleList } from '../../src/core/index.ts';
import { termsFor } from '../../src/core/machine/update-policy.ts';
import type { Configuration } from '../../src/core/plan/configuration.ts';
import { ConfigurationSource } from '../../src/poller/configuration-source.ts';
import type { PollingEvent } from '../../src/poller/event.ts';
import { Lists } from '../../src/poller/lists.ts';
import { pollingWith } from '../../src/poller/polling.ts';
import { Wakeup } from '../../src/poller/wakeup.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { chosen, moduleId } from '../support/ask.ts';
import { MINUTE, SECOND } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { configurationOf, CONFIGURATIONS, readingOf, type Answer } from '../support/racing.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

const READABLE = {
  ...CONFIGURATIONS,
  camera: configurationOf(entry('acme:lidar', '1.0.*'), entry('acme:camera', '1.*')),
};

/** What happens to the lists of a lidar and an arm, each in a separate registry. A camera has the lidar's. */
interface Script {
  /** The answers of the lidar's registry, in order; the last one is repeated. */
  readonly lidar?: readonly Answer[];
  readonly arm?: readonly Answer[];
  /** The configurations that are read, in order; the last one is repeated. */
  readonly read?: readonly (keyof typeof READABLE | 'unreadable')[];
  readonly deployed?: string;
  /** After how many milliseconds the feed of the lidar's registry reports a change. */
  readonly changeAfter?: number;
  readonly ms: number;
}

interface Outcome {
  /** The newest release of the lidar and of the arm, or why there is none. */
  readonly lists: string;
  readonly rounds: number;
  /** When each registry was asked, in seconds. */
  readonly asked: readonly string[];
  readonly events: readonly string[];
  readonly isInformed: boolean;
}

async function played(script: Script): Promise<Outcome> {
  const clock = virtualClock();
  const events: PollingEvent[] = [];
  const asked: string[] = [];
  const polling = pollingWith({
    clock,
    random: () => 0.5,
    intervalMs: MINUTE,
    onEvent: (event) => events.push(event),
  });
  const began = clock.monotonic();
  const registry = (name: string, answers: readonly Answer[]): PollableRegistry => {
    let place = 0;
    return {
      read: async () => await Promise.reject(new Error('it is asked for all lists at once')),
      readAll: async (ids) => {
        const modules = ids.map((id) => id.split(':')[1]).join(' ');
        asked.push(`${(clock.monotonic() - began) / SECOND} ${name}: ${modules}`);
        const answer = answers[Math.min(place++, answers.length - 1)] ?? 'never';
        if (answer === 'never') await new Promise(() => undefined);
        return new Map(ids.map((id) => [id, readingOf(answer)]));
      },
      awaitChange: async (_, __, signal) => {
        const isSooner = name === 'lidars' && script.changeAfter !== undefined && place === 1;
        await clock.sleep(isSooner ? (script.changeAfter ?? 0) : Infinity, signal);
        return { hasChanged: true, spreadMs: 0 };
      },
    };
  };
  const registries = [registry('lidars', script.lidar ?? [1]), registry('arms', script.arm ?? [2])];
  const lists = new Lists({
    polling,
    changes: new Wakeup(clock),
    configuration: new ConfigurationSource(reading(script.read ?? ['both']), polling),
    registryFor: (terms) => registries[terms.registry === undefined ? 0 : 1] as PollableRegistry,
    facts: () => () => ({ deployed: readDeployed(script.deployed) }),
  });
  const ending = new AbortController();
  const running = lists.run(ending.signal).catch(() => undefined);
  await clock.pass(script.ms);
  const { rounds, isInformed } = lists;
  ending.abort(new Error('the test has ended'));
  await running;
  const { policy } = CONFIGURATIONS.both;
  const newest = ['acme_lidar', 'acme_arm'].map((name) =>
    newestOf(lists.list(termsFor(policy, name), moduleId(name.replace('_', ':')))),
  );
  return { lists: newest.join(', '), rounds, asked, events: events.map(lineOf), isInformed };
}

function reading(read: NonNullable<Script['read']>): () => Configuration {
  let place = 0;
  return () => {
    const next = read[Math.min(place++, read.length - 1)] ?? 'unreadable';
    if (next === 'unreadable') throw new Error('no document');
    return READABLE[next];
  };
}

function newestOf(list: ModuleList): string {
  if ('error' in list) return list.error.kind;
  const newest = chosen(resolve({ kind: 'latest' }, list.index)) ?? 'nothing';
  return list.stale ? `${newest} stale` : newest;
}

function lineOf(event: PollingEvent): string {
  switch (event.kind) {
    case 'registry-unavailable':
      return `${event.kind} for ${event.retryMs / SECOND} s`;
    case 'registry-available':
      return `${event.kind} after ${event.afterMs / SECOND} s`;
    case 'list-unavailable':
    case 'list-available':
      return `${event.kind} ${event.moduleId}`;
    case 'configuration-unreadable':
    case 'configuration-readable':
    case 'callback-error':
      return event.kind;
  }
}

const BOTH_AT = (second: number): string[] => [`${second} lidars: lidar`, `${second} arms: arm`];

describe('lists', () => {
  it.each<[string, Script, Partial<Outcome>]>([
    [
      'are read at once, and each interval',
      { ms: 61 * SECOND, lidar: [1, 3] },
      { lists: '1.0.3, 1.0.2', asked: [...BOTH_AT(0), ...BOTH_AT(60)], events: [] },
    ],
    [
      'of one registry are available, and read again, while another one hangs [T59]',
      { ms: 2 * MINUTE + SECOND, arm: ['never'] },
      {
        lists: '1.0.1, not-asked',
        asked: [...BOTH_AT(0), '60 lidars: lidar', '120 lidars: lidar'],
        isInformed: true,
      },
    ],
    [
      'are not known while no registry answers',
      { ms: MINUTE, lidar: ['never'], arm: ['never'] },
      { lists: 'not-asked, not-asked', isInformed: false },
    ],
    [
      'of a failing registry are read again after a back-off, and the outage is reported once [T20]',
      { ms: 5 * MINUTE, arm: ['no list', 'no list', 2], lidar: ['never'] },
      {
        lists: 'not-asked, 1.0.2',
        asked: [...BOTH_AT(0), '90 arms: arm', '270 arms: arm'],
        events: ['registry-unavailable for 90 s', 'registry-available after 270 s'],
      },
    ],
    [
      'of a registry that hangs for ten minutes are the last ones, marked as stale [T60]',
      { ms: 11 * MINUTE, arm: [2, 'never'], lidar: ['never'] },
      {
        lists: 'registry-timeout, 1.0.2 stale',
        events: ['registry-unavailable for 90 s', 'registry-unavailable for 90 s'],
      },
    ],
    [
      'are not read before a configuration can be read, and an unreadable one is reported once',
      { ms: 3 * MINUTE, read: ['unreadable', 'unreadable', 'both'] },
      {
        lists: '1.0.1, 1.0.2',
        asked: [...BOTH_AT(120), ...BOTH_AT(180)],
        events: ['configuration-unreadable', 'configuration-readable'],
      },
    ],
    [
      'are those that the last readable configuration needs',
      { ms: MINUTE, read: ['lidar', 'unreadable'] },
      { asked: ['0 lidars: lidar', '60 lidars: lidar'], events: ['configuration-unreadable'] },
    ],
    [
      'are discarded once no entry needs them',
      { ms: MINUTE, read: ['both', 'lidar'] },
      { lists: '1.0.1, not-asked', rounds: 2 },
    ],
    [
      'that a new entry needs are read in the next round',
      { ms: MINUTE, read: ['lidar', 'both'] },
      { lists: '1.0.1, 1.0.2', asked: ['0 lidars: lidar', ...BOTH_AT(60)] },
    ],
    [
      'that a new entry needs are read at once, although its registry is in a back-off [T22]',
      { ms: 70 * SECOND, read: ['lidar', 'camera'], lidar: ['no list', 1] },
      { lists: '1.0.1, not-asked', asked: ['0 lidars: lidar', '66 lidars: lidar camera'] },
    ],
    [
      'of a machine that needs none are complete',
      { ms: 0, read: ['none'] },
      { asked: [], rounds: 1, isInformed: true },
    ],
    [
      'of subsystems are read if their deployed versions are known',
      { ms: 0, read: ['none'], deployed: '1.0.0' },
      { asked: ['0 lidars: agent server'] },
    ],
    [
      'are read when the change feed reports a change, and then when they were due anyway [T66]',
      { ms: MINUTE, read: ['lidar'], changeAfter: 10 * SECOND },
      { asked: ['0 lidars: lidar', '10 lidars: lidar', '60 lidars: lidar'] },
    ],
  ])('%s', async (_, script, expected) => {
    expect(await played(script)).toMatchObject(expected);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { CATALOGUES, testMachine, type TestMachine } from '../../src/testing/index.ts';
import { repeatedRounds } from '../../src/testing/repeated-rounds.ts';
import { HOUR, MINUTE } from '../support/day.ts';

type Options = Partial<Parameters<typeof testMachine>[0]>;

const WEEK = 7 * 24 * HOUR;
const LIDAR = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' };
const AT_NIGHT = { maintenance: [{ start: '0 1 * * *', duration: '2h', time_zone: 'UTC' }] };
/** The default, but a function of the test: with one, a poller plays each round. */
const EACH_ROUND = { random: () => 0.5 };

/** When each event came. */
const TIMES = new WeakMap<TestMachine, number[]>();

function started(options: Options = {}): TestMachine {
  const times: number[] = [];
  const machine: TestMachine = testMachine({
    machine: { modules: [LIDAR] },
    releases: CATALOGUES.lidar,
    deployed: { lidar: '1.2.3' },
    now: '2026-11-21T00:00:00Z',
    onEvent: () => void times.push(machine.clock.now()),
    ...options,
  });
  TIMES.set(machine, times);
  onTestFinished(async () => await machine.close());
  return machine;
}

/** What a test sees of a machine. The ids of actions begin with a number that is drawn for each file. */
function seenOf(machine: TestMachine): unknown {
  const { clock, deployed, deliveries, events, poller, registry } = machine;
  const times = [clock.now(), clock.monotonic(), TIMES.get(machine)];
  const delivered = deliveries.map(({ action }) => action.to);
  const seen = [times, [...deployed], delivered, events, poller.targets(), registry.requests];
  return JSON.parse(JSON.stringify(seen).replaceAll(/"[\da-f]{12}-(?=\d+")/g, '"'));
}

interface Scenario {
  readonly title: string;
  readonly options?: Options;
  readonly play: (machine: TestMachine) => Promise<unknown>;
}

const SCENARIOS: readonly Scenario[] = [
  { title: 'nothing is published', play: async (machine) => await machine.pass(HOUR + 12_345) },
  {
    title: 'a window opens',
    options: { policy: AT_NIGHT, now: '2026-11-21T00:20:00Z' },
    play: async (machine) => await machine.pass(HOUR),
  },
  {
    title: 'a blackout begins before a window opens',
    options: {
      policy: {
        ...AT_NIGHT,
        blackout: [{ from: '2026-11-21', to: '2026-11-22', time_zone: 'UTC' }],
      },
      now: '2026-11-20T23:30:00Z',
    },
    play: async (machine) => await machine.pass(HOUR),
  },
  {
    title: 'a cooldown ends before a window opens',
    options: {
      policy: { ...AT_NIGHT, restart_cooldown: '1h' },
      releases: { 'acme:lidar': ['1.2.3', '1.2.4'] },
      now: '2026-11-21T02:50:00Z',
    },
    play: async (machine) => {
      await machine.pass(HOUR / 3);
      machine.registry.publish('acme:lidar', '1.2.5');
      await machine.pass(HOUR);
    },
  },
  {
    title: 'a release becomes old enough',
    options: { policy: { minimum_release_age: '20d' }, now: '2026-11-20T23:40:00Z' },
    play: async (machine) => await machine.pass(HOUR),
  },
  {
    title: 'the test publishes while it sleeps',
    play: async (machine) => {
      const publish = (): void => machine.registry.publish('acme:lidar', '1.2.11');
      const published = machine.clock.sleep(0.7 * HOUR).then(publish);
      await Promise.all([published, machine.pass(HOUR)]);
    },
  },
  {
    title: 'the registry cannot be reached after many requests',
    play: async (machine) => {
      const late = Array.from({ length: 60 }, () => ({ kind: 'slow', ms: 0 }) as const);
      machine.registry.break(...late, { kind: 'offline', times: 9 });
      await machine.pass(HOUR);
    },
  },
  {
    title: 'the power is cut, and the machine starts again',
    play: async (machine) => {
      await machine.pass(20 * MINUTE);
      machine.powerCut();
      await machine.clock.pass(HOUR);
      await machine.restart();
      await machine.pass(20 * MINUTE);
    },
  },
  {
    title: 'the agent deploys a version and acknowledges nothing',
    options: { acknowledgeWithinMs: HOUR / 2, carryOut: () => undefined },
    play: async (machine) => {
      await machine.pass(MINUTE);
      machine.deployed.set('lidar', '1.2.9');
      await machine.pass(HOUR);
    },
  },
];

describe('[D429] a machine at rest', () => {
  it.each(SCENARIOS)('does the same if its rounds are left out: $title', async (scenario) => {
    const { options, play } = scenario;
    const machine = started(options);
    await play(machine);
    const whole = started({ ...options, ...EACH_ROUND });
    await play(whole);
    expect(seenOf(machine)).toEqual(seenOf(whole));
  });

  it('a week passes in under a second of CPU time', async () => {
    const machine = started();
    const before = process.cpuUsage();
    await machine.pass(WEEK);
    const { user, system } = process.cpuUsage(before);
    expect(machine.registry.requests).toHaveLength(3 + 4 * 7 * 24 * 60);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('plays each round while a function of the test decides', async () => {
    const isKnown = ({ name }: { readonly name: string }): boolean =>
      name === 'lidar' && machine.clock.now() >= Date.parse('2026-11-21T00:30:00Z');
    const machine: TestMachine = started({
      deployedVersion: (target) => (isKnown(target) ? '1.2.3' : undefined),
    });
    await machine.pass(HOUR);
    const times = machine.deliveries.map(({ action }) => new Date(action.decidedAt).toISOString());
    expect(times).toEqual(['2026-11-21T00:30:30.000Z']);
  });
});

/** One round after the other: when it begins, the requests before it, and an event before it. */
type Row = readonly [at: number, requests: readonly string[], event?: string];

interface Given {
  readonly end?: number;
  readonly rest?: number | undefined;
}

const SAME: readonly Row[] = [
  [60, ['a', 'b']],
  [120, ['a', 'b']],
  [180, ['a', 'b']],
];

describe('[D429] rounds are left out', () => {
  const [one, two, three] = SAME as [Row, Row, Row];
  it.each<[string, readonly Row[], Given, readonly [number, string]]>([
    ['all but two of those that fit', SAME, {}, [420, 'ab'.repeat(3 + 7)]],
    ['all but two before something happens', SAME, { rest: 299 }, [120, 'ab'.repeat(3 + 2)]],
    ['none if two fit', SAME, { end: 300 }, [0, 'ab'.repeat(3)]],
    ['none if nothing is known', SAME, { rest: undefined }, [0, 'ab'.repeat(3)]],
    ['none after two', [two, three], {}, [0, 'abab']],
    ['none of another length', [one, [130, ['a', 'b']], three], {}, [0, 'ababab']],
    ['none with other requests', [one, [120, ['a', 'c']], three], {}, [0, 'abacab']],
    ['none with an event', [one, two, [180, ['a', 'b'], 'held']], {}, [0, 'ababab']],
  ])('%s', (_title, rows, given, outcome) => {
    const { end = 720, rest } = { rest: Infinity, ...given };
    const requests: string[] = [];
    const events: string[] = [];
    const rounds = repeatedRounds(
      { registry: { requests }, hasFaults: () => false },
      { events, deliveries: [], restsFor: () => rest },
    );
    const leaps = rows.map(([at, added, event]) => {
      requests.push(...added);
      if (event !== undefined) events.push(event);
      return rounds.leap(at, end);
    });
    expect([leaps.at(-1), requests.join('')]).toEqual(outcome);
  });

  it('none that began before the test changed something', () => {
    const rounds = repeatedRounds(
      { registry: { requests: [] }, hasFaults: () => false },
      { events: [], deliveries: [], restsFor: () => Infinity },
    );
    const leaps = [60, 120, 180, 240, 300].map((at) => {
      if (at === 180) rounds.forget();
      return rounds.leap(at, 660);
    });
    expect(leaps).toEqual([0, 0, 0, 0, 240]);
  });
});

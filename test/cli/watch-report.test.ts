import { describe, expect, it } from 'vitest';
import { UnreadableSite } from '../../src/cli/plan/polling-words.ts';
import { WatchReport } from '../../src/cli/plan/watch-report.ts';
import type { Problem } from '../../src/base/problem.ts';
import { readUpdatePolicy } from '../../src/config/index.ts';
import type { Plan } from '../../src/core/index.ts';
import type { PollingEvent } from '../../src/poller/event.ts';
import { entry, known, plan } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');

/** A report, what it prints on each stream, and its clock. */
function reporting(isJson = false): {
  readonly report: WatchReport;
  readonly out: string[];
  readonly err: string[];
  readonly pass: (ms: number) => void;
} {
  const [out, err]: [string[], string[]] = [[], []];
  let now = NOON;
  const world = {
    ...quietWorld('linux/arm64'),
    clock: () => now,
    print: (line: string) => void out.push(line),
    note: (line: string) => void err.push(line),
  };
  return { report: new WatchReport(isJson, world), out, err, pass: (ms) => (now += ms) };
}

/** The plan of a machine with a lidar at `deployed`, whose window opens at 17:00. */
function planned(deployed: string | undefined, newest = '1.1.0', now = NOON): Plan {
  const maintenance = [{ start: '0 2 * * *', duration: '1h', time_zone: 'Asia/Tokyo' }];
  const policy = readUpdatePolicy(JSON.stringify({ maintenance }));
  if (!policy.ok) throw new Error('the policy has errors');
  const machine = { modules: [entry('acme:lidar', '1.*')] };
  const modules = { acme_lidar: known(deployed, ['1.0.0', newest]) };
  return plan(machine, modules, { policy: policy.value, now });
}

const HELD = 'upgrade to 1.1.0 waits: the maintenance window is closed until 2026-11-21T17:00:00Z';

describe('the output of modreg watch', () => {
  it('has times in the zone of the policy, and each decision once', () => {
    const { report, out, err, pass } = reporting();
    report.show(planned('1.0.0'));
    report.show(planned('1.0.0'));
    pass(61_000);
    report.show(planned('1.1.0'));
    report.show(planned('1.0.0'));
    expect(out).toEqual([]);
    expect(err).toEqual([
      `12:00:00Z   acme:lidar   ${HELD} (2026-11-22 02:00 Asia/Tokyo, in 5 h)`,
      '12:01:01Z   acme:lidar   up to date: already the newest release of 1',
      `12:01:01Z   acme:lidar   ${HELD} (2026-11-22 02:00 Asia/Tokyo, in 4 h 58 min)`,
    ]);
  });

  it('has times in UTC with --json', () => {
    const { report, err } = reporting(true);
    report.show(planned('1.0.0'));
    report.note('for a person');
    expect(err).toEqual([`{"note":"acme:lidar   ${HELD}"}`]);
  });

  it('does not show what is up to date from the start', () => {
    const { report, out, err } = reporting();
    report.show(planned('1.1.0'));
    report.show(planned('1.1.0'));
    expect([...out, ...err]).toEqual([]);
  });

  it('has an action again after another decision, or with another version', () => {
    const { report, out } = reporting();
    const open = Date.parse('2026-11-21T17:00:00Z');
    for (const [deployed, newest] of [
      ['1.0.0', '1.1.0'],
      ['1.0.0', '1.1.0'],
      ['1.0.0', '1.2.0'],
      ['1.2.0', '1.2.0'],
      ['1.0.0', '1.2.0'],
      ['1.1.0', '1.2.0'],
    ] as const) {
      report.show(planned(deployed, newest, open));
    }
    const upgrade = 'upgrade   newest release of 1';
    expect(out).toEqual([
      `12:00:00Z   acme:lidar   1.0.0 → 1.1.0   ${upgrade}`,
      `12:00:00Z   acme:lidar   1.0.0 → 1.2.0   ${upgrade}`,
      `12:00:00Z   acme:lidar   1.0.0 → 1.2.0   ${upgrade}`,
      `12:00:00Z   acme:lidar   1.1.0 → 1.2.0   ${upgrade}`,
    ]);
  });

  it.each([
    [0, 0, 'stopped after 0 s: 0 rounds, 0 actions, 0 retries'],
    [1, 1, 'stopped after 1 min: 1 round, 0 actions, 1 retry'],
    [2, 2, 'stopped after 2 min: 2 rounds, 0 actions, 2 retries'],
  ])('ends with its counts: %i, %i', (rounds, retries, line) => {
    for (const isJson of [false, true]) {
      const { report, err, pass } = reporting(isJson);
      report.retries = retries;
      pass(rounds * 60_000);
      report.end(rounds);
      expect(err).toEqual(isJson ? [] : [line]);
    }
  });

  const PROBLEM: Problem = { severity: 'error', kind: 'bad-value', message: 'm', because: ['b'] };

  it('has the warnings about the documents when they change', () => {
    const { report, err } = reporting();
    const warning: Problem = { severity: 'warning', kind: 'unknown-field', message: 'x' };
    for (const warnings of [[], [warning], [warning], [], [warning]]) report.warn(warnings);
    expect(err).toEqual(['warning[UNKNOWN_FIELD]: x', 'warning[UNKNOWN_FIELD]: x']);
  });

  it('has events as lines, or as objects with --json', () => {
    const unreadable: PollingEvent = {
      kind: 'configuration-unreadable',
      error: new UnreadableSite([PROBLEM]),
    };
    const bug: PollingEvent = { kind: 'callback-error', error: new Error('x') };
    const [person, data] = [reporting(), reporting(true)];
    for (const { report } of [person, data]) {
      report.onEvent(unreadable);
      report.onEvent(bug);
    }
    expect(person.err).toEqual([
      '12:00:00Z   the documents that were read last stay in use, because:',
      'error[BAD_VALUE]: m',
      '  because b',
      'error[INTERNAL]: this is a bug in modreg: Error: x',
    ]);
    expect(data.err.map((line) => JSON.parse(line) as object)).toMatchObject([
      { note: 'the documents that were read last stay in use, because:' },
      { error: { code: 'BAD_VALUE', message: 'm', because: ['b'] } },
      { error: { code: 'INTERNAL' } },
    ]);
  });

  it.each<[Problem[], string]>([
    [[PROBLEM, { ...PROBLEM, message: 'n' }], 'm: b'],
    [[{ ...PROBLEM, because: [] }], 'm'],
    [[], 'it has no reason'],
  ])('an unreadable document is an error with its first problem: %j', (problems, message) => {
    expect(new UnreadableSite(problems).message).toBe(message);
  });
});

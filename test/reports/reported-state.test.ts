import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import type { MaintenanceWindow } from '../../src/config/fields/maintenance-window.ts';
import { reportedModules, reportedOutcome } from '../../src/reports/reported-state.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { readReport } from '../../src/server/fleet/report.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import type { RecordedDecision } from '../../src/store/decision-history.ts';
import { logged } from '../support/machine-home.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { lidarReport } from '../support/reported-facts.ts';

function named(name: string, deployed: string): RecordedDecision {
  const kind = name.startsWith('platform-') ? 'subsystem' : 'module';
  return { ...logged(name), kind, deployed, list: undefined, newest: undefined, facts: {} };
}

const DAY = 86_400_000;

describe('what a machine reports', () => {
  it.each<[string, string, readonly string[]]>([
    ['acme_lidar', 'unknown', ['acme_lidar']],
    ['platform-server', '1.0.0', ['platform-server']],
    ['platform-server', 'none', ['platform-server']],
    ['platform-server', 'unknown', []],
  ])('about %s, of which %s is deployed: %j', (name, deployed, reported) => {
    const rows = [named(name, deployed)];
    const state = {
      decisions: () => rows,
      newestInHistory: () => rows,
      memory: () => ({ held: [], open: [], quarantine: [] }),
    };
    expect(reportedModules(state, () => []).map((one) => one.name)).toEqual(reported);
  });
});

it('what ran for another module of an entry is not what its module runs', () => {
  const row = { ...named('acme_lidar', '1.2.8'), moduleId: 'acme:lidar' };
  const state = {
    decisions: () => [row],
    newestInHistory: () => [{ ...row, moduleId: 'acme:other' }],
    memory: () => ({ held: [], open: [], quarantine: [] }),
  };
  expect(reportedModules(state, () => []).map(({ deployed, facts }) => [deployed, facts])).toEqual([
    ['unknown', null],
  ]);
});

it.each([
  [7 * DAY + 1, true],
  [7 * DAY, undefined],
])('[D79] a machine reports that something has been held for %i ms: %s', (elapsedMs, expected) => {
  const rows = [{ ...named('acme_lidar', '1.2.8'), decision: 'hold' }];
  const held = { deployed: '1.2.8', since: 5, elapsedMs, countedAt: undefined };
  const state = {
    decisions: () => rows,
    newestInHistory: () => rows,
    memory: () => ({
      open: [],
      quarantine: [],
      held: [{ kind: 'module', name: 'acme_lidar', ...held } as const],
    }),
  };
  const modules = reportedModules(state, () => []);
  expect(modules.map((one) => one.held_over_a_week)).toEqual([expected]);
  expect(readReport(machineReport([], { state: reportedState(1, ...modules) })).ok).toBe(true);
});

it.each<[string, string, string | undefined]>([
  ['hold', 'window-closed', 'window-closed'],
  ['stuck', 'no-match', undefined],
  ['up-to-date', 'up-to-date', undefined],
])(
  '[D210] a module with %s because of %s is reported as held by %s',
  (decision, code, expected) => {
    const because = { code, facts: ['x'], times: [] };
    const rows = [{ ...named('acme_lidar', '1.2.8'), decision, because }];
    const state = {
      decisions: () => rows,
      newestInHistory: () => rows,
      memory: () => ({ held: [], open: [], quarantine: [] }),
    };
    const modules = reportedModules(state, () => []);
    expect(modules.map((one) => one.held_by)).toEqual([expected]);
    expect(readReport(machineReport([], { state: reportedState(1, ...modules) })).ok).toBe(true);
  },
);

const NOW = Date.parse('2026-11-27T12:00:00Z');

/** The 100 windows that a policy may have, each of which starts at `start`. */
function windowsOf(start: string): readonly MaintenanceWindow[] {
  const window = { start, duration: '2h', time_zone: 'Europe/Berlin' };
  const maintenance = Array.from({ length: 100 }, () => window);
  const policy = readUpdatePolicy(JSON.stringify({ maintenance }));
  if (!policy.ok) throw new Error('the policy has a problem');
  return policy.value.terms.window?.windows ?? [];
}

/** What a machine reports whose modules were all decided from the same facts. */
function reportedWith(facts: unknown, names: readonly string[]): ReportedModule[] {
  const rows = names.map((name) => ({ ...named(name, '1.2.9'), facts }));
  const state = {
    decisions: () => rows,
    newestInHistory: () => rows,
    memory: () => ({ held: [], open: [], quarantine: [] }),
  };
  return reportedModules(state, () => ['lidar0']);
}

const ALL_MINUTES = [...Array(60).keys()].join();
const ALL_HOURS = [...Array(24).keys()].join();

it('[D92] the facts that a machine reports say which floors are skipped, and not by whom or why', () => {
  const skippedFloors = [{ version: '1.2.0', by: 'ann', because: 'by hand', at: NOW }];
  const facts = { requirement: { kind: 'latest' }, deployed: { kind: 'none' }, skippedFloors };
  const [reported] = reportedWith(facts, ['lidar0']);
  expect(Object(reported?.facts).skippedFloors).toEqual([{ version: '1.2.0', by: '', at: 0 }]);
});

it('[D75, D77, D79] the facts that a machine reports do not say what holds only this machine', () => {
  const timing = {
    restartCeiling: 12,
    operatorHolds: [{ by: 'ann', because: 'on stage' }],
    vetoes: [{ by: 'arm', said: 'docking', isOverridable: true }],
    longestHoldEnd: 5,
  };
  const facts = { requirement: { kind: 'latest' }, deployed: { kind: 'none' }, timing };
  const [reported] = reportedWith(facts, ['lidar0']);
  expect(Object(reported?.facts).timing).toEqual({
    restartCeiling: 12,
    isServerBusy: false,
    restarts: [],
  });
});

it('[D76] nor who requested a replacement at once', () => {
  const upgradeRequest = { by: 'ann', because: 'it burns', to: '1.2.4', despite: [] };
  const facts = { requirement: { kind: 'latest' }, deployed: { kind: 'none' }, upgradeRequest };
  const [reported] = reportedWith(facts, ['lidar0']);
  expect(reported?.facts).toMatchObject({ requirement: { kind: 'latest' } });
  expect(JSON.stringify(reported?.facts)).not.toContain('ann');
});

describe('[T265] a registry takes what a machine with a valid policy reports', () => {
  it.each<[string, string, number, number]>([
    ['one module and 100 windows', '0 2 * * *', 1, 1],
    [
      'windows that are longer than facts may be',
      `${ALL_MINUTES},${ALL_MINUTES} ${ALL_HOURS} * * *`,
      1,
      0,
    ],
    ['1,000 modules and 100 windows', '0 2 * * *', 1000, 70],
  ])('%s', (_, start, count, withFacts) => {
    const { facts } = lidarReport({}, NOW);
    const timing = { ...Object(facts).timing, window: { $windows: windowsOf(start) } };
    const names = Array.from({ length: count }, (_none, place) => `acme_m${place}`);
    const modules = reportedWith({ ...facts, timing }, names);
    const report = machineReport([], { state: reportedState(1, ...modules) });
    expect(readReport(report).ok).toBe(true);
    expect(JSON.stringify(report).length).toBeLessThan(SERVER_LIMITS.bodyBytes);
    expect(modules.filter((one) => one.facts !== null)).toHaveLength(withFacts);
  });

  it('texts of which each character is escaped', () => {
    const text = '\u202e'.repeat(150);
    const rows = [
      { ...named(text, text), decision: 'stuck', reason: text, moduleId: 'acme:lidar' },
    ];
    const known = {
      decisions: () => rows,
      newestInHistory: () => rows,
      memory: () => ({ held: [], open: [], quarantine: [] }),
    };
    const modules = reportedModules(known, () => []);
    const target = { kind: 'module', name: text, moduleId: 'acme:lidar' } as const;
    const action = {
      id: 'action-1',
      target,
      direction: 'upgrade',
      from: undefined,
      to: text,
    } as const;
    // A cast: only these members of an action are reported.
    const settled = { action, result: 'failed', at: NOW, reason: text } as unknown as Parameters<
      typeof reportedOutcome
    >[0];
    const outcomes = [{ number: 1, ...reportedOutcome(settled) }];
    const state = reportedState(1, ...modules);
    expect(readReport(machineReport([1], { state, outcomes }))).toMatchObject({ ok: true });
  });
});

import { expect, it } from 'vitest';
import type { OpenAction } from '../../src/core/plan/committed-action.ts';
import type { FailedEntry, MachineMemory } from '../../src/core/plan/machine-memory.ts';
import { failingModule } from '../../src/reports/failing-module.ts';
import { readReport } from '../../src/server/fleet/report.ts';
import { moduleId } from '../support/ask.ts';
import { logged } from '../support/machine-home.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { loggedDecisions } from '../../src/core/plan/logged-decisions.ts';
import { lidarPlan, waiting, wantedBy } from '../support/open-actions.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const LIDAR = { ...logged('lidar'), moduleId: 'acme:lidar', latest: '1.3.0' };
const [UPGRADE] = wantedBy(lidarPlan('1.*', ['1.0.0', '1.3.0']));
const FULL = { version: '1.3.0', blame: 'machine', reason: 'the disk is full' };
const STALLED = { version: '1.3.0', reason: 'motor stalled' };

/** An open action that failed so often. */
function open(failures: number, more: Partial<OpenAction> = {}): Partial<MachineMemory> {
  if (!UPGRADE) throw new Error('the plan has no action');
  const failed = { failures, lastFailure: 'the disk is full', notBefore: NOON };
  return { open: [waiting(UPGRADE, { ...failed, ...more })] };
}

/** A release in quarantine; undefined as state: an operator refuses it. */
function quarantined(
  state: FailedEntry['state'] | undefined,
  more: { readonly version?: string; readonly until?: number; readonly name?: string } = {},
): Partial<MachineMemory> {
  const { version = '1.3.0', until, name = 'lidar' } = more;
  const entry = { moduleId: moduleId('acme:lidar'), version, until, since: NOON } as const;
  const entries = state && [{ key: `module ${name}`, name, state, sameAs: undefined }];
  return { quarantine: [{ ...entry, digest: undefined, reason: 'motor stalled', entries }] };
}

it.each<[string, Partial<MachineMemory>, object | undefined]>([
  ['nothing', {}, undefined],
  ['an action that is not begun', open(0), undefined],
  [
    'an action that failed for a reason of the machine',
    open(4),
    { ...FULL, attempts: 4, next_at: '2026-11-21T12:00:00Z' },
  ],
  [
    'one without a next attempt',
    open(1, { notBefore: 0 }),
    { ...FULL, attempts: 1, next_at: null },
  ],
  [
    'one without a reason',
    open(1, { lastFailure: undefined }),
    { ...FULL, attempts: 1, reason: null, next_at: '2026-11-21T12:00:00Z' },
  ],
  [
    'a release that failed alone',
    quarantined('failed'),
    { ...STALLED, blame: 'release', next_at: null },
  ],
  [
    'one whose quarantine ends',
    quarantined('failed-again', { until: NOON }),
    { ...STALLED, blame: 'release', next_at: '2026-11-21T12:00:00Z' },
  ],
  [
    'one that fails as the version before it',
    quarantined('waiting'),
    { ...STALLED, blame: 'undecided', next_at: null },
  ],
  ['one that an operator refuses', quarantined(undefined), undefined],
  ['one that failed in another entry', quarantined('failed', { name: 'other' }), undefined],
  ['an earlier release', quarantined('failed', { version: '1.2.9' }), undefined],
])('[D184] of %s, a machine reports what fails', (_what, memory, expected) => {
  const failing = failingModule(LIDAR, { open: [], quarantine: [], ...memory });
  expect(failing).toEqual(expected);
  const state = reportedState(1, { failing });
  expect(readReport(machineReport([], { state }))).toMatchObject({ ok: true });
});

it.each([
  ['2.* is newer, outside of the constraint', '1.*', ['1.0.0', '1.3.0', '2.0.0'], true],
  ['a prerelease is newer', '1.*', ['1.0.0', '1.3.0', '1.4.0-rc.1'], true],
  ['nothing is newer', 'latest', ['1.0.0', '1.3.0'], true],
  ['a newer one is accepted', '1.*', ['1.0.0', '1.3.0', '1.4.0', '2.0.0'], false],
  ['the constraint accepts it no longer', '1.2.*', ['1.0.0', '1.2.0', '1.3.0'], false],
  ['it is published no longer', '1.*', ['1.0.0', '2.0.0'], false],
])('[D452] 1.3.0 failed, and %s', (_what, constraint, published, isFailing) => {
  const memory = { open: [], quarantine: [], ...quarantined('failed') };
  const quarantine = [{ version: '1.3.0', reason: 'motor stalled' }];
  const [row] = loggedDecisions(
    lidarPlan(constraint, published, { state: { quarantine } }),
    new Map(),
  );
  const failing = row && failingModule(row, memory);
  expect(failing?.version).toBe(isFailing ? '1.3.0' : undefined);
});

import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { expect, it } from 'vitest';
import { reportedModules } from '../../src/reports/reported-state.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { readReport } from '../../src/server/fleet/report.ts';
import { MINUTE } from '../support/day.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { promptRegistry, racer, track } from '../support/racing.ts';
import { logged } from '../support/machine-home.ts';
import { textOf } from './support/machine-page.ts';
import { testSite, type TestSite } from './support/site-page.ts';

const HANGING: PollableRegistry = {
  ...promptRegistry(() => 1),
  readAll: async () => await new Promise(() => undefined),
};

/** A registry takes the report of a machine, as it was sent. */
async function send(
  site: TestSite,
  machine: string,
  modules: readonly ReportedModule[],
): Promise<void> {
  const sent = { ...machineReport([]), state: reportedState(1, ...modules) };
  const read = readReport(JSON.parse(JSON.stringify(sent)));
  if (!read.ok) throw new Error(read.error.join('\n'));
  await site.report(machine, read.value.state?.modules ?? []);
}

/** What needs attention, as the list of machines shows it. */
async function stuckLines({ app }: TestSite): Promise<string[]> {
  return (await textOf(app, '/')).filter((line) => line.includes(' stuck '));
}

it('[D65] a registry that does not answer within 10 min: the page says so', async () => {
  const { clock, state, poller } = racer(track(), {
    registries: [HANGING, promptRegistry(() => 1)],
    deployed: '1.0.0',
  });
  await clock.pass(11 * MINUTE);
  await poller.stop();
  const [lidar, ...others] = reportedModules(state, () => []);
  const site = testSite();
  await send(site, 'rover-1', lidar ? [lidar, ...others] : []);

  const because = { code: 'registry-timeout', facts: ['a registry did not answer within 10 min'] };
  expect(lidar).toMatchObject({ decision: 'stuck', reason: because.facts[0], because });
  expect(await stuckLines(site)).toEqual([
    'acme:lidar 1.0.0 stuck a registry did not answer within 10 min',
  ]);
});

const STUCK = { decision: 'stuck', target: undefined } as const;
const STALE = 'refused; the saved list was confirmed at ';
const LIMIT = ', the limit is 7 d';

/** What a machine reports whose list was confirmed at `time`, with a limit on its age. */
function reportOf(time: string, limit: string): ReportedModule[] {
  const because = { code: 'list-stale', facts: [STALE, limit], times: [Date.parse(time)] };
  const rows = [logged('acme_lidar', { ...STUCK, reason: `${STALE}${time}${limit}`, because })];
  return reportedModules(stateWith(rows), () => []);
}

it.each([
  ['other times', '2026-11-02T00:00:00Z', LIMIT, true],
  ['another limit', '2026-11-01T00:00:00Z', ', the limit is 8 d', false],
])('[D65] machines whose reasons have %s', (_, time, limit, isSame) => {
  const first = reportOf('2026-11-01T00:00:00Z', LIMIT);
  expect(first[0]?.reason).toBe(`${STALE}…${LIMIT}`);
  expect(JSON.stringify(reportOf(time, limit)) === JSON.stringify(first)).toBe(isSame);
});

it('what an earlier modreg logged is reported as it is written', () => {
  const rows = [logged('acme_lidar', { ...STUCK, reason: `${STALE}2026-11-01T00:00:00Z${LIMIT}` })];
  const [lidar] = reportedModules(stateWith(rows), () => []);
  expect([lidar?.reason, lidar?.because]).toEqual([
    `${STALE}2026-11-01T00:00:00Z${LIMIT}`,
    undefined,
  ]);
});

it.each<[string, object | undefined, string]>([
  ['from an earlier modreg', undefined, 'no release satisfies 3.*'],
  [
    'with facts',
    { code: 'no-match', facts: ['closed until ', '; 3 more'] },
    'closed until …; 3 more',
  ],
  ['with facts of a later modreg', { code: 'no-match', facts: ['new'], limit: 7 }, 'new'],
])('a report %s is shown', async (_, because, words) => {
  const site = testSite();
  const module = { decision: 'stuck', target: null, reason: 'no release satisfies 3.*' };
  // A cast: a later modreg sends fields that this one does not know.
  const sent = { ...module, ...(because && { because }) } as unknown as ReportedModule;
  const [lidar] = reportedState(1, sent).modules;
  await send(site, 'rover-1', lidar ? [lidar] : []);
  expect(await stuckLines(site)).toEqual([`acme:lidar 1.2.9 stuck ${words}`]);
});

it.each<[unknown, string]>([
  [{ code: 'x', facts: [] }, '/state/modules/0/because/facts: expected a fact'],
  [{ code: 'x', facts: ['', ''] }, '/state/modules/0/because/facts: expected a fact'],
  [{ code: 'no match', facts: ['a'] }, '/state/modules/0/because/code: expected one word'],
  [{ code: 'x', facts: Array(17).fill('a') }, '/state/modules/0/because/facts: more than 16'],
  [{ code: 'x' }, '/state/modules/0/because/facts: missing or not an object'],
])('a report with the reason %j is refused', (because, error) => {
  // A cast: what is refused is no reason.
  const module = { because } as unknown as ReportedModule;
  const read = readReport({ ...machineReport([]), state: reportedState(1, module) });
  expect(read.ok ? [] : read.error).toEqual([error]);
});

/** What a machine whose decisions are `rows` knows. */
function stateWith(rows: readonly LoggedDecision[]): Parameters<typeof reportedModules>[0] {
  return {
    decisions: () => rows,
    newestInHistory: () => [],
    memory: () => ({ held: [], open: [], quarantine: [] }),
  };
}

import { expect, it } from 'vitest';
import type { Outcome } from '../../src/base/problem.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { loggedDecisions } from '../../src/core/plan/logged-decisions.ts';
import type { World } from '../../src/base/world.ts';
import { planFor } from '../../src/host/plan/machine-plan.ts';
import { readPlanDocuments } from '../../src/host/plan-documents.ts';
import { pageApp } from '../../src/page/app.ts';
import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { openLog } from '../../src/logs/log-file.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { reportedModules } from '../../src/reports/reported-state.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { moduleNamed } from '../support/claimed.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';
import { homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { site } from '../support/site.ts';
import { textOf } from '../page/support/machine-page.ts';
import { moduleId, testSite } from '../page/support/site-page.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const OLD = '2026-01-01T00:00:00Z';

interface Case {
  readonly constraint?: string;
  readonly deployed?: string | null;
  readonly list?: readonly object[];
  readonly terms?: object;
}

function release(version: string, more: object = {}): object {
  return { version, published_at: OLD, ...more };
}

const BOTH = [release('1.0.0'), release('1.1.0')];
const YANKED = { yanked: 'drifts' };
const CLOSED = { maintenance: [{ start: '0 2 1 1 *', duration: '1h', time_zone: 'UTC' }] };

/** A module in each state, by its name: its word in tables, its colour, and its state on the page of the machine. */
const CASES: readonly (readonly [string, Case, string, string | undefined, string])[] = [
  ['current', {}, 'up to date', 'settled', 'up to date'],
  ['pinned', { constraint: '1.0.0', list: BOTH }, 'up to date', 'settled', 'up to date'],
  ['ahead', { deployed: '1.2.0' }, 'up to date', 'settled', 'up to date'],
  ['reload', { deployed: 'reload-1' }, 'up to date', 'settled', 'up to date'],
  ['yanked', { list: [release('1.0.0', YANKED)] }, 'yanked', 'attention', 'needs attention'],
  ['refused', {}, 'up to date', 'attention', 'needs attention'],
  ['failing', {}, 'up to date', 'attention', 'needs attention'],
  ['newer', { list: BOTH }, 'upgrade', undefined, 'due'],
  ['new', { deployed: null }, 'install', undefined, 'due'],
  ['lower', { constraint: '1.0.0', deployed: '1.1.0', list: BOTH }, 'downgrade', undefined, 'due'],
  ['failed', { deployed: '1.1.0', list: BOTH }, 'rollback', undefined, 'due'],
  ['asked', {}, 'restart', undefined, 'due'],
  ['held', { list: BOTH, terms: CLOSED }, 'waiting', 'waiting', 'waiting'],
  [
    'held_yanked',
    { list: [release('1.0.0', YANKED), release('1.1.0')], terms: CLOSED },
    'waiting',
    'waiting',
    'waiting',
  ],
  ['no_match', { constraint: '2.*', deployed: null }, 'stuck', 'attention', 'needs attention'],
  [
    'young',
    { deployed: null, list: [release('1.0.0', { published_at: '2026-11-24T12:00:00Z' })] },
    'waiting',
    'waiting',
    'waiting',
  ],
];

/** The word in the last column that matters, by the name of the module in the line. */
function wordsIn(lines: readonly string[], head: string): Record<string, string> {
  const place = lines.findIndex((line) => line.includes(`  ${head}`));
  const start = (lines[place] ?? '').indexOf(head);
  const below = lines.slice(place + 1);
  const end = [...below, ''].indexOf('');
  const rows = below.slice(0, end).flatMap((line) => {
    const [, name] = /acme[:_](\w+)/.exec(line) ?? [];
    return name === undefined || line.length <= start ? [] : [[name, line.slice(start)] as const];
  });
  return Object.fromEntries(
    // What is below a row names its module as well.
    rows.toReversed().map(([name, text]) => [name, /^up to date|^[a-z]+/.exec(text)?.[0] ?? text]),
  );
}

function coloursOf({ answer, states }: Outcome): Record<string, string | undefined> {
  return Object.fromEntries(
    answer.flatMap((line) => {
      const [, name] = /^ {2}acme:(\w+)/.exec(line) ?? [];
      return name === undefined ? [] : [[name, states?.get(line)?.urgency]];
    }),
  );
}

/** The state of each module on a page. */
function statesOn(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name = '', state] = /^acme:(\w+) (.*)$/.exec(line) ?? [];
      return state === undefined || !NAMES.has(name) ? [] : [[name, state]];
    }),
  );
}

const NAMES: ReadonlySet<string> = new Set(CASES.map(([name]) => name));

async function machine(): Promise<{ readonly path: string; readonly world: World }> {
  const home = homeAfter((state) => {
    for (const [name, { deployed = '1.0.0' }] of CASES)
      state.report(moduleNamed(`acme_${name}`, `acme:${name}`), deployed, 1);
    const failed = { moduleId: moduleId('acme:failed'), version: '1.1.0', digest: undefined };
    state.quarantine({ ...failed, since: 1, until: undefined, reason: 'it ended' });
    state.requestRestart(moduleNamed('acme_asked', 'acme:asked'), {
      requestedAt: 1,
      isImmediate: false,
    });
  });
  const modules = CASES.map(([name, { constraint = '1.*' }]) => entry(`acme:${name}`, constraint));
  const terms = CASES.flatMap(([name, { terms: own }]) =>
    own ? [[`acme_${name}`, own] as const] : [],
  );
  const lists = CASES.map(([name, { list = [release('1.0.0')] }]) => [`acme/${name}`, list]);
  const folder = site({
    machine: { modules },
    policy: {
      registry: './lists',
      minimum_release_age: '14d',
      refuse: { 'acme:refused': ['1.0.0'] },
      modules: Object.fromEntries(terms),
    },
    lists: Object.fromEntries(lists) as Record<string, object[]>,
  });
  const world = {
    ...quietWorld('linux/arm64'),
    environment: { PLATFORM_HOME: home },
    clock: () => NOW,
  };
  const path = `${folder}/machine.json`;
  const planned = await planFor(path, readPlanDocuments(path, {}), {}, world);
  if (!planned.ok) throw new Error(planned.error[0]?.message);
  const file = openForPoller(`${home}/machine.db`);
  file.state.log(loggedDecisions(planned.value.plan, new Map()), { at: NOW, trouble: undefined });
  const current = { version: '1.0.0', root: '/p' };
  const activation = { phase: 'stable', current, previous: undefined, settled: undefined } as const;
  noteActivation(file, 'acme_failing', { moduleId: moduleId('acme:failing'), activation });
  file.close();
  const log = openLog(`${home}/logs.db`, 'create');
  const failed = { module: 'acme_failing', version: '1.0.0', event: 'modreg.module.failed' };
  const record = { at: NOW, severity: 'warn', text: 'it ended', ...failed } as const;
  log.append([record, record]);
  log.close();
  return { path, world };
}

/** What the machine reports of its decisions, without their facts. */
function reportedBy({ environment }: World): readonly Partial<ReportedModule>[] {
  const file = openMachineFile(`${environment['PLATFORM_HOME'] ?? ''}/machine.db`, {
    mode: 'read',
  });
  try {
    const all = reportedModules(machineStateIn(file), () => []);
    return all.map(({ facts: _facts, failing: _failing, ...one }) => one);
  } finally {
    file.close();
  }
}

/** The answers of commands about a registry to which the machine has reported. */
async function fleetWith(
  modules: readonly Partial<ReportedModule>[],
): Promise<(...args: readonly string[]) => Promise<readonly string[]>> {
  const { address, catalogue } = await loopbackRegistry();
  const token = tokenFor(catalogue, ['machine:rover-1'], 'rover-1');
  await fetch(`${address}/v1/machines/rover-1/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(machineReport([1], { state: reportedState(1, ...modules) })),
  });
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  const world = { ...quietWorld('linux/arm64'), environment, clock: () => NOW };
  return async (...args) =>
    (await runCommandLine(['fleet', ...args, '--registry', address], world)).answer;
}

it('[D421] [D469] plan, status, agent status, the fleet and its page have one word for one state', async () => {
  const { path, world } = await machine();
  const modules = reportedBy(world);
  const fleet = await fleetWith(modules);
  const registry = testSite();
  await registry.report('rover-1', modules);
  const words = Object.fromEntries(CASES.map(([name, , word]) => [name, word]));
  const answers = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await runCommandLine(args, world)).answer;
  expect(wordsIn(await answers('plan', path), 'DECISION')).toEqual(words);
  expect(wordsIn(await answers('status'), 'DECISION')).toEqual(words);
  expect(wordsIn(await answers('agent', 'status'), 'UPDATE')).toEqual(words);
  // A report says what was decided, not that what is deployed was yanked (D409).
  const reported = { ...words, yanked: 'up to date' };
  expect(wordsIn(await fleet('machines'), 'DECISION')).toEqual(reported);
  expect(wordsIn(await fleet('status'), 'DECISIONS')).toEqual(reported);
  // Its site does not know from this report, which has no facts, what is wrong with what is deployed.
  const unknown = { yanked: 'up to date', refused: 'up to date', failing: 'up to date' };
  const states = CASES.map(([name, , , , state]) => [name, state]);
  expect(statesOn(await textOf(registry.app, '/machines/rover-1'))).toEqual({
    ...Object.fromEntries(states),
    ...unknown,
  });
});

it('[D422] a plan says that what is deployed ends again and again', async () => {
  const { path, world } = await machine();
  const { answer } = await runCommandLine(['plan', path], world);
  expect(answer.filter((line) => line.includes(' failed '))).toContain(
    '      acme:failing 1.0.0 failed 2 times in ten minutes, last: it ended; no agent runs that starts it',
  );
});

it('[D422] plan, status and the page of the machine find the same urgent', async () => {
  const { path, world } = await machine();
  const urgencies = Object.fromEntries(CASES.map(([name, , , urgency]) => [name, urgency]));
  expect(coloursOf(await runCommandLine(['plan', path], world))).toEqual(urgencies);
  expect(coloursOf(await runCommandLine(['status'], world))).toEqual(urgencies);
  const app = pageApp(machineOnPage(path, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  expect(statesOn(await textOf(app, '/'))).toEqual(
    Object.fromEntries(CASES.map(([name, , , , state]) => [name, state])),
  );
});

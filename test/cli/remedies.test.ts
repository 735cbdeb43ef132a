import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { pageApp } from '../../src/page/app.ts';
import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import type { QuarantineEntry } from '../../src/core/plan/machine-memory.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { machineHold } from '../support/machine-hold.ts';
import { preparedMachine, type Prepared } from '../support/prepared-machine.ts';
import { moduleId } from '../support/ask.ts';
import { linesOf } from '../page/support/machine-page.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const HOUR = 3_600_000;
const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const CLOSED = { maintenance: [{ start: '0 2 * * *', duration: '1h', time_zone: 'UTC' }] };
const OLDER = { arm: '1.1.0', lidar: '1.0.0' };
const REMEDY = /^(?:Why|Begin|Restart|End|Find|Replace|Select)\b[^…]*: modreg |^(?:To|See) .*\.$/;

function failed(state: MachineState): void {
  const { id } = commitOne(state, { target: LIDAR, from: '1.0.0', to: '1.1.0' });
  state.deliver(id, NOW - HOUR);
  const why = { reason: 'the disk is full', running: '1.0.0', blame: 'machine' } as const;
  const at = { at: NOW - HOUR, quarantineUntil: undefined, retryAt: NOW + HOUR };
  state.acknowledge(id, { kind: 'failed', ...why }, at);
}

function hold(of: { readonly kind: 'module' | 'machine'; readonly name: string }) {
  return (state: MachineState): void =>
    state.setHold({ ...machineHold({ from: NOW - HOUR, ms: 9 * HOUR }), of });
}

function refused(state: MachineState): void {
  const release = { moduleId: moduleId('acme:lidar'), version: '1.1.0', digest: undefined };
  state.quarantine({ ...release, since: NOW - HOUR, until: undefined, reason: 'no light' });
}

const yanked = [{ version: '1.0.0' }, { version: '1.1.0', yanked: 'drifts' }];

/** A state, and what a person can do, by `plan`, by `status`, and by the cards of the page. */
it.each<[string, Prepared, readonly string[], readonly string[] | 'as in plan', readonly string[]]>(
  [
    ['nothing is wrong', {}, [], [], []],
    [
      'what is deployed ends again and again',
      { failing: 'lidar' },
      ['Why: modreg agent logs acme:lidar; go back: modreg rollback acme:lidar'],
      'as in plan',
      ['See its logs, or roll it back.'],
    ],
    [
      'an action fails because of the machine',
      { deployed: OLDER, work: failed },
      ['Find out more: modreg doctor'],
      'as in plan',
      ['To find out more, run modreg doctor on the machine.'],
    ],
    [
      'an upgrade waits for a window',
      { deployed: OLDER, policy: CLOSED },
      ['Begin now: modreg upgrade acme:lidar --now'],
      'as in plan',
      ['To begin it now, choose Upgrade now.'],
    ],
    [
      'the upgrades of several modules wait for a window',
      { deployed: { arm: '1.0.0', cam: '1.0.0', gps: '1.0.0', lidar: '1.0.0' }, policy: CLOSED },
      ['Begin now: modreg upgrade MODULE --now (acme:arm, acme:cam, acme:gps, 1 more)'],
      'as in plan',
      Array.from({ length: 4 }, () => 'To begin it now, choose Upgrade now.'),
    ],
    [
      'a requested restart waits for a window',
      {
        policy: CLOSED,
        work: (state) =>
          state.requestRestart(LIDAR, { requestedAt: NOW - HOUR, isImmediate: false }),
      },
      ['Restart now: modreg restart acme:lidar --now'],
      'as in plan',
      ['To restart it now, choose Restart.'],
    ],
    [
      'an operator holds a module',
      { deployed: OLDER, work: hold({ kind: 'module', name: 'acme_lidar' }) },
      ['End the hold: modreg unhold acme:lidar'],
      // The table of holds says how one ends.
      [],
      ['To begin it now, end the hold.'],
    ],
    [
      'an operator holds a module, and its window is closed',
      { deployed: OLDER, policy: CLOSED, work: hold({ kind: 'module', name: 'acme_lidar' }) },
      ['End the hold: modreg unhold acme:lidar; then begin now: modreg upgrade acme:lidar --now'],
      [],
      ['To begin it now, end the hold, and choose Upgrade now.'],
    ],
    [
      'an operator holds the machine',
      { deployed: OLDER, work: hold({ kind: 'machine', name: '' }) },
      ['End the hold: modreg unhold'],
      [],
      ['To begin it now, end the hold.'],
    ],
    [
      'the registry is not reached',
      { policy: { registry: 'http://127.0.0.1:9' } },
      ['Find out more: modreg doctor'],
      'as in plan',
      Array.from({ length: 2 }, () => 'To find out more, run modreg doctor on the machine.'),
    ],
    [
      'a yanked release stays',
      { deployed: { lidar: '1.1.0' }, releases: yanked },
      ['Replace it: modreg set acme:lidar VERSION, or modreg rollback acme:lidar'],
      'as in plan',
      ['To replace it, change its version or roll it back.'],
    ],
    [
      'the newest release is in quarantine',
      { deployed: OLDER, work: refused },
      ['Select 1.1.0 again: modreg quarantine lift acme:lidar 1.1.0'],
      // So does the table of what is in quarantine, and the link on the card.
      [],
      [],
    ],
  ],
)('[D468, D410] what a person can do if %s', async (_, prepared, ...said) => {
  const [inPlan, inStatus, onPage] = said;
  const { world, path } = await preparedMachine(prepared, NOW);
  const answer = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await runCommandLine(args, world)).answer.filter((line) => REMEDY.test(line));
  expect(await answer('plan', path)).toEqual(inPlan);
  expect(await answer('status')).toEqual(inStatus === 'as in plan' ? inPlan : inStatus);
  const app = pageApp(machineOnPage(path, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  const lines = linesOf(await (await app.request('/')).text());
  expect(lines.filter((line) => REMEDY.test(line))).toEqual(onPage);
});

it.each([
  ['of another time', ['--at', '+1h']],
  ['of other modules', ['--deployed']],
])('[D468] a plan %s names no command for this machine', async (_, options) => {
  const { world, path } = await preparedMachine({ deployed: OLDER, policy: CLOSED }, NOW);
  const [option = '', ...rest] = options;
  const report = option === '--deployed' ? [path.replace('machine.json', 'deployed.json')] : rest;
  const { answer } = await runCommandLine(['plan', path, option, ...report], world);
  expect(answer.filter((line) => REMEDY.test(line))).toEqual([]);
});

it('[D468] a plan in a narrow terminal begins with what ends again and again', async () => {
  const { world, path } = await preparedMachine({ failing: 'lidar' }, NOW);
  const { answer } = await runCommandLine(['plan', path], { ...world, columns: 80 });
  const row = answer.findIndex((line) => line.startsWith('  acme:lidar '));
  expect(answer.slice(row, row + 3)).toEqual([
    '  acme:lidar   1.*   1.1.0',
    '      1.1.0 failed 2 times: exit code 7 · no agent runs',
    '',
  ]);
});

it('[D485] the card of a module that fails begins with that, and says it completely behind Why', async () => {
  const { world, path } = await preparedMachine({ failing: 'lidar' }, NOW);
  const app = pageApp(machineOnPage(path, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  const lines = linesOf(await (await app.request('/')).text());
  expect(lines.filter((line) => line.includes('failed 2 times'))).toEqual([
    '1.1.0 failed 2 times: exit code 7 · no agent runs',
    '1.1.0 failed 2 times in ten minutes, last: it ended with exit code 7; no agent runs that starts it',
  ]);
});

/** The agent carries out an upgrade to 1.1.0. */
function delivered(state: MachineState): void {
  state.deliver(commitOne(state, { target: LIDAR, from: '1.0.0', to: '1.1.0' }).id, NOW - HOUR);
}

it('[D485] what the agent carries out comes before what fails, on the card and in a narrow plan', async () => {
  const prepared = { deployed: { lidar: '1.0.0' }, failing: 'lidar', work: delivered };
  const { world, path } = await preparedMachine(prepared, NOW);
  const app = pageApp(machineOnPage(path, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  const { answer } = await runCommandLine(['plan', path], { ...world, columns: 80 });
  const headlines = [...answer, ...linesOf(await (await app.request('/')).text())].filter((line) =>
    /^ *(?:upgrade to 1\.1\.0 is carried out|1\.0\.0 failed 2 times:.*)$/.test(line),
  );
  expect(headlines).toEqual([
    '      upgrade to 1.1.0 is carried out',
    'upgrade to 1.1.0 is carried out',
  ]);
});

function quarantined(version: string): QuarantineEntry {
  const entry = { moduleId: moduleId('acme:lidar'), version, digest: undefined };
  return { ...entry, reason: 'it ended', since: 1, until: undefined };
}

/** Nothing is deployed, and nothing may be. */
function allInQuarantine(state: MachineState): void {
  for (const version of ['1.0.0', '1.1.0']) state.quarantine(quarantined(version));
  state.report(LIDAR, null, 1);
}

/** The only release does not count as deployed, since it failed too often. */
function onlyInQuarantine(state: MachineState): void {
  state.quarantine(quarantined('1.0.0'));
  state.report(LIDAR, null, 1);
}

it('[D468, D488] the only release, which fails, starts again, and no rollback is offered', async () => {
  const releases = [{ version: '1.0.0', published_at: '2026-01-01T00:00:00Z' }];
  const { world, path } = await preparedMachine(
    { deployed: { lidar: '1.0.0' }, failing: 'lidar', releases, work: onlyInQuarantine },
    NOW,
  );
  const { answer } = await runCommandLine(['plan', path], world);
  expect(answer.slice(3)).toEqual([
    '  acme:lidar   1.*          none       -        1.0.0    stuck      no release may be selected: 1 in quarantine',
    '      acme:lidar 1.0.0 failed 2 times in ten minutes, last: it ended with exit code 7; no agent runs that starts it',
    '',
    '1 stuck, 0 unchanged.',
    'Why: modreg agent logs acme:lidar',
    'Nothing was changed.',
  ]);
  const status = await runCommandLine(['status'], world);
  expect(status.answer.filter((line) => line.startsWith('Why: '))).toEqual([
    'Why: modreg agent logs acme:lidar',
  ]);
  const app = pageApp(machineOnPage(path, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  const lines = linesOf(await (await app.request('/')).text());
  expect(lines.filter((line) => /^next |^See |roll it back/.test(line))).toEqual(['See its logs.']);
});

it('[D488] what is stuck because of a quarantine without an end waits for a person, or a release', async () => {
  const { world, path } = await preparedMachine(
    { deployed: { lidar: '1.1.0' }, work: allInQuarantine },
    NOW,
  );
  const next = 'next nothing, until a person lifts 1.1.0 or another release is published';
  const { answer } = await runCommandLine(['plan', path], world);
  expect(answer.slice(3)).toEqual([
    '  acme:lidar   1.*          none       -        1.1.0    stuck      no release may be selected: 2 in quarantine',
    `      ${next}`,
    '',
    '1 stuck, 0 unchanged.',
    'Select 1.1.0 again: modreg quarantine lift acme:lidar 1.1.0',
    'Nothing was changed.',
  ]);
  const app = pageApp(machineOnPage(path, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  expect(linesOf(await (await app.request('/')).text())).toContain(next);
});

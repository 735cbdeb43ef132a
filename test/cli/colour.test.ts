import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { LOG_FILE } from '../../src/logs/log-file.ts';
import { logWriter } from '../../src/logs/log-writer.ts';
import { moduleNamed } from '../support/claimed.ts';
import { startedInProcess, textOf } from '../support/in-process.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { site } from '../support/site.ts';

const RED = '31';
const YELLOW = '33';
const GREEN = '32';

/** A machine with a module in each state, and the folder of its documents. */
function machine(): { readonly home: string; readonly folder: string } {
  const home = homeAfter((state) => {
    for (const name of ['arm', 'hold', 'hot', 'lidar'])
      state.report(moduleNamed(`acme_${name}`, `acme:${name}`), '1.0.0', 1);
    const yank = { version: '1.0.0', because: 'drifts' };
    const decisions = [
      logged('acme_arm', { decision: 'stuck', reason: 'no list' }),
      logged('acme_hold', { decision: 'hold', reason: 'resting' }),
      logged('acme_hot', { decision: 'up-to-date', reason: 'hot', deployedYanked: yank }),
      logged('acme_lidar', { decision: 'up-to-date', reason: 'newest' }),
      logged('acme_new', { decision: 'install', reason: 'up-to-date  stuck  hold' }),
    ];
    state.log(decisions, { at: 1, trouble: undefined });
  });
  const folder = site({
    machine: {
      modules: ['arm', 'hold', 'hot', 'lidar'].map((name) => entry(`acme:${name}`, '1.*')),
    },
    policy: {
      registry: './lists',
      minimum_release_age: '14d',
      modules: {
        acme_hold: { maintenance: [{ start: '0 2 1 1 *', duration: '1h', time_zone: 'UTC' }] },
      },
    },
    deployed: { acme_arm: null, acme_hold: '1.0.0', acme_hot: '1.0.0', acme_lidar: '1.0.0' },
    lists: {
      'acme/arm': ['2.0.0'],
      'acme/hold': [old('1.0.0'), old('1.1.0')],
      'acme/hot': [{ ...old('1.0.0'), yanked: 'drifts' }],
      'acme/lidar': [old('1.0.0')],
    },
  });
  const log = logWriter(`${home}/${LOG_FILE}`, () => undefined);
  for (const severity of ['info', 'warn', 'error'] as const) {
    log.write({ at: 1, severity, module: undefined, text: `an error of ${severity}` });
  }
  log.close();
  return { home, folder };
}

function old(version: string): { readonly version: string; readonly published_at: string } {
  return { version, published_at: '2026-01-01T00:00:00Z' };
}

/** What a command prints on a terminal of 200 columns, or in a pipe. */
async function printed(
  args: readonly string[],
  {
    isTTY,
    ...env
  }: { readonly isTTY: boolean; readonly NO_COLOR?: string; readonly COLUMNS?: string },
): Promise<string> {
  const { home, folder } = machine();
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 200 });
  const { ended } = startedInProcess(
    args.map((arg) => (arg.endsWith('.json') ? `${folder}/${arg}` : arg)),
    { stdout, env: { PLATFORM_HOME: home, ...env } },
  );
  await ended;
  return textOf(stdout).replaceAll(/\/[^\s"]*modreg-[^\s/"]*|\d+ d \d+ h/g, '…');
}

/** The coloured words. */
function coloured(text: string): string[] {
  return Array.from(
    text.matchAll(/\u001b\[(\d+)m(.*?)\u001b\[39m/g),
    ([, colour, word]) => `${colour} ${word}`,
  );
}

const PLAN = ['plan', 'machine.json', '--deployed', 'deployed.json'];

it.each<[readonly string[], readonly string[]]>([
  [['status'], [`${RED} stuck`, `${YELLOW} waiting`, `${RED} yanked`, `${GREEN} up to date`]],
  [PLAN, [`${RED} stuck`, `${YELLOW} waiting`, `${RED} yanked`, `${GREEN} up to date`]],
  [
    ['agent', 'logs'],
    [`${YELLOW} warn`, `${RED} error`],
  ],
])('[D391] %s on a terminal colours the words of states, and nothing else', async (args, words) => {
  const shown = await printed(args, { isTTY: true });
  expect(coloured(shown)).toEqual(words);
  const plain = await printed(args, { isTTY: false });
  expect(stripVTControlCharacters(shown)).toBe(plain);
  expect(coloured(await printed(args, { isTTY: true, NO_COLOR: '1' }))).toEqual([]);
  expect(coloured(await printed([...args, '--json', '--color=always'], { isTTY: true }))).toEqual(
    [],
  );
});

it('[D391] the words of states are coloured where a decision has two lines', async () => {
  const shown = await printed(['status'], { isTTY: true, COLUMNS: '60' });
  expect(coloured(shown)).toHaveLength(4);
  expect(shown).toContain(`      \u001b[${RED}mstuck\u001b[39m: no list`);
});

it('[D391] doctor colours how severe each finding is', async () => {
  const shown = coloured(await printed(['doctor'], { isTTY: true }));
  expect(new Set(shown)).toEqual(new Set([`${GREEN} ok`, `${YELLOW} warning`, `${RED} error`]));
});

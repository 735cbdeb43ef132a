import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { site } from '../support/site.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SITE = {
  machine: { modules: [entry('acme:lidar', '1.*')] },
  policy: { registry: './lists', restart_cooldown: '0s' },
  deployed: { acme_lidar: '1.0.0' },
  lists: { 'acme/lidar': ['1.0.0', '1.1.0'] },
};
const ANY = expect.any(String) as string;
const FAILED =
  'upgrade to 1.1.0 failed once because of this machine, next attempt 2026-11-21T12:00:30Z (in 30 s): the disk is full';

/** The home of a machine whose upgrade failed because its disk is full. */
function failingHome(): string {
  return homeAfter((state) => {
    const target = moduleNamed('acme_lidar', 'acme:lidar');
    const { id } = commitOne(state, { target });
    const why = { reason: 'the disk is full', running: '1.0.0', blame: 'machine' } as const;
    state.deliver(id, NOW);
    state.acknowledge(
      id,
      { kind: 'failed', ...why },
      { at: NOW, quarantineUntil: undefined, retryAt: NOW + 30_000 },
    );
    const due = { decision: 'upgrade', reason: 'newest release of 1' };
    state.log([logged('acme_lidar', due)], { at: NOW, trouble: undefined });
  });
}

/** What a command answers on that machine. */
async function answerTo(args: readonly string[], columns?: number): Promise<readonly string[]> {
  const folder = site(SITE);
  const world = {
    ...quietWorld('linux/arm64'),
    environment: { PLATFORM_HOME: failingHome() },
    columns,
    clock: () => NOW,
  };
  const { answer } = await runCommandLine(
    args.map((arg) => (arg.endsWith('.json') ? `${folder}/${arg}` : arg)),
    world,
  );
  return answer;
}

/** Its lines that are about the module or the failure. */
async function linesOf(...args: Parameters<typeof answerTo>): Promise<readonly string[]> {
  return (await answerTo(...args))
    .map((line) => line.trim().replaceAll(/ {2,}/g, ' '))
    .filter((line) => /^acme|failed/.test(line));
}

const PLAN = ['plan', 'machine.json'];

it.each([
  ['a plan', PLAN, `1.1.0 upgrade ${FAILED}; newest release of 1`],
  ['the status', ['status'], `1.1.0 upgrade ${FAILED}; newest release of 1`],
])(
  '[D387] %s says in the row of a module that its action fails, and once',
  async (_, args, why) => {
    expect(await linesOf(args)).toEqual([`acme:lidar 1.* 1.0.0 1.1.0 ${why}`]);
  },
);

it('[D387] the headline says it where the columns of a plan do not fit', async () => {
  expect(await linesOf(PLAN, 60)).toEqual([
    'acme:lidar 1.* 1.0.0 → 1.1.0',
    'upgrade to 1.1.0 failed: the disk is… · again in 30 s',
  ]);
});

it.each([
  ['from a report', ['--deployed', 'deployed.json']],
  ['of another time', ['--at', '2026-11-22T12:00:00Z']],
])('[D387] a plan %s does not say what fails now', async (_, options) => {
  expect(await linesOf([...PLAN, ...options])).toEqual([
    'acme:lidar 1.* 1.0.0 1.1.0 1.1.0 upgrade newest release of 1',
  ]);
});

/** The open action of the only row in a part of what a command answers as data. */
async function actionIn(args: readonly string[], part: string): Promise<unknown> {
  const [line = ''] = await answerTo([...args, '--json']);
  const [row] = (JSON.parse(line) as Record<string, { readonly action: unknown }[]>)[part] ?? [];
  return row?.action;
}

it.each([
  ['now', [], { state: 'waiting', failures: 1, last_failure: 'the disk is full' }],
  ['from a report', ['--deployed', 'deployed.json'], null],
  ['of another time', ['--at', '2026-11-22T12:00:00Z'], null],
])('[D423] the JSON of a plan %s has the open action', async (_, options, action) => {
  const planned = await actionIn([...PLAN, ...options], 'modules');
  expect(planned).toEqual(
    action && { ...((await actionIn(['status'], 'targets')) as object), ...action, id: ANY },
  );
});

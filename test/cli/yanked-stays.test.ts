import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { pageApp } from '../../src/page/app.ts';
import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import { preparedMachine, type Prepared } from '../support/prepared-machine.ts';
import { linesOf } from '../page/support/machine-page.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const OLD = '2026-01-01T00:00:00Z';
const YANKED = { version: '1.1.0', published_at: OLD, yanked: 'drifts' };
const LOWER = { version: '1.0.0', published_at: OLD };
const DEPLOYED: Prepared = { deployed: { lidar: '1.1.0' }, releases: [LOWER, YANKED] };

it('[D409] all views of a machine say in the same words that a deployed release is yanked, and what follows', async () => {
  const { world, path } = await preparedMachine(DEPLOYED, NOW);
  const answer = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { answer: lines } = await runCommandLine(args, world);
    return lines.filter((line) => /yanked|stays|Replace/.test(line)).map((line) => line.trim());
  };
  const why =
    'stays at 1.1.0, which is yanked: drifts; the newest release of 1 that may be selected is 1.0.0';
  const replace = 'Replace it: modreg set acme:lidar VERSION, or modreg rollback acme:lidar';
  expect(await answer('plan', path)).toEqual([
    `acme:lidar   1.*          1.1.0      1.1.0    1.0.0    yanked     ${why}`,
    'next stays until a newer release of 1.* is published',
    replace,
  ]);
  expect(await answer('status')).toEqual([
    `acme:lidar   1.*          1.1.0      1.1.0    1.0.0    yanked     ${why}`,
    'acme_lidar: 1.1.0 is yanked; it stays until a newer release of 1.* is published',
    replace,
  ]);
  expect(await answer('agent', 'status')).toEqual([
    'acme_lidar   -         not installed   -         -        yanked: drifts; it stays until a newer release of 1.* is published',
  ]);
  const doctor = await runCommandLine(['doctor', path], world);
  const found = doctor.answer.findIndex((line) => line.includes('yanked'));
  expect(doctor.answer.slice(found, found + 2)).toEqual([
    'warning  releases   acme_lidar: 1.1.0 is yanked: drifts; it stays until a newer release of 1.* is published',
    '                    fix: modreg set acme:lidar VERSION, or modreg rollback acme:lidar',
  ]);
  const app = pageApp(machineOnPage(path, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  const lines = linesOf(await (await app.request('/')).text());
  expect(lines.filter((line) => /yanked|^next/.test(line))).toEqual([
    '1.1.0 is yanked: drifts · stays, nothing newer',
    'next stays until a newer release of 1.* is published',
    why,
  ]);
});

it.each<[string, Prepared, string | undefined]>([
  [
    'the policy replaces it, and nothing else may be selected',
    {
      ...DEPLOYED,
      policy: { on_yank: 'replace' },
      releases: [{ ...LOWER, yanked: 'drifts, too' }, YANKED],
    },
    'next stays until another release of 1.* is published',
  ],
  [
    'a newer one is refused',
    { ...DEPLOYED, releases: [YANKED, { version: '1.2.0', published_at: OLD, artifacts: [] }] },
    'next stays until a newer release of 1.* may be selected',
  ],
  [
    'a newer one was yanked, too',
    {
      ...DEPLOYED,
      releases: [YANKED, { version: '1.2.0', published_at: OLD, yanked: 'too fast' }],
    },
    'next stays until a newer release of 1.* is published',
  ],
  [
    'a newer one is deployed next',
    { ...DEPLOYED, releases: [YANKED, { version: '1.2.0', published_at: OLD }] },
    undefined,
  ],
])('[D409] what follows for a yanked release: %s', async (_, prepared, next) => {
  const { world, path } = await preparedMachine(prepared, NOW);
  const { answer } = await runCommandLine(['plan', path], world);
  const found = answer.filter((line) => line.includes('stays until'));
  expect(found.map((line) => line.trim())).toEqual(next === undefined ? [] : [next]);
});

it.each([
  ['wide', undefined],
  ['as wide as that its reasons are wrapped', 100],
  ['narrow', 80],
])('[D412] a plan that is %s says the reason of a yank once', async (_, columns) => {
  const { world, path } = await preparedMachine(DEPLOYED, NOW);
  const { answer, problems } = await runCommandLine(['plan', path], { ...world, columns });
  expect(answer.join(' ').split('drifts')).toHaveLength(2);
  expect(problems.map(({ kind, message }) => [kind, message])).toEqual([
    ['deployed-yanked', 'acme:lidar: the deployed version 1.1.0 is yanked'],
  ]);
});

it('[D412] --json has all warnings with their reasons, and --strict counts them', async () => {
  const { world, path } = await preparedMachine(DEPLOYED, NOW);
  const { problems } = await runCommandLine(['plan', path, '--json'], world);
  expect(problems.map(({ kind, message }) => [kind, message])).toEqual([
    [
      'ahead',
      'acme:lidar: stays at 1.1.0, which is yanked: drifts; the newest release of 1 that may be selected is 1.0.0',
    ],
    ['deployed-yanked', 'acme:lidar: the deployed version 1.1.0 is yanked: drifts'],
  ]);
  expect((await runCommandLine(['plan', path, '--strict'], world)).ending).toBe('no');
});

it('[D412] a reason that the lines of a plan do not say stays in its warning', async () => {
  const prepared = { ...DEPLOYED, releases: [YANKED, { version: '1.2.0', published_at: OLD }] };
  const { world, path } = await preparedMachine(prepared, NOW);
  const { problems } = await runCommandLine(['plan', path], world);
  expect(problems.map(({ message }) => message)).toEqual([
    'acme:lidar: the deployed version 1.1.0 is yanked: drifts',
  ]);
});

/** What a narrow plan says of the complete reasons. */
async function reasons(prepared: Prepared, ...options: readonly string[]): Promise<string[]> {
  const { world, path } = await preparedMachine(prepared, NOW);
  const args = ['plan', path, ...options];
  const { answer } = await runCommandLine(args, { ...world, columns: 80 });
  return answer.filter((line) => line.includes('Complete reason'));
}

it('[D411] a narrow plan names the command that shows the reasons that it shortens', async () => {
  expect(await reasons(DEPLOYED)).toEqual(['  Complete reason: modreg why acme:lidar']);
  const both = { ...DEPLOYED, deployed: { arm: '1.1.0', lidar: '1.1.0' } };
  expect(await reasons(both)).toEqual([
    '  Complete reasons: modreg why MODULE (acme:arm, acme:lidar)',
  ]);
  // What is asked for another time was not recorded.
  expect(await reasons(DEPLOYED, '--at', '+1h')).toEqual([
    '  Complete reasons: in a terminal of 92 columns.',
  ]);
});

it.each<[string, Prepared]>([
  ['is up to date', {}],
  ['upgrades', { deployed: { lidar: '1.0.0' } }],
  [
    'waits for a window',
    {
      deployed: { lidar: '1.0.0' },
      policy: { maintenance: [{ start: '0 2 * * *', duration: '1h', time_zone: 'UTC' }] },
    },
  ],
  ['fails, which its log explains', { failing: 'lidar' }],
])(
  '[D411] a narrow plan says nothing of reasons if what it shows is complete: what %s',
  async (_, prepared) => {
    expect(await reasons(prepared)).toEqual([]);
  },
);

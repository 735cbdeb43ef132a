import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';

interface Played {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Runs `npm run simulate -- ...args` in `folder`. */
async function simulate(folder: string, ...args: readonly string[]): Promise<Played> {
  return await new Promise((resolve) => {
    const tool = join(folder, 'tools/simulate/run.ts');
    // The flags of the npm script: a quarter faster.
    const flags = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--always-sparkplug'];
    // A program that is compiled already starts faster.
    const cache = { NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/simulate` };
    const env = folder === ROOT ? { ...process.env, ...cache } : process.env;
    execFile(
      process.execPath,
      [...flags, tool, ...args],
      { cwd: folder, env },
      (error, stdout, stderr) => {
        const code = error ? Number(error.code) : 0;
        resolve({ code, lines: `${stdout}${stderr}`.trim().split('\n') });
      },
    );
  });
}

/** Every tenth seed is played twice, to show that plays are deterministic. */
const SEEDS = ['--seed', '1001', '--seeds', '1000', '--incidents', '5', '--twice', '10'];

it('[I1 to I15, L1, T18 to T62] 1,000 seeds break no invariant, and replays are identical', async ({
  annotate,
}) => {
  const { code, lines } = await simulate(ROOT, ...SEEDS, '--json');
  expect({ code, lines: lines.slice(0, -1) }).toEqual({ code: 0, lines: [] });
  const figures = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  await annotate(JSON.stringify(figures), 'figures');
  expect(figures['events']).toBeGreaterThanOrEqual(170_000);
  // Every crash point was reached.
  expect(figures).toMatchObject({ seeds: 1000, points: 59, missed: [] });
});

it("[A2, A3, A5, A16] modreg's own agent breaks no invariant in 60 seeds, and replays are identical", async ({
  annotate,
}) => {
  const seeds = ['--seeds', '60', '--incidents', '10', '--twice', '10'];
  const { code, lines } = await simulate(ROOT, '--agent', ...seeds, '--json');
  expect({ code, lines: lines.slice(0, -1) }).toEqual({ code: 0, lines: [] });
  const figures = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  await annotate(JSON.stringify(figures), 'figures');
  expect(figures['events']).toBeGreaterThanOrEqual(15_000);
});

it('over HTTP, 12 seeds have the same events as when each exchange is simulated', async ({
  annotate,
}) => {
  const { code, lines } = await simulate(ROOT, '--http', '--seeds', '12', '--json');
  expect({ code, lines: lines.slice(0, -1) }).toEqual({ code: 0, lines: [] });
  const figures = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  await annotate(JSON.stringify(figures), 'figures');
  expect(figures['seeds']).toBe(12);
  expect(figures['requests']).toBeGreaterThanOrEqual(700);
});

/** Plays that broke an invariant once. */
it.each([
  ['12035', '4,17,18,19,24'],
  ['5012724', '11,13,19,22'],
])('[R4] seed %s with the incidents %s', async (seed, only) => {
  const { code, lines } = await simulate(ROOT, '--seed', seed, '--only', only);
  expect({ code, verdict: lines.at(-1) }).toEqual({ code: 0, verdict: 'breaks no invariant' });
});

/** Plays of modreg's own agent that broke an invariant once. */
it.each([
  ['an entry of another module counted as deployed', '9'],
  ['a full disk kept the agent from its end', '36'],
  ['the failure of a local module was reported', '43'],
  ['an action that the machine failed was not tried again', '327'],
  ['a trial that had ended before its delivery came was repeated', '106'],
  ['the configuration before the one that was read permitted an install', '100083'],
  ['what was installed for an entry that had become a local module was started', '6311'],
])('%s: seed %s', async (_, seed) => {
  const { code, lines } = await simulate(ROOT, '--agent', '--seed', seed, '--seeds', '1');
  expect({ code, first: lines[0] }).toEqual({
    code: 0,
    first: expect.stringMatching(/^1 seeds, /),
  });
});

it('a broken invariant is reported with the shortest play that breaks it, and a command to replay it', async () => {
  const copy = temporaryFolder();
  for (const part of ['src', 'test', 'tools']) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const file = join(copy, 'src/core/releases/eligibility.ts');
  const text = readFileSync(file, 'utf8');
  const mistake = text.replace('release.yanked === undefined', "release.yanked !== ''");
  expect(mistake).not.toBe(text);
  writeFileSync(file, mistake);
  const { code, lines } = await simulate(copy, '--seed', '1');
  expect(code).toBe(1);
  const [verdict = '', length = '', command = ''] = lines;
  expect(verdict).toMatch(/^seed \d+ breaks I\d/);
  expect(length).toMatch(/^\d+ of its 30 incidents are enough\. To replay them:$/);
  const [, args = ''] =
    /^ {4}npm run simulate -- (--seed \d+ --only [\d,none]+)$/.exec(command) ?? [];
  const again = await simulate(copy, ...args.split(' '));
  expect(again.code).toBe(1);
  expect(again.lines.at(-1)).toMatch(/^breaks I\d/);
});

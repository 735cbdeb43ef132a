import { expect, it } from 'vitest';
import { exitCodeOf } from '../../src/base/problem.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { shownWord } from '../../src/core/plan/waiting-for-age.ts';
import { moduleNamed } from '../support/claimed.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { site } from '../support/site.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const DAY = 86_400_000;
const AGED = NOW + 11 * DAY;

interface Answer {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
  readonly exit: number;
}

/** What a command says on a machine whose only release was published three days ago, and must be two weeks old. */
async function told(args: readonly string[], columns?: number): Promise<Answer> {
  const folder = site({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    policy: { registry: './lists', minimum_release_age: '14d' },
    lists: { 'acme/lidar': [{ version: '1.2.3', published_at: '2026-11-22T12:00:00Z' }] },
  });
  const home = homeAfter((state) => {
    state.report(moduleNamed('acme_lidar', 'acme:lidar'), null, NOW);
    const next = { at: AGED, because: 'release-of-age', decision: 'install', target: '1.2.3' };
    const young = { decision: 'stuck', reason: 'too young', target: undefined, next };
    state.log([logged('acme_lidar', young)], { at: NOW, trouble: undefined });
  });
  const world = {
    ...quietWorld('linux/arm64'),
    environment: { PLATFORM_HOME: home },
    columns,
    clock: () => NOW,
  };
  const outcome = await runCommandLine(
    args.map((arg) => (arg === 'machine.json' ? `${folder}/${arg}` : arg)),
    world,
  );
  const lines = outcome.answer.map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
  return {
    lines: lines.filter((line) => /^(acme|1 |1\.2\.3|waiting)/.test(line)),
    problems: outcome.problems.map(({ message }) => message),
    exit: exitCodeOf(outcome),
  };
}

const PLAN = ['plan', 'machine.json'];

it('[D388] a plan in which a release is only too young waits, and is not stuck', async () => {
  expect(await told(PLAN)).toEqual({
    lines: [
      'acme:lidar 1.* none - 1.2.3 waiting no release may be selected: 1 too young',
      '1 waiting, 0 unchanged.',
    ],
    problems: [],
    exit: 0,
  });
  expect((await told([...PLAN, '--exit-code'])).exit).toBe(10);
  expect((await told(PLAN, 60)).lines).toEqual([
    'acme:lidar 1.* none',
    '1.2.3 is old enough in 11 d · not installed yet',
    '1 waiting, 0 unchanged.',
  ]);
});

it('[D388] nor does the status say that it is stuck', async () => {
  expect((await told(['status'])).lines).toEqual(['acme:lidar 1.* none - 1.1.0 waiting too young']);
});

it('[D388] what is held waits as well', () => {
  expect(shownWord(logged('acme_lidar', { decision: 'hold' }))).toBe('waiting');
});

it.each([
  ['release-of-age', 'install', 'waiting'],
  ['release-published', 'upgrade', 'waiting'],
  ['release-of-age', 'stuck', 'stuck'],
  ['list-too-old', 'stuck', 'stuck'],
  ['quarantine-ends', 'install', 'stuck'],
])('[D388] what ends with %s and is then %s: %s', (because, decision, word) => {
  const next = { at: AGED, because, decision, target: undefined };
  expect(shownWord(logged('acme_lidar', { decision: 'stuck', next }))).toBe(word);
});

import { expect, it } from 'vitest';
import { attempt, refusal } from '../support/archive-attempt.ts';
import { HOSTILE_ARCHIVES } from '../support/hostile-archives.ts';

it.each(Object.entries(HOSTILE_ARCHIVES))(
  '[A9] refuses %s before anything is written',
  async (_what, make) => {
    const archive = make();
    expect(await attempt(archive)).toEqual(refusal(archive));
  },
  120_000,
);

it('[A9] has at least 40 hostile archives', () => {
  expect(Object.keys(HOSTILE_ARCHIVES).length).toBeGreaterThanOrEqual(40);
});

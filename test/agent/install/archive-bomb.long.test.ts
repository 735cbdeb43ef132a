import { expect, it } from 'vitest';
import { attempt, refusal } from '../support/archive-attempt.ts';
import { BOMB } from '../support/hostile-archives.ts';

it('[A9] refuses a bomb of 4 GiB before anything is written', async () => {
  const archive = BOMB();
  expect(await attempt(archive)).toEqual(refusal(archive));
}, 120_000);

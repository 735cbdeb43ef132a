import { expect, it } from 'vitest';
import { decide } from '../../../src/core/index.ts';
import { headlineOf, headlineText } from '../../../src/core/explanation/headline.ts';
import { moduleQuestion, openFrom, type Situation } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = 3_600_000;

function holdOf(
  by: string,
  until?: number,
): Pick<NonNullable<Situation['timing']>, 'operatorHolds'> {
  const since = NOW - HOUR;
  return { operatorHolds: [{ of: 'target', by, because: 'fair', since, until }] };
}

const LATER = { window: openFrom([NOW + 14 * HOUR, NOW + 15 * HOUR]) };
const LONG_NAME = 'the crew of the late shift';

it.each<[string, NonNullable<Situation['timing']>]>([
  ['waits: the window opens in 14 h · held by ann', { ...LATER, ...holdOf('ann', NOW + 8 * HOUR) }],
  [
    'waits: the window opens in 14 h · a hold, too',
    { ...LATER, ...holdOf(LONG_NAME, NOW + 8 * HOUR) },
  ],
  [
    'waits: the hold of ann ends in 20 h · window closed',
    { ...LATER, ...holdOf('ann', NOW + 20 * HOUR) },
  ],
  [
    'waits: the hold ends in 20 h · window closed',
    { ...LATER, ...holdOf(LONG_NAME, NOW + 20 * HOUR) },
  ],
  ['upgrade to 1.2.4 waits: ann holds it · window closed', { ...LATER, ...holdOf('ann') }],
  [
    'waits: the hold of ann ends in 20 h · a blackout, too',
    {
      blackouts: [{ from: NOW - DAY, until: NOW + HOUR, timeZone: 'UTC', reason: 'fair' }],
      ...holdOf('ann', NOW + 20 * HOUR),
    },
  ],
  // An operator's hold alone is named as before.
  ['upgrade to 1.2.4 waits: the hold of ann ends in 20 h', holdOf('ann', NOW + 20 * HOUR)],
])('[D410] %s', (text, timing) => {
  const question = { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.3', '1.2.4'], timing };
  const said = headlineText(headlineOf(decide(moduleQuestion(question)), []), NOW);
  expect(said).toBe(text);
  expect(said.length).toBeLessThanOrEqual(60);
});

import { expect, it } from 'vitest';
import { Outcomes } from '../../src/agent/outcomes.ts';

const DONE = { command: 'done', action: '7' } as const;
const FAILED = {
  command: 'fail',
  action: '7',
  running: '1.0.0',
  reason: 'no port',
  blame: 'machine',
} as const;

it('an end that comes before its delivery answers only that delivery', async () => {
  const outcomes = new Outcomes();
  outcomes.note(FAILED);
  expect(await outcomes.of('7')).toEqual(FAILED);
  const next = outcomes.of('7');
  outcomes.note(DONE);
  expect(await next).toEqual(DONE);
});

it('an end that came before its delivery is taken once', () => {
  const outcomes = new Outcomes();
  expect(outcomes.take('7')).toBeUndefined();
  outcomes.note(FAILED);
  expect([outcomes.take('7'), outcomes.take('7')]).toEqual([FAILED, undefined]);
});

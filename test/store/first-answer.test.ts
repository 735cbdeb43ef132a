import { expect, it } from 'vitest';
import { decide } from '../../src/core/index.ts';
import { wordFor } from '../../src/core/decision/decision.ts';
import { NOT_ASKED } from '../../src/core/plan/plan.ts';
import { claimed, LIDAR } from '../support/claimed.ts';
import { moduleQuestion } from '../support/decided.ts';
import { logged } from '../support/machine-home.ts';

it.each([
  ['only waits for the first answer of a registry', '1.0.0', []],
  ['needs no list', undefined, ['stuck']],
])('the history of a decision that %s', (_, deployed, expected) => {
  const { state } = claimed();
  const input = { ...moduleQuestion({ wanted: '1.*', deployed }), list: NOT_ASKED };
  const row = logged('lidar', { decision: wordFor(decide(input)), moduleId: 'acme:lidar' });
  state.log([row], { at: 0, trouble: undefined }, new Map([['module lidar', input]]));
  expect(state.history(LIDAR).map(({ first }) => first.decision)).toEqual(expected);
});

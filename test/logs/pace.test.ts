import { expect, it } from 'vitest';
import type { Answer } from '../../src/logs/collector.ts';
import { START, stepAfter } from '../../src/logs/pace.ts';

it('after a record that is too large alone was set aside, batches grow again', () => {
  const answers: readonly [Answer['kind'], number][] = [
    ['too-large', 512],
    ['too-large', 1],
    ['too-large', 1],
    ['too-large', 1],
    ['accepted', 256],
  ];
  let pace = START;
  const steps = answers.map(([kind, count]) => {
    const step = stepAfter(pace, { kind } as Answer, count, 0);
    pace = step.pace;
    return `${step.batch}, then at most ${pace.size}`;
  });
  expect(steps).toEqual([
    'kept, then at most 256',
    'kept, then at most 256',
    'kept, then at most 256',
    'set-aside, then at most 256',
    'sent, then at most 512',
  ]);
});

it('a success ends the back-off', () => {
  const kinds: readonly Answer['kind'][] = [
    'unavailable',
    'unavailable',
    'accepted',
    'unavailable',
  ];
  let pace = START;
  const waits = kinds.map((kind) => {
    const step = stepAfter(pace, { kind } as Answer, 1, 0);
    pace = step.pace;
    return step.waitMs;
  });
  expect(waits).toEqual([30_000, 60_000, 0, 30_000]);
});

it('a record that is taken after refusals leaves the next one its three tries', () => {
  const kinds: readonly Answer['kind'][] = [
    'refused',
    'refused',
    'accepted',
    'refused',
    'refused',
    'refused',
  ];
  let pace = START;
  const steps = kinds.map((kind) => {
    const step = stepAfter(pace, { kind } as Answer, 1, 0);
    pace = step.pace;
    return step.batch;
  });
  expect(steps).toEqual(['kept', 'kept', 'sent', 'kept', 'kept', 'set-aside']);
});

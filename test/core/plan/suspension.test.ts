import { expect, it } from 'vitest';
import { suspensionOf, type FailedEntry } from '../../../src/core/plan/machine-memory.ts';
import { moduleId } from '../../support/ask.ts';

type State = FailedEntry['state'];

it.each<[string, State[], State | undefined]>([
  ['nothing is known about entries', [], undefined],
  ['it failed alone', ['failed'], undefined],
  ['it failed again', ['failed-again'], undefined],
  ['it failed again in another entry', ['waiting', 'failed-again'], undefined],
  [
    'it may be tried again in one entry, and waits in another',
    ['may-be-tried', 'waiting'],
    'waiting',
  ],
  ['it is started again and again', ['kept'], 'kept'],
])('[D80] the quarantine of a release is suspended or not: %s', (_, states, expected) => {
  const entries = states.map((state) => ({ key: state, name: state, state, sameAs: '1.0.0' }));
  const id = moduleId('acme:lidar');
  const entry = { moduleId: id, version: '1.1.0', since: 1, reason: 'no camera', entries };
  expect(suspensionOf(entry as never)?.state).toBe(expected);
});

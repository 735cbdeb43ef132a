import { expect, it } from 'vitest';
import { decide, type Action } from '../../../src/core/index.ts';
import { actionOf } from '../../../src/core/plan/action.ts';
import {
  permittedRollback,
  type PermittedRollback,
} from '../../../src/core/plan/permitted-rollback.ts';
import { moduleId } from '../../support/ask.ts';
import { moduleQuestion, type Situation } from '../../support/decided.ts';

const FILE = { platform: 'linux/arm64', url: 'https://files.example/1.2.3' };
const LIST = [{ version: '1.2.3', artifacts: [FILE] }, '1.2.4'] as const;
const BACK: PermittedRollback = { version: '1.2.3', artifact: FILE };
const TARGET = { kind: 'module', name: 'acme_lidar', moduleId: moduleId('acme:lidar') } as const;

it.each<[string, Situation, Partial<Action>, PermittedRollback | undefined]>([
  ['the version before', { wanted: '1.2.*', deployed: '1.2.3', list: LIST }, {}, BACK],
  [
    'the version before, although a newer one may be selected',
    { wanted: '1.2.*', deployed: '1.2.2', list: [...LIST, '1.2.2'] },
    {},
    { version: '1.2.2', artifact: undefined },
  ],
  [
    'the version before the one that failed last, if it is not known which one is deployed',
    {
      wanted: '1.2.*',
      deployed: undefined,
      failed: '1.2.4',
      quarantine: [{ version: '1.2.4' }],
      previous: '1.2.1',
      list: ['1.2.1', '1.2.2', '1.2.3', '1.2.4'],
    },
    { to: '1.2.3' },
    { version: '1.2.1', artifact: undefined },
  ],
  [
    'nothing, if nothing was deployed before and all else is refused',
    { wanted: '1.2.*', deployed: null, list: ['1.2.4'] },
    {},
    undefined,
  ],
  [
    'the version that was deployed before, if it is not known which one is now',
    { wanted: '1.2.*', deployed: null, previous: '1.2.2', list: [...LIST, '1.2.2'] },
    {},
    { version: '1.2.2', artifact: undefined },
  ],
  [
    'the newest release, if text that is no version is deployed',
    { wanted: '1.2.4', deployed: 'reload-7', previous: '1.2.2', list: [...LIST, '1.2.2'] },
    {},
    undefined,
  ],
  [
    'the version before the one that is deployed again',
    { wanted: '1.2.*', deployed: '1.2.3', previous: '1.2.2', list: [...LIST, '1.2.2'] },
    { to: '1.2.3' },
    { version: '1.2.2', artifact: undefined },
  ],
  [
    'nothing after a restart',
    { wanted: '1.2.*', deployed: '1.2.3', list: LIST },
    { direction: 'restart' },
    undefined,
  ],
  [
    'nothing after an address',
    { wanted: '1.2.*', deployed: '1.2.3', list: LIST },
    { to: 'https://files.example/a' },
    undefined,
  ],
])('[D37] permits %s', (_title, situation, change, expected) => {
  const input = moduleQuestion(situation);
  const action = actionOf(decide(input), TARGET, []);
  if (!action) throw new Error('the decision is no action');
  expect(permittedRollback({ ...action, ...change }, input)).toEqual(expected);
});

import { expect, it } from 'vitest';
import { DEFAULT_POLICY, readMachine, type UpdateTerms } from '../../../src/config/index.ts';
import { entrySetup } from '../../../src/core/plan/entry-setup.ts';
import { value } from '../../support/reading.ts';

const ENTRY = {
  type: 'registry',
  name: 'lidar',
  module_id: 'acme:lidar',
  version: '1.*',
  env: { PORT: 'ttyUSB0', RATE: '10' },
  attributes: { scan: { from: 1, to: 2 } },
};
const COMPONENT = {
  name: 'scanner',
  model: 'acme:lidar:vlp16',
  type: 'sensor',
  namespace: 'rdk',
  attributes: { port: 'ttyUSB0' },
};
const OTHER = { ...COMPONENT, name: 'camera', model: 'acme:cam:usb' };

const CAM = { ...ENTRY, name: 'cam', module_id: 'acme:cam' };

interface Edit {
  readonly entry?: object;
  readonly components?: readonly object[];
  readonly run?: Partial<UpdateTerms['run']>;
  readonly terms?: Partial<UpdateTerms>;
}

function setupOf({ entry = {}, components = [COMPONENT, OTHER], run, terms }: Edit): string {
  const config = { modules: [{ ...ENTRY, ...entry }, CAM], components };
  const machine = value(readMachine(JSON.stringify(config)));
  const [first] = machine.modules;
  if (!first) throw new Error('the config has no entry');
  const own = { ...DEFAULT_POLICY.terms, ...terms };
  const policy = { ...DEFAULT_POLICY, terms: { ...own, run: { ...own.run, ...run } } };
  return entrySetup(first, { machine, policy });
}

it.each<[string, Edit]>([
  ['a variable', { entry: { env: { PORT: 'ttyUSB1', RATE: '10' } } }],
  ['a variable that is added', { entry: { env: { ...ENTRY.env, MORE: '1' } } }],
  ['an attribute of the entry', { entry: { attributes: { scan: { from: 1, to: 3 } } } }],
  ['another field of the entry', { entry: { log_level: 'debug' } }],
  [
    'an attribute of a component of the module',
    { components: [{ ...COMPONENT, attributes: { port: 'ttyUSB1' } }, OTHER] },
  ],
  ['the command', { run: { command: ['bin/run', '--slow'] } }],
  ['the user', { run: { runAs: 'robot' } }],
])('[D82] is another text for an edit of %s', (_, edit) => {
  expect(setupOf(edit)).not.toBe(setupOf({}));
});

it.each<[string, Edit]>([
  ['the order of variables', { entry: { env: { RATE: '10', PORT: 'ttyUSB0' } } }],
  ['the order in an attribute', { entry: { attributes: { scan: { to: 2, from: 1 } } } }],
  ['the constraint', { entry: { version: '1.2.*' } }],
  [
    'a component of another module',
    { components: [COMPONENT, { ...OTHER, attributes: { port: 'video1' } }] },
  ],
  ['how long a start may take', { run: { readyMs: 1 } }],
  ['the cooldown', { terms: { restartCooldownMs: 1 } }],
])('[D82] is the same text for an edit of %s', (_, edit) => {
  expect(setupOf(edit)).toBe(setupOf({}));
});

import { expect, it } from 'vitest';
import { configurationFrom, DEFAULT_POLICY } from '../../src/config/index.ts';

const MACHINE =
  '{"modules": [{"type": "registry", "name": "cam", "module_id": "acme:cam", "version": "1.*"}]}';
const POLICY = '{"registry": "https://registry.example"}';

it('[D342] a machine config and a policy are a configuration, as text or bytes', () => {
  const { machine, policy } = configurationFrom(MACHINE, Buffer.from(POLICY));
  expect(machine.modules.map(({ name }) => name)).toEqual(['cam']);
  expect(policy.terms.registry).toBe('https://registry.example');
  expect(configurationFrom(MACHINE).policy).toBe(DEFAULT_POLICY);
});

it('[D342] an unknown field of a policy does not throw: the policy has it, and a plan holds what it would replace', () => {
  expect(configurationFrom(MACHINE, '{"maintenence": []}').policy.unknownFields).toEqual([
    { path: '/maintenence', suggestion: 'maintenance' },
  ]);
});

it.each<[string, string, string | undefined, string]>([
  [
    'each error of both documents is named',
    '{"modules": [{"type": "registry", "name": "cam", "module_id": "acme:cam", "version": "^1"}]}',
    '{"restart_ceiling": 0}',
    [
      'machine config:1:86: "^1" is not a version constraint',
      'update policy:1:21: found 0, expected a whole number from 1 to 1440',
    ].join('\n'),
  ],
  ['no policy, and no JSON', '{', undefined, 'machine config:1:2: expected "}"'],
])('[D342] %s', (_name, machine, policy, message) => {
  const error = expect.objectContaining({ name: 'RangeError', message });
  expect(() => configurationFrom(machine, policy)).toThrow(error);
});

it('[D342] the problems are the cause', () => {
  const cause = [expect.objectContaining({ path: '/restart_ceiling', kind: 'out-of-range' })];
  const error = expect.objectContaining({ name: 'RangeError', cause });
  expect(() => configurationFrom(MACHINE, '{"restart_ceiling": 0}')).toThrow(error);
});

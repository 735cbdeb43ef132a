import { expect, it } from 'vitest';
import { checkedServed } from '../../src/config/served/checked-served.ts';
import { entry } from '../support/planned.ts';

function outcome(fields: object, policy?: object): string {
  const config = JSON.stringify({ modules: [{ ...entry('acme:lidar', '1.*'), ...fields }] });
  const checked = checkedServed({ config, policy: policy && JSON.stringify(policy) });
  return checked.ok ? 'accepted' : `${checked.error.code}: ${checked.error.detail}`;
}

it('[D360] a document may name secrets in env, whole or within a value', () => {
  const env = { API_TOKEN: '${secret.A}', URL: 'https://rover:${secret.B_2}@maps.example' };
  expect(outcome({ env })).toBe('accepted');
});

const MISPLACED =
  'holds-secret: ${secret.NAME} is at a place where it is not replaced: it may only be in values of env of modules, with a name of letters, digits and "_"';

it.each<[string, object, object | undefined]>([
  ['with a name that has another character', { env: { RATE: '${secret.A-B}' } }, undefined],
  [
    'in another field of a module',
    { env: { RATE: '${secret.A}' }, type: 'local', executable_path: '/opt/${secret.A}' },
    undefined,
  ],
  ['in the policy', {}, { modules: { acme_lidar: { command: ['run', '${secret.A}'] } } }],
])('[D360] a document that names a secret %s is refused', (_where, fields, policy) => {
  expect(outcome(fields, policy)).toBe(MISPLACED);
});

it('[D360] a secret beside the name of one is refused', () => {
  const env = { RATE: '${secret.A}', API_TOKEN: 'kiwi-1234' };
  expect(outcome({ env })).toBe(
    'holds-secret: /config/modules/0/env/API_TOKEN is a secret, which a site cannot serve: keep it on the machine, or use ${environment.NAME}',
  );
});

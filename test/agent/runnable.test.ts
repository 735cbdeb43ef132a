import { expect, it } from 'vitest';
import { environmentFor } from '../../src/agent/runnable.ts';
import { DEFAULT_POLICY } from '../../src/config/index.ts';
import { entry } from '../support/planned.ts';
import { configurationOf } from '../support/racing.ts';

it.each([
  [
    {},
    {},
    { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
  ],
  [{}, { PATH: '/bin', LANG: 'C', SHELL: '/bin/sh' }, { PATH: '/bin', LANG: 'C' }],
  [{ PATH: '/opt/bin', HOME: '/srv' }, { PATH: '/bin' }, { PATH: '/opt/bin', HOME: '/srv' }],
])('a module with the env %o, of an agent with %o, has %o', (env, environment, expected) => {
  const { modules } = configurationOf({ ...entry('acme:lidar', '1.*', 'lidar'), env }).machine;
  const [module] = modules;
  if (!module) throw new Error('no entry');
  const site = { home: '/home', machineId: 'm1', platform: 'linux/amd64', environment } as const;
  const found = environmentFor(module, '/root', { terms: DEFAULT_POLICY.terms, site });
  const HOME = '/home/module-data/m1/lidar';
  expect(found).toMatchObject({ ok: true, value: { HOME, LANG: 'C.UTF-8', ...expected } });
  expect(found).not.toHaveProperty('value.SHELL');
});

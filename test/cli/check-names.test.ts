import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';

const MACHINE = { modules: [entry('acme:lidar', '1.*')] };

it.each<[what: string, policy: object, expected: readonly string[]]>([
  [
    'nearly that of an entry',
    { modules: { 'acme-lidar': {} } },
    [
      './policy.json:1:13  warning[UNKNOWN_REFERENCE]  /modules/acme-lidar: "acme-lidar" is not a module entry or a subsystem of this machine; did you mean acme_lidar ?',
      '1 warning; 1 module read; checked against ./policy.json',
    ],
  ],
  [
    'that of an entry of another machine',
    { modules: { acme_camera: {} } },
    ['no problems; 1 module read; checked against ./policy.json'],
  ],
])('[D242] a name in a policy is %s', async (_what, policy, expected) => {
  const folder = temporaryFolder({
    'machine.json': JSON.stringify(MACHINE),
    'policy.json': JSON.stringify(policy),
  });
  const { stdout, stderr } = await inProcess(['check', `${folder}/machine.json`]);
  expect([stdout.replaceAll(folder, '.').trimEnd().split('\n'), stderr]).toEqual([expected, '']);
});

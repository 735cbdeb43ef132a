import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runModreg } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { examined } from './support/examined.ts';
import { agentInProcess } from '../support/polling.ts';

const MODULES = ['lidar', 'camera', 'arm', 'gripper'].map((name) => entry('acme:a', '1.*', name));

/** The lines of doctor about modules and their privileges, with this policy. */
async function said(policy: object): Promise<readonly (string | number)[]> {
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: MODULES }),
    'policy.json': JSON.stringify({ run_as: userInfo().username, ...policy }),
    'home/empty': '',
  });
  const lines = await examined(folder, [`${folder}/machine.json`], { only: 'modules' });
  return lines.filter((line) => /privil|no_new_privs/.test(String(line)));
}

const FIX =
  '                    next: add "no_new_privs": true to the policy, unless a module needs such a program';

it.each([
  [
    {},
    [
      'info     modules    lidar, camera, arm, 1 more may get the privileges of other users, by set-uid programs such as sudo',
      FIX,
    ],
  ],
  [{ no_new_privs: true }, []],
  [
    { no_new_privs: true, modules: { arm: { no_new_privs: false } } },
    [
      'info     modules    arm may get the privileges of other users, by set-uid programs such as sudo',
      FIX,
    ],
  ],
])('[D60] doctor recommends no_new_privs with the policy %j', async (policy, expected) => {
  expect(await said(policy)).toEqual(expected);
});

it('[T273] [T345] doctor says what an agent without a cgroup cannot end', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const policy = { run_as: userInfo().username, registry: address.replace(/\/v1$/, '') };
    const folder = temporaryFolder({
      'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
      'policy.json': JSON.stringify(policy),
      'home/empty': '',
    });
    const agent = agentInProcess(folder);
    await agent.until('1.0.0 is started');
    // In another process: that of an agent does not see the agent's own lock.
    const { stdout } = await runModreg(['doctor'], { PLATFORM_HOME: `${folder}/home` });
    await agent.end('SIGTERM');
    expect(stdout.split('\n').filter((line) => line.includes('cgroup'))).toEqual([
      'warning  modules    the agent has no cgroup of its own, so it cannot tell that memory was short, nor end what a module or its first run leaves in a session with an environment of its own',
    ]);
  });
});

import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { tokenFor } from '../support/token.ts';

it.each([
  ['fleet status', 'fleet:read'],
  ['fleet machines', 'fleet:read'],
  ['rollout status', 'fleet:read'],
  ['rollout status acme:lidar 1.3.0', 'rollout:acme'],
  ['rollout halt acme:lidar 1.3.0', 'rollout:acme'],
])('%s names the scope %s that the token lacks', async (command, scope) => {
  const { address, catalogue } = await loopbackRegistry();
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['publish', 'machine:rover-1']) };
  const args = [...command.split(' '), '--registry', address];
  expect(await printed(args, { environment })).toEqual({
    stdout: [],
    stderr: [
      `error[REGISTRY_REFUSED]: the registry ${address} denies access with the token that was sent (403): the token t1 (test) does not have the scope ${scope}`,
      `hint: its operator creates a token with it: modreg registry token create --name <name> --scope ${scope}`,
    ],
    exit: 4,
  });
});

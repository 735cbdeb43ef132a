import { expect, it } from 'vitest';
import { plainServer } from '../../mocks/plain-server.ts';
import { agentSite } from '../support/agent-site.ts';
import { entry } from '../support/planned.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const WITH_SERVER = { ...LIDAR, agent: { 'platform-server': { release_channel: 'stable' } } };
const STAYS = 'exec sleep 1000';
/** As often as it says no before it says yes. */
const NOS = 20;

it.each<[string, 'lidar' | 'platform-server', object, boolean]>([
  ['a veto that may be overridden', 'lidar', { overridable: true }, true],
  ['a veto that may not', 'lidar', { overridable: false }, false],
  ['a veto that does not say', 'lidar', {}, false],
  ['a busy server', 'platform-server', {}, true],
  [
    'a busy server that says that it may be overridden',
    'platform-server',
    { overridable: true },
    true,
  ],
  ['a busy server that may not be overridden', 'platform-server', { overridable: false }, false],
])('[D79] longest_hold and %s', async (_, name, more, isOverridden) => {
  let asked = 0;
  const answer = (): string => JSON.stringify({ restart_allowed: ++asked > NOS, ...more });
  const server = await plainServer((response) => void response.end(answer()));
  const meta = { entrypoint: 'run', restart_status: `${server.address}/status` };
  const site = await agentSite(name === 'lidar' ? LIDAR : WITH_SERVER);
  await site.change({}, { longestHoldMs: 1000 });
  if (name === 'platform-server') site.publish('platform:server', '1.0.0', STAYS, meta);
  site.publish('acme:lidar', '1.0.0', STAYS, name === 'lidar' ? meta : undefined);
  await site.start();
  await site.until('lidar running 1.0.0');
  site.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
  await site.until(/^lidar is held: /);
  await site.until('lidar stopped 1.0.0');
  // It is asked at its time, too: what it says by then may not be overridden.
  expect(asked <= NOS).toBe(isOverridden);
});

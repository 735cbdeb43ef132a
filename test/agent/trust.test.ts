import { expect, it } from 'vitest';
import { agentSite } from '../support/agent-site.ts';
import { entry } from '../support/planned.ts';
import { APPROVER, AUTHOR, STRANGER, trustOf } from '../support/signed.ts';

const STAYS = 'exec sleep 1000';
const TRUST = trustOf();

it('[D133] the agent installs and starts only what enough keys signed, also after a failure', async () => {
  const site = await agentSite({ modules: [entry('acme:lidar', '1.*', 'lidar')] });
  site.sign(undefined, AUTHOR, APPROVER);
  site.publish('acme:lidar', '1.0.0', STAYS);
  // One of two, nobody, and a key of nobody.
  site.sign(undefined, AUTHOR);
  site.publish('acme:lidar', '1.1.0', STAYS);
  site.sign(undefined);
  site.publish('acme:lidar', '1.2.0', STAYS);
  site.sign(undefined, STRANGER, AUTHOR);
  site.publish('acme:lidar', '1.3.0', STAYS);
  site.sign(TRUST);
  await site.change({}, { trust: TRUST.pin });
  await site.start();
  await site.until('lidar running 1.0.0');
  await site.until('done');
  site.sign(undefined, AUTHOR, APPROVER);
  site.publish('acme:lidar', '1.0.1', 'exit 3');
  await site.until('lidar running 1.0.0');
  const asked = site.requests.filter((path) => path.startsWith('/acme:lidar/'));
  expect(new Set(asked)).toEqual(new Set(['/acme:lidar/1.0.0', '/acme:lidar/1.0.1']));
});

it.each<[string, string | undefined, string]>([
  [
    'signed: it is tried again, and runs once its own file is there',
    TRUST.pin,
    'lidar running 1.1.0',
  ],
  ['not signed: it is in quarantine', undefined, 'quarantined 1.1.0'],
])(
  '[A1] the server sends another file of the same size for a release, which is %s',
  async (_, pin, end) => {
    const site = await agentSite({ modules: [entry('acme:lidar', '1.*', 'lidar')] });
    const keys = pin === undefined ? [] : [AUTHOR, APPROVER];
    site.sign(undefined, ...keys);
    site.publish('acme:lidar', '1.0.0', STAYS);
    if (pin !== undefined) site.sign(TRUST, ...keys);
    await site.change({}, { trust: pin });
    await site.start();
    await site.until('lidar running 1.0.0');
    await site.until('done');
    site.publish('acme:lidar', '1.1.0', `: aaaa; ${STAYS}`);
    site.file('/acme:lidar/1.1.0', `: bbbb; ${STAYS}`);
    await site.until(/^failed \((machine|release), 1\.0\.0\): .* has the sha256 /);
    site.file('/acme:lidar/1.1.0', `: aaaa; ${STAYS}`);
    await expect.poll(() => site.story.join('\n'), { timeout: 20_000 }).toContain(end);
  },
);

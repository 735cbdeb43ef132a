import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { agentSite, INTERVAL_MS } from '../support/agent-site.ts';
import { skippingClock } from '../support/clock.ts';
import { entry } from '../support/planned.ts';

/** Longer than what a machine may go back to is kept. */
const EIGHT_DAYS = 8 * 86_400_000;

it('[A24] packages that nothing uses any more are removed while the agent runs', async () => {
  const clock = skippingClock(INTERVAL_MS);
  const site = await agentSite({ modules: [entry('acme:lidar', '1.*', 'lidar')] }, {}, { clock });
  const packages = (): string[] =>
    readdirSync(`${site.home}/packages/acme/lidar`).map((name) => name.replace(/-.*/, ''));
  site.publish('acme:lidar', '1.0.0', 'exec sleep 1000');
  await site.start();
  await site.until('done');
  for (const version of ['1.1.0', '1.2.0']) {
    site.publish('acme:lidar', version, `: ${version}; exec sleep 1000`);
    await site.until('done');
  }
  expect(packages()).toEqual(['1.0.0', '1.1.0', '1.2.0']);
  clock.advance(EIGHT_DAYS);
  await expect.poll(packages).toEqual(['1.1.0', '1.2.0']);
});

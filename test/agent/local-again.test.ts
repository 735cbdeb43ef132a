import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentSite, FOR_PROGRAM, INTERVAL_MS } from '../support/agent-site.ts';
import { skippingClock } from '../support/clock.ts';
import { entry } from '../support/planned.ts';

const STAYS = 'exec sleep 1000';
const HOUR = 3_600_000;

it('[T367] a local module that works for an hour leaves what ran before it, which is started again', async () => {
  const clock = skippingClock(INTERVAL_MS);
  const lidar = entry('acme:lidar', '1.*', 'lidar');
  const site = await agentSite({ modules: [lidar] }, FOR_PROGRAM, { clock });
  const program = join(site.home, 'own');
  writeFileSync(program, `#!/bin/sh\n${STAYS}\n`, { mode: 0o755 });
  site.publish('acme:lidar', '1.0.0', STAYS);
  await site.start();
  await site.until('lidar running 1.0.0');
  await site.until('done');
  const local = { type: 'local', name: 'lidar', module_id: 'acme:lidar', executable_path: program };
  site.configure({ modules: [local] });
  await site.until('lidar running local');
  clock.advance(HOUR);
  site.configure({ modules: [lidar] });
  await site.until('lidar running 1.0.0');
  expect(site.story).not.toContain('lidar backing-off local');
});

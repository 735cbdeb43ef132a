import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { activationsIn } from '../../src/store/activations.ts';
import { agentSite } from '../support/agent-site.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

const LIDAR = {
  modules: [{ type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' }],
};

it('[T344] an agent that starts with no byte free runs the versions in use, and goes on once there is space', async (context) => {
  const site = await agentSite(LIDAR);
  smallDisk(context, site.home, '8m');
  site.publish('acme:lidar', '1.0.0', 'echo up; exec sleep 600');
  const end = await site.start();
  await site.until('done');
  await end();
  fillDisk(`${site.home}/filling`);
  site.story.length = 0;
  const endFull = await site.start();
  await site.until('lidar says up');
  site.publish('acme:lidar', '1.1.0', 'echo newer; exec sleep 600');
  rmSync(`${site.home}/filling`);
  await site.until('done');
  await endFull();
  const file = openMachineFile(`${site.home}/machine.db`, { mode: 'read' });
  expect(activationsIn(file).get('lidar')?.activation).toMatchObject({
    phase: 'stable',
    current: { version: '1.1.0' },
  });
  file.close();
});

import { expect, it } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { targetNamed } from '../support/day.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { rememberedIn } from '../support/machine-home.ts';
import { polledSite, pollingHere, script } from '../support/polling.ts';
import { published } from '../support/published.ts';

it('[D41] a restart whose program fails leaves the version that is deployed', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3');
  const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
  const file = openMachineFile(`${folder}/home/machine.db`, { mode: 'write' });
  const request = { requestedAt: Date.now(), isImmediate: true };
  machineStateIn(file).requestRestart(targetNamed('acme_lidar'), request);
  file.close();
  const program = script(`${folder}/switch`, 'echo "no light" >&2', 'exit 1');
  const { until, end } = pollingHere(folder, ['--exec', program]);
  const [failed] = (await until('failed: ')).slice(-1);
  await end('SIGTERM');
  expect([failed, ...rememberedIn(`${folder}/home`)]).toEqual([
    'TIME error acme_lidar: restart of 1.2.3: failed: no light',
    '1.2.3 after nothing',
  ]);
});

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { polledSite, pollingHere, script } from '../support/polling.ts';
import { published } from '../support/published.ts';

it('status says that the poller cannot read its documents, which is no reason for attention', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', '1.2.4');
  const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
  const { until, end } = pollingHere(folder, [
    '--exec',
    script(`${folder}/hook`, 'cat > /dev/null'),
  ]);
  await until('acme_lidar: upgrade 1.2.3 → 1.2.4: done');
  writeFileSync(`${folder}/machine.json`, '{"modules":7}');
  published(loopback, 'acme:lidar', '1.2.5');
  await until('acme_lidar: upgrade 1.2.4 → 1.2.5: done');
  const environment = { PLATFORM_HOME: `${folder}/home` };
  const { stdout, exit } = await printed(['status', '--exit-code'], {
    environment,
    clock: Date.now,
  });
  await end('SIGTERM');
  const [line = ''] = stdout;
  const shown = line.replace(/process .* ago/, 'PROCESS').replace(folder, '.');
  expect([shown.replace(/ in \d+ s$/, ' in N s'), exit]).toEqual([
    'PROCESS; the configuration cannot be read: the machine config ./machine.json has 1 error: 1:12 BAD_TYPE /modules: found a number, expected a list of modules; next attempt in N s',
    0,
  ]);
});

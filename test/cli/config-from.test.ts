import { expect, it } from 'vitest';
import { loopbackRegistry } from '../support/loopback.ts';
import { polledSite, pollingHere, script } from '../support/polling.ts';
import { entry } from '../support/planned.ts';
import { published } from '../support/published.ts';
import { servingTo } from './support/served-documents.ts';

function withLidar(version: string): object {
  return { modules: [entry('acme:lidar', version)] };
}

it('[D267] [D268] a machine that waits runs what its site saves within a second, and says so', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', '1.3.0');
  const site = servingTo(loopback);
  const modules = [entry('acme:lidar', '1.2.*')];
  const folder = polledSite(loopback, { modules, deployed: { acme_lidar: '1.2.3' } });
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const { until, end } = pollingHere(folder, ['--exec', hook, ...site.args], site.environment);
  await until('polling 1 module');
  site.save(withLidar('1.3.*'));
  await until('info  revision 1 of the site is in use');
  await until('acme_lidar: upgrade 1.2.3 → 1.3.0: done');
  published(loopback, 'acme:lidar', '1.4.0');
  site.save(withLidar('1.4.*'));
  const began = performance.now();
  await until('info  revision 2 of the site is in use');
  expect(performance.now() - began).toBeLessThan(1000);
  await until('acme_lidar: upgrade 1.3.0 → 1.4.0: done');
  expect(site.said()).toEqual({ applied: 2, refused: undefined });
  await end('SIGTERM');
});

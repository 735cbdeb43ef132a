import { expect, it, onTestFinished } from 'vitest';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { moduleNamed } from '../support/claimed.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { contentsOf, homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { published } from '../support/published.ts';
import { site } from '../support/site.ts';
import { watchingHere } from './support/watching.ts';

/** A registry that can be closed, and served again on the same port. */
async function served(
  db: string,
  port = 0,
): Promise<{ catalogue: Catalogue; port: number; close: () => Promise<void> }> {
  const catalogue = new Catalogue(db, { mode: 'create' });
  const place = { host: '127.0.0.1', port };
  const running = await serveRegistry(catalogue, place, { spreadMs: 0 });
  let isOpen = true;
  onTestFinished(async () => {
    if (isOpen) await running.close();
    catalogue.close();
  });
  return {
    catalogue,
    port: Number(new URL(running.address).port),
    close: async () => {
      isOpen = false;
      await running.close();
      catalogue.close();
    },
  };
}

it('uses the lists that it read last while the registry is unreachable, and writes nothing', async () => {
  const db = `${temporaryFolder()}/registry.db`;
  const first = await served(db);
  published(first, 'acme:lidar', '1.0.0');
  const address = `http://127.0.0.1:${first.port}`;
  const folder = site({
    machine: { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')] },
    policy: { registry: address },
  });
  const home = homeAfter((state) => {
    state.report(moduleNamed('acme_lidar', 'acme:lidar'), '1.0.0', 1);
    state.report(moduleNamed('acme_arm', 'acme:arm'), '1.0.0', 1);
  });
  const machine = `${folder}/machine.json`;
  // This saves a list with one release in machine.db.
  const environment = { PLATFORM_HOME: home };
  await printed(['plan', machine], { environment, clock: Date.now });
  const before = contentsOf(home);
  const { out, err, end, skip } = watchingHere([machine, '--interval', '5s'], environment);
  await err();
  expect([await err(), await err()]).toEqual([
    `TIME   the registry ${address} has no module acme:arm`,
    `TIME   acme:arm   stuck: the registry ${address} has no module acme:arm`,
  ]);
  published(first, 'acme:lidar', '1.1.0');
  expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.1\.0 /);
  await first.close();
  // The wait for the round, and those before its second and third request.
  await skip(1000, 4999.999);
  await skip(500, 2000);
  await skip(500, 2000);
  expect(await err()).toBe(
    `TIME   the registry ${address} refused the connection; next attempt in SOME; modules keep running`,
  );
  const second = await served(db, first.port);
  published(second, 'acme:arm', '1.0.0');
  // The wait for the change feed, and what is left until the round.
  await skip(1000, 4999.999);
  await skip(100, 4999.999);
  // No line is printed for the lidar: the list that this command read last is used, not the saved one.
  expect([await err(), await err(), await err(), await err()]).toEqual([
    `TIME   acme:arm   stuck: the registry ${address} refused the connection`,
    'TIME   the registry is available again after SOME',
    'TIME   the list of acme:arm is available again',
    'TIME   acme:arm   up to date: already the newest release of 1',
  ]);
  published(second, 'acme:lidar', '1.2.0');
  expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.2\.0 /);
  expect(await end('SIGINT')).toMatchObject({ stdout: [], exit: 130 });
  expect(contentsOf(home)).toEqual(before);
});

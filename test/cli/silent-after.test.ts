import { expect, it } from 'vitest';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { silentAfter } from '../../src/server/fleet/presence.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

it('[D186] the time after which a machine is silent is kept until another one is given', async () => {
  const path = `${temporaryFolder()}/registry.db`;
  const kept: number[] = [];
  for (const silentMs of [undefined, 7_200_000, undefined]) {
    const catalogue = new Catalogue(path, { mode: 'create' });
    const running = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 }, { silentMs });
    await running.close();
    catalogue.close();
    const fleet = new FleetFile(fleetPath(path), () => 0);
    kept.push(fleet.read(silentAfter));
    fleet.close();
  }
  expect(kept).toEqual([86_400_000, 7_200_000, 7_200_000]);
});

it.each(['59s', '91d', 'soon'])('[D186] --silent-after %s is refused', async (text) => {
  const { stderr, exit } = await printed(
    ['registry', 'serve', '--db', 'registry.db', '--silent-after', text],
    {},
  );
  expect([stderr[0], exit]).toEqual([
    `error[USAGE]: --silent-after: ${text} is not a duration from 1m to 90d`,
    2,
  ]);
});

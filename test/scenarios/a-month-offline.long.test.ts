import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/registry/clock.ts';
import { keptState } from '../../src/host/served/served-state.ts';
import { shownCommand } from '../../src/server/commands/known-command.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { commanding } from '../cli/support/commanded-here.ts';
import { servingTo } from '../cli/support/served-documents.ts';
import { skippingClock, type TestClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Loopback } from '../support/loopback.ts';
import { entry } from '../support/planned.ts';
import { polledSite, pollingHere, script, type PollingHere } from '../support/polling.ts';
import { published } from '../support/published.ts';
import { radioLink } from '../support/radio-link.ts';

const DAY = 86_400_000;
const DAYS = 30;
/** What the documents of a day say of the arm, one after the other. */
const EDITS = ['2.0.*', '2.1.*', '2.2.*', '2.*'];
/** How long the machine waits between two rounds. */
const ROUND = [4500, 5500] as const;

/** A registry at the time of the machine. */
async function registryAt(clock: TestClock): Promise<Loopback> {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const options = { clock: { ...systemClock, now: () => clock.now() }, spreadMs: 0 };
  const running = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 }, options);
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  return { address: running.address, catalogue };
}

function config(lidar: string, arm: string): object {
  return { modules: [entry('acme:lidar', lidar), entry('acme:arm', arm)] };
}

/** Each wait of the machine is over at once until `work` is done. */
async function hurried<T>({ skip }: PollingHere, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const done = work.finally(() => ended.abort());
  while (!ended.signal.aborted) {
    await Promise.race([skip(...ROUND), done]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return await done;
}

/** What a registry has of the commands of rover-7, the first one first. */
function outcomes({ catalogue }: Pick<Loopback, 'catalogue'>, now: number): string[] {
  const given = catalogue.configs.commands.all('rover-7').toReversed();
  return given.map((one) => {
    const { number, state, detail } = shownCommand(one, now);
    const why = detail?.replaceAll(/\d{4}-[^Z]+Z/g, 'TIME');
    return why === undefined ? `${number} ${state}` : `${number} ${state}: ${why}`;
  });
}

function isDone(line: string): boolean {
  return line.includes('done');
}

it('[D268] [D269] [D297] [D301] a machine that was offline for a month runs the newest of 121 revisions, does what has not expired, and upgrades each module once', async () => {
  const clock = skippingClock();
  const loopback = await registryAt(clock);
  const link = await radioLink(loopback.address);
  published(loopback, 'acme:lidar', '1.0.0');
  published(loopback, 'acme:arm', '2.0.0');
  const site = servingTo(loopback);
  const folder = polledSite(loopback, {
    modules: [entry('acme:own', '1.*')],
    deployed: { acme_lidar: '1.0.0', acme_arm: '2.0.0' },
    policy: { registry: link.address },
  });
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const args = ['--exec', hook, '--config-from', link.address];
  const environment = { ...site.environment, MODREG_REGISTRY: link.address };
  const fleet = commanding(loopback);
  let rover = pollingHere(folder, args, environment, clock);
  site.save(config('1.0.*', '2.0.*'));
  await rover.until('revision 1 of the site is in use');
  const kept = (): unknown => keptState(`${folder}/home`);
  await expect.poll(kept).toMatchObject({ provisional: undefined, commands: { taken: 0 } });
  link.cut();
  await hurried(rover, rover.until('the documents of the site cannot be read'));
  for (let day = 1; day <= DAYS; day++) {
    for (const arm of EDITS) site.save(config(`1.${day}.*`, arm));
    published(loopback, 'acme:lidar', `1.${day}.1`);
    published(loopback, 'acme:arm', `2.${day}.1`);
    await fleet('restart', 'acme:lidar', '--reason', `day ${day}`);
    clock.advance(DAY);
    await rover.skip(...ROUND);
    await rover.skip(...ROUND);
    if (day !== DAYS / 2) continue;
    await rover.end('SIGTERM');
    rover = pollingHere(folder, args, environment, clock);
    await rover.until('polling 2 modules');
  }
  await fleet('hold', 'platform-server', '--for', '1h', '--reason', 'a fair');
  link.mend();
  const said: string[] = [];
  while (said.filter(isDone).length < 3) said.push(...(await hurried(rover, rover.until('done'))));
  for (let round = 0; round < 5; round++) await rover.skip(...ROUND);
  said.push(...(await rover.end('SIGTERM')).lines);
  expect(said.filter((line) => line.endsWith('is in use'))).toEqual([
    'TIME info  revision 121 of the site is in use',
  ]);
  expect(said.filter(isDone).toSorted()).toEqual([
    'TIME info  acme_arm: upgrade 2.0.0 → 2.30.1: done',
    'TIME info  acme_lidar: upgrade 1.0.0 → 1.30.1: done',
    'TIME info  command 31 of the site (hold platform-server) is done: platform-server is held until TIME',
  ]);
  expect(site.said()).toEqual({ applied: 121, refused: undefined });
  const none = Array.from({ length: DAYS }, (_, day) => `${day + 1} expired`);
  const held = '31 done: platform-server is held until TIME';
  expect(outcomes(loopback, clock.now())).toEqual([...none, held]);
});

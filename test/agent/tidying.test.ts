import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { installTurns } from '../../src/agent/install/turns.ts';
import { linux, type AgentPorts } from '../../src/agent/ports.ts';
import { Tidying } from '../../src/agent/tidying.ts';
import { openForPoller } from '../../src/store/index.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { agentSite, INTERVAL_MS } from '../support/agent-site.ts';
import { commitOne } from '../support/claimed.ts';
import { skippingClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
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

it('[A24] while an action is carried out, its package and the one that it may go back to stay', async () => {
  const file = openForPoller(':memory:');
  onTestFinished(() => file.close());
  const kept: string[][] = [];
  const removeUnused: AgentPorts['removeUnused'] = async (_home, terms) => {
    kept.push([...terms.kept]);
    return await Promise.resolve([]);
  };
  const tidying = new Tidying({
    ports: { ...linux(''), removeUnused },
    file,
    clock: virtualClock(),
    site: {
      environment: {},
      home: temporaryFolder(),
      platform: 'linux/arm64',
      machineId: 'rover-7',
    },
    turns: installTurns(),
    stopping: new AbortController().signal,
    onEvent: () => undefined,
  });
  const delivery = {
    action: commitOne(file.state),
    folders: { root: '/packages/1.1.0', data: undefined },
    rollback: { version: '1.0.0', artifact: undefined, root: '/packages/1.0.0' },
  };
  await tidying.during(delivery, async () => void (await tidying.tidy()));
  await tidying.tidy();
  expect(kept).toEqual([['/packages/1.1.0', '/packages/1.0.0'], []]);
});

it('[A24] what could not be removed during an installation is removed after the next plan', async () => {
  const file = openForPoller(':memory:');
  onTestFinished(() => file.close());
  const clock = virtualClock();
  const removed: number[] = [];
  const removeUnused: AgentPorts['removeUnused'] = async () => {
    removed.push(clock.monotonic());
    return await Promise.resolve([]);
  };
  const site = { environment: {}, home: temporaryFolder(), platform: 'linux/arm64' } as const;
  const turns = installTurns();
  const tidying = new Tidying({
    ports: { ...linux(''), removeUnused },
    file,
    clock,
    site: { ...site, machineId: 'rover-7' },
    turns,
    stopping: new AbortController().signal,
    onEvent: () => undefined,
  });
  const began = clock.monotonic();
  await turns.ofFile('lidar', async () => await Promise.resolve(tidying.follow([])));
  await clock.pass(1000);
  expect(removed).toEqual([]);
  tidying.follow([]);
  await clock.pass(1000);
  tidying.follow([]);
  await clock.pass(1000);
  expect(removed).toEqual([began + 1000]);
});

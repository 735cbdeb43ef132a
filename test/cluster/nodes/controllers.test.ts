import { expect, it, onTestFinished } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import { machineReport, reportedState } from '../../support/machine-report.ts';
import type { Front } from './fronts.ts';
import { ask, openSite, type Site } from './site.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const ROLLOUT = `${RELEASES}/1.3.0/rollout`;
const MACHINES = Array.from({ length: 5 }, (_none, place) => `rover-${place + 1}`);

interface RollingSite extends Site {
  /** Each machine has the release in rollout, and tells each front so. */
  readonly install: () => Promise<void>;
}

/** Two fronts, five machines with 1.2.9, and 1.3.0 in a rollout whose steps may follow at once. */
async function rollingSite(): Promise<RollingSite> {
  const tokens = new Map<string, string>();
  const site = await openSite(2, { machines: MACHINES, tokens });
  onTestFinished(site.close);
  const { fronts, token } = site;
  const send = async (number: number, deployed: string): Promise<void> => {
    for (const id of MACHINES) {
      const empty = machineReport([], { state: reportedState(number, { deployed }) });
      const [outcome] = machineReport([1]).outcomes;
      const isNew = deployed === '1.3.0';
      const outcomes = isNew && outcome ? [{ ...outcome, from: '1.2.9', to: deployed }] : [];
      const body = { ...empty, after: 0, to: outcomes.length, outcomes };
      for (const front of fronts.filter((one) => one.process())) {
        const path = `/v1/machines/${id}/reports`;
        const sent = { method: 'POST', token: tokens.get(id), body };
        expect((await ask(front, path, sent)).status).toBe(200);
      }
    }
  };
  const [first] = fronts as [Front];
  const publish = async (body: object): Promise<void> => {
    expect((await ask(first, RELEASES, { method: 'POST', token, body })).status).toBe(201);
  };
  await publish({ version: '1.2.9' });
  await send(1, '1.2.9');
  await publish({ version: '1.3.0', rollout: { soak_ms: 0 } });
  return { ...site, install: async () => await send(2, '1.3.0') };
}

/** The front that raised the rollout, once one has. */
async function controllerOf({ fronts }: Site): Promise<Front> {
  const raised = (): Front[] => fronts.filter((front) => front.log().includes('rollout-raised'));
  await expect.poll(() => raised().length).toBe(1);
  const [front] = raised() as [Front];
  return front;
}

async function statusAt(front: Front, { token }: Site): Promise<Readonly<Record<string, unknown>>> {
  return (await ask(front, ROLLOUT, { token })).json;
}

/** The events of the rollout in a front's file, as `raised 5`. */
function eventsIn({ db }: Front): string[] {
  const database = new DatabaseSync(db, { readOnly: true });
  const rows = database.prepare('SELECT kind, content FROM rollout_events ORDER BY sequence').all();
  database.close();
  return rows.map(({ kind, content }) => {
    const { percent } = JSON.parse(String(content)) as { percent?: number };
    return percent === undefined ? String(kind) : `${String(kind)} ${percent}`;
  });
}

const ALL_STEPS = ['started 20', 'raised 40', 'raised 80', 'raised 100', 'completed'];

it('[T191] a controller that is killed in a step: another one goes on, and each step is one event', async () => {
  const site = await rollingSite();
  await site.install();
  const controller = await controllerOf(site);
  await controller.kill();
  const other = site.fronts.find((front) => front !== controller) as Front;
  await expect.poll(async () => (await statusAt(other, site))['status']).toBe('completed');
  expect(eventsIn(other)).toEqual(ALL_STEPS);
  await controller.start();
  await expect.poll(() => eventsIn(controller)).toEqual(ALL_STEPS);
});

it('[T192] a controller that was paused takes no step that another one has taken', async () => {
  const site = await rollingSite();
  await site.install();
  const controller = await controllerOf(site);
  controller.process()?.kill('SIGSTOP');
  const other = site.fronts.find((front) => front !== controller) as Front;
  const before = (await statusAt(other, site))['percent'];
  await expect.poll(async () => (await statusAt(other, site))['percent']).not.toBe(before);
  controller.process()?.kill('SIGCONT');
  await expect.poll(async () => (await statusAt(other, site))['status']).toBe('completed');
  for (const front of site.fronts) {
    await expect.poll(() => eventsIn(front)).toEqual(ALL_STEPS);
  }
});

it('[T192] a step that was decided before another one is refused', async () => {
  const site = await rollingSite();
  const [first, second] = site.fronts as [Front, Front];
  const { token } = site;
  await expect.poll(async () => (await statusAt(second, site))['status']).toBe('running');
  const { sequence: after } = await statusAt(first, site);
  site.links[1]?.hold();
  const halt = { event: 'halt', after, reason: 'on the first' };
  const raise = { event: 'raise', after };
  expect((await ask(first, ROLLOUT, { method: 'POST', token, body: halt })).status).toBe(200);
  const late = ask(second, ROLLOUT, { method: 'POST', token, body: raise });
  site.links[1]?.release();
  const { status, json } = await late;
  expect([status, json['type']]).toEqual([409, 'urn:modreg:stale-rollout']);
  await expect.poll(() => eventsIn(second)).toEqual(['started 20', 'halted']);
});

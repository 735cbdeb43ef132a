import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { fleetPath } from '../../../src/server/fleet/fleet-file.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { receiver, SECRET, type Receiver } from '../../support/told-registry.ts';
import type { Front } from './fronts.ts';
import { ask, openSite, type Site } from './site.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
/** A front looks every 30 s. */
const SOON = { timeout: 110_000 };

/** The versions of which a receiver was told that they are yanked, each with the id of its notice. */
function yanksIn({ received }: Receiver): (readonly [version: string, id: string])[] {
  return received.map(({ body }) => {
    const { id, event, facts } = JSON.parse(body);
    return [event === 'release-yanked' ? String(facts.version) : String(event), String(id)];
  });
}

async function yank(front: Front, { token }: Site, version: string): Promise<void> {
  const body = { reason: 'stops the motor' };
  const path = `${RELEASES}/${version}/yank`;
  expect((await ask(front, path, { method: 'PUT', token, body })).status).toBe(200);
}

/** Three fronts that tell one receiver, and have looked once. */
async function tellingSite(hook: Receiver): Promise<Site> {
  const file = `${temporaryFolder()}/notify.json`;
  const notify = { addresses: [hook.address.href], secret: SECRET };
  writeFileSync(file, JSON.stringify(notify), { mode: 0o600 });
  const site = await openSite(3, { args: ['--notify', file] });
  onTestFinished(site.close);
  const [first] = site.fronts as [Front];
  for (const version of ['1.2.7', '1.2.8', '1.2.9']) {
    const body = { version };
    const sent = { method: 'POST', token: site.token, body };
    expect((await ask(first, RELEASES, sent)).status).toBe(201);
  }
  // What is so at its first look, a front does not tell.
  for (const front of site.fronts) await expect.poll(() => looksOf(front), SOON).toBe(1);
  return site;
}

/** Whether a front has looked, as a number. */
function looksOf({ db }: Front): number {
  const database = new DatabaseSync(fleetPath(db), { readOnly: true });
  const row = database.prepare('SELECT count(*) AS n FROM noticed_place').get();
  database.close();
  return Number(row?.['n']);
}

function sendersIn({ fronts }: Site): Front[] {
  return fronts.filter((front) => front.log().includes('"event":"notice-sent"'));
}

it(
  '[T623] one front of a cluster tells what happens, and another one goes on when it is killed',
  { timeout: 300_000 },
  async () => {
    const hook = await receiver();
    const site = await tellingSite(hook);
    const [first] = site.fronts as [Front];
    await yank(first, site, '1.2.7');
    await expect.poll(() => yanksIn(hook).map(([version]) => version), SOON).toEqual(['1.2.7']);
    await expect.poll(() => sendersIn(site).length).toBe(1);
    const [sender] = sendersIn(site) as [Front];
    await sender.kill();
    const others = site.fronts.filter((front) => front !== sender) as [Front, Front];
    await yank(others[0], site, '1.2.8');
    const after = (): string[] =>
      yanksIn(hook)
        .slice(1)
        .map(([version]) => version);
    await expect.poll(after, SOON).toContain('1.2.8');
    // What the new one had noticed before it took over, it may tell again (D214), and in the order in which it began.
    expect([['1.2.8'], ['1.2.7', '1.2.8']]).toContainEqual(after());
    const ids = yanksIn(hook).map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const next = (): Front[] => sendersIn(site).filter((front) => others.includes(front));
    await expect.poll(() => next().length).toBe(1);
  },
);

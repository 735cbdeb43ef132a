/* How soon machines that wait at one front are notified: `npm run cluster -- waiting --help`. */
import { setTimeout } from 'node:timers/promises';
import { ask, openSite } from '../../test/cluster/nodes/site.ts';
import { waitAt } from '../../test/cluster/nodes/waiting.ts';
import type { Front } from '../../test/cluster/nodes/fronts.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const HELP = `Starts three NATS nodes and two fronts. Machines wait at the first one for a release that is published at the other.
  --machines N  of which each takes a file descriptor of the front, and one here (default 15000)
  --rounds N    (default 3)`;

const SETTLE_MS = 3000;

const { values } = optionsOf(
  {
    options: {
      machines: { type: 'string', default: '15000' },
      rounds: { type: 'string', default: '3' },
    },
  },
  HELP,
);
const count = wholeNumber('--machines', values.machines, 1);
const site = await openSite(2);
try {
  const [waited, other] = site.fronts as [Front, Front];
  for (let round = 0; round < wholeNumber('--rounds', values.rounds, 1); round++) {
    const { json } = await ask(waited, '/v1/changes');
    const machines = await waitAt(waited.address, { count, sequence: Number(json['sequence']) });
    await setTimeout(SETTLE_MS);
    const began = performance.now();
    const body = { version: `1.0.${round}` };
    const sent = { method: 'POST', token: site.token, body };
    const { status } = await ask(other, '/v1/modules/acme/lidar/releases', sent);
    const published = performance.now();
    if (status !== 201) throw new Error(`publishing was answered with ${status}`);
    const times = (await machines.notified).map((at) => at - published).toSorted((a, b) => a - b);
    const [middle = 0, last = 0] = [times[count >> 1], times.at(-1)].map((ms) =>
      Math.round(ms ?? 0),
    );
    console.log(
      `${count} machines: published in ${Math.round(published - began)} ms, then half notified after ${middle} ms, all after ${last} ms`,
    );
    machines.close();
    // The front closes as many connections.
    await setTimeout(SETTLE_MS);
  }
} finally {
  await site.close();
}

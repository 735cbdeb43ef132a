import { expect, it } from 'vitest';
import { watchRequests } from '../../src/cli/poll/watched-requests.ts';
import { HOUR, SECOND } from '../support/day.ts';
import { ask } from '../support/history.ts';
import { settled } from '../support/restarts.ts';

it('[D75] what an operator requests is planned within a second, although a round takes place once in an hour', async () => {
  const machine = await settled({ intervalMs: HOUR, takesUp: 'later' });
  await machine.pass(HOUR);
  machine.story();
  const watching = new AbortController();
  const watch = { clock: machine.clock, signal: watching.signal };
  const ended = watchRequests(machine, () => machine.poller.look(), watch);
  const decided = async (...args: readonly string[]): Promise<string[]> => {
    await ask(machine, ...args);
    await machine.pass(SECOND);
    return machine.state
      .decisions()
      .flatMap(({ name, decision }) => (name === 'acme_lidar' ? [decision] : []));
  };
  expect([
    await decided('restart', 'acme:lidar'),
    await decided('hold', '--for', '12h', '--reason', 'on stage'),
    await decided('unhold'),
    await decided('restart', 'acme:lidar', '--cancel'),
  ]).toEqual([['restart'], ['hold'], ['restart'], ['up-to-date']]);
  watching.abort();
  await machine.pass(SECOND);
  await ended;
  expect(await decided('restart', 'acme:lidar')).toEqual(['up-to-date']);
});

it('[D75] a request is looked at once', async () => {
  const machine = await settled({ intervalMs: HOUR, takesUp: 'later' });
  const watching = new AbortController();
  let looks = 0;
  const watch = { clock: machine.clock, signal: watching.signal };
  const ended = watchRequests(machine, () => void looks++, watch);
  await ask(machine, 'hold', '--for', '12h', '--reason', 'on stage');
  await machine.pass(10 * SECOND);
  expect(looks).toBe(1);
  watching.abort();
  await machine.pass(SECOND);
  await ended;
});

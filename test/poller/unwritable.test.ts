import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { MINUTE, SECOND } from '../support/day.ts';
import {
  promptRegistry,
  racer,
  track,
  type Racer,
  type RacerOptions,
  type Track,
} from '../support/racing.ts';

/** A poller of two modules that run 1.0.0 and have 1.0.1 published. */
function racing(options: Omit<RacerOptions, 'registries'>): Racer & { readonly on: Track } {
  const registry = promptRegistry(() => 1);
  const on = track();
  return { on, ...racer(on, { registries: [registry, registry], deployed: '1.0.0', ...options }) };
}

it('[T52] an action is not delivered until its delivery can be written', async () => {
  const { on, clock, poller, events } = racing({ takesUp: 'later' });
  await clock.pass(0);
  on.file.database.exec('PRAGMA query_only = ON');
  const next = poller.deliveries().next();
  await clock.pass(MINUTE);
  const meanwhile = events.map(({ kind }) => kind);
  on.file.database.exec('PRAGMA query_only = OFF');
  await clock.pass(3 * MINUTE);
  await poller.stop();
  expect(meanwhile).toEqual(['committed', 'committed', 'state-unavailable']);
  expect(events.slice(3).map(({ kind }) => kind)).toEqual(['delivered', 'state-available']);
  expect((await next).value).toMatchObject({ action: { to: '1.0.1' }, times: 1 });
});

it('[T52] an acknowledgement waits for the disk, and its action is not delivered again', async () => {
  const { on, clock, poller, events, deliveries } = racing({ acknowledgeWithinMs: 10 * MINUTE });
  await clock.pass(MINUTE);
  on.file.database.exec('PRAGMA query_only = ON');
  for (const delivery of deliveries) await delivery.done();
  await clock.pass(30 * MINUTE);
  const reported = events.map(({ kind }) => kind);
  // Once the disk can be written again, an acknowledged action is not delivered again.
  on.file.database.exec('PRAGMA query_only = OFF');
  const again = poller.deliveries().next();
  await clock.pass(2 * MINUTE);
  await poller.stop();
  expect(reported.slice(4)).toEqual(['state-unavailable']);
  expect(events.slice(reported.length).map(({ kind }) => kind)).toEqual([
    'acknowledged',
    'acknowledged',
    'state-available',
  ]);
  expect(await again).toEqual({ done: true, value: undefined });
});

it('[T52, D72] an action that must not be begun stays with its consumer, unanswered, until it can be taken back', async () => {
  let isServerBusy = false;
  const { on, clock, poller, deliveries } = racing({ isServerBusy: () => isServerBusy });
  await clock.pass(MINUTE);
  isServerBusy = true;
  on.file.database.exec('PRAGMA query_only = ON');
  const answers: unknown[] = [];
  const asking = deliveries[0]?.mayProceed().then((answer) => answers.push(answer));
  await clock.pass(3 * SECOND);
  expect(answers).toEqual([]);
  on.file.database.exec('PRAGMA query_only = OFF');
  await clock.pass(SECOND);
  await asking;
  await poller.stop();
  expect(answers).toMatchObject([{ mayProceed: false, because: [{ reason: 'server-busy' }] }]);
});

it('[T52] the first plan after the file was unreadable ends the outage', async () => {
  const { on, clock, poller, events } = racing({ takesUp: 'later' });
  await clock.pass(0);
  const other = new DatabaseSync(on.file.path);
  onTestFinished(() => other.close());
  other.exec('ALTER TABLE deployed RENAME TO hidden');
  await clock.pass(2 * MINUTE);
  other.exec('ALTER TABLE hidden RENAME TO deployed');
  const before = events.map(({ kind }) => kind);
  poller.look();
  await clock.pass(0);
  await poller.stop();
  expect(before).toEqual(['committed', 'committed', 'state-unavailable']);
  expect(events.slice(3).map(({ kind }) => kind)).toEqual(['state-available']);
});

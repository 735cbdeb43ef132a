import { expect, it } from 'vitest';
import { MINUTE } from '../support/day.ts';
import { promptRegistry, racer, track } from '../support/racing.ts';

it('[T52] nobody gets an action whose delivery cannot be noted, until it can', async () => {
  const registry = promptRegistry(() => 1);
  const on = track();
  const { clock, poller, events } = racer(on, {
    ...{ registries: [registry, registry], deployed: '1.0.0', takesUp: 'later' },
  });
  await clock.pass(0);
  on.file.database.exec('PRAGMA query_only = ON');
  const next = poller.deliveries().next();
  await clock.pass(MINUTE);
  const meanwhile = events.map(({ kind }) => kind);
  on.file.database.exec('PRAGMA query_only = OFF');
  await clock.pass(3 * MINUTE);
  await poller.stop();
  expect(meanwhile).toEqual(['committed', 'committed', 'state-lost']);
  expect(events.slice(3).map(({ kind }) => kind)).toEqual(['delivered', 'state-back']);
  expect((await next).value).toMatchObject({ action: { to: '1.0.1' }, times: 1 });
});

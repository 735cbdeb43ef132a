import { describe, expect, it } from 'vitest';
import { DELIVERED, played, REPORTED, type Outcome, type Step } from './support/outbox-steps.ts';

const AGAIN = [...DELIVERED, 'delivered 1.1.0 (2)'];

describe('[T116] several reports of one action: an outbox', () => {
  it.each<[string, Step[], Partial<Outcome>]>([
    [
      'records reports in their order, even if a later one would fit on the disk',
      [
        'commit 1.1.0',
        'deliver',
        'a disk without a free page',
        'a failure with a long address',
        'an older release is reported as failed',
        'retry',
        'a disk with space',
        'retry',
      ],
      { events: [...DELIVERED, 'state-unavailable', 'acknowledged', 'failure-reported'] },
    ],
    [
      'counts the back-off from when the failure is on the disk',
      [
        'commit 1.1.0',
        'deliver',
        'a full disk',
        'broken machine',
        '60 min',
        'deliver',
        'a disk with space',
        'retry',
        'deliver',
      ],
      {
        events: [...DELIVERED, 'state-unavailable', 'acknowledged'],
        due: 0,
        untilNextDue: 30,
        deployed: '1.0.0 after nothing',
      },
    ],
    [
      'records a success, and then the failure of its release',
      [
        'commit 1.1.0',
        'deliver',
        'a full disk',
        'done',
        'the release is reported as failed',
        'retry',
        'a disk with space',
        'retry',
      ],
      {
        events: [...DELIVERED, 'state-unavailable', 'acknowledged', 'failure-reported'],
        deployed: '1.0.0 after nothing',
        open: 0,
      },
    ],
    [
      'records the failure of a release, and rejects a later success',
      [
        'commit 1.1.0',
        'deliver',
        'a full disk',
        'the release is reported as failed',
        'done',
        'retry',
        'a disk with space',
        'retry',
      ],
      {
        events: [
          ...DELIVERED,
          'state-unavailable',
          REPORTED.replace('as done', 'as failed'),
          'acknowledged',
        ],
        deployed: '1.0.0 after nothing',
        open: 0,
      },
    ],
    [
      'records a success although it could not withdraw the action',
      [
        'commit 1.1.0',
        'deliver',
        'a full disk',
        'withdraw',
        'done',
        'withdraw',
        'a disk with space',
        'retry',
        'withdraw',
      ],
      {
        events: [...DELIVERED, 'state-unavailable', 'acknowledged'],
        deployed: '1.1.0 after 1.0.0',
        open: 0,
      },
    ],
    [
      'rejects the failure of a consumer that has ended after the success of the next one',
      [
        'commit 1.1.0',
        'deliver',
        'the consumer ends',
        'deliver',
        'done',
        'the earlier consumer: broken release',
      ],
      {
        events: [...AGAIN, 'acknowledged', REPORTED.replace('done()', 'failed()')],
        deployed: '1.1.0 after 1.0.0',
      },
    ],
    [
      'rejects the failure of a consumer while the success of the one before it waits',
      [
        'commit 1.1.0',
        'deliver',
        'the consumer ends',
        'deliver',
        'a full disk',
        'the earlier consumer: done',
        'broken release',
        'a disk with space',
        'retry',
      ],
      {
        events: [
          ...AGAIN,
          'state-unavailable',
          REPORTED.replace('done()', 'failed()'),
          'acknowledged',
        ],
        deployed: '1.1.0 after 1.0.0',
      },
    ],
    [
      'ignores the failure of a consumer of an earlier poller after a success',
      [
        'commit 1.1.0',
        'deliver',
        'another process',
        'deliver',
        'done',
        'the earlier consumer: broken release',
      ],
      {
        events: [...AGAIN, 'acknowledged', 'unknown-acknowledgement'],
        deployed: '1.1.0 after 1.0.0',
        open: 0,
      },
    ],
    [
      'records the failure of a consumer of an earlier poller, and ignores a later success',
      [
        'commit 1.1.0',
        'deliver',
        'another process',
        'deliver',
        'the earlier consumer: broken release',
        'done',
      ],
      {
        events: [...AGAIN, 'acknowledged', 'unknown-acknowledgement'],
        deployed: '1.0.0 after nothing',
        open: 0,
      },
    ],
  ])('%s', async (_, steps, expected) => {
    expect(await played(steps)).toMatchObject(expected);
  });
});

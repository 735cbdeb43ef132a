import { describe, expect, it } from 'vitest';
import {
  COMMITTED,
  DELIVERED,
  played,
  REPORTED,
  type Outcome,
  type Step,
} from './support/outbox-steps.ts';

describe('an outbox', () => {
  it.each<[string, Step[], Partial<Outcome>]>([
    [
      'has a committed action, which is due at once',
      ['commit 1.1.0'],
      { events: COMMITTED, open: 1, due: 1, deployed: '1.0.0 after nothing', changes: 0 },
    ],
    [
      'commits an action once if it is still wanted',
      ['commit 1.1.0', 'commit 1.1.0'],
      { events: COMMITTED },
    ],
    [
      'replaces an undelivered action [T18]',
      ['commit 1.1.0', 'commit 1.2.0'],
      { events: [...COMMITTED, 'superseded 1.1.0', 'committed 1.2.0'], open: 1 },
    ],
    [
      'ends an undelivered action that is no longer wanted',
      ['commit 1.1.0', 'commit nothing'],
      { events: [...COMMITTED, 'superseded 1.1.0'], open: 0, due: 0 },
    ],
    [
      'keeps an action that a consumer has [T55]',
      ['commit 1.1.0', 'deliver', 'commit 1.2.0'],
      { events: DELIVERED, open: 1, due: 0 },
    ],
    [
      'keeps an unacknowledged action with its consumer, and reports it after half an hour [D39]',
      ['commit 1.1.0', 'deliver', '29 min', 'deliver', '1 min', 'deliver', '60 min', 'deliver'],
      { events: [...DELIVERED, 'overdue 1.1.0'], open: 1, due: 0, untilNextDue: 18_000 },
    ],
    [
      'delivers an unacknowledged action again at once after its consumer has ended [D39]',
      ['commit 1.1.0', 'deliver', 'the consumer ends', 'deliver'],
      { events: [...DELIVERED, 'delivered 1.1.0 (2)'], due: 0, untilNextDue: 1800 },
    ],
    [
      'delivers an action of an ended process again at once [T55]',
      ['commit 1.1.0', 'deliver', 'another process', 'deliver'],
      { events: [...DELIVERED, 'delivered 1.1.0 (2)'] },
    ],
    [
      'records a done action, and has the machine planned again',
      ['commit 1.1.0', 'deliver', 'done'],
      {
        events: [...DELIVERED, 'acknowledged'],
        deployed: '1.1.0 after 1.0.0',
        open: 0,
        changes: 1,
      },
    ],
    [
      'records the first of two acknowledgements',
      ['commit 1.1.0', 'deliver', 'done', 'done'],
      { events: [...DELIVERED, 'acknowledged', REPORTED], deployed: '1.1.0 after 1.0.0', open: 0 },
    ],
    [
      'rejects a second acknowledgement while the first waits for the disk [D38]',
      ['commit 1.1.0', 'deliver', 'a full disk', 'done', 'done', 'a disk with space', 'retry'],
      { events: [...DELIVERED, 'state-unavailable', REPORTED, 'acknowledged'], open: 0 },
    ],
    [
      'accepts one late acknowledgement of a withdrawn action [D38]',
      ['commit 1.1.0', 'deliver', 'withdraw', 'done', 'done'],
      {
        events: [...DELIVERED, 'withdrawn 1.1.0', 'acknowledged', REPORTED],
        deployed: '1.1.0 after 1.0.0',
      },
    ],
    [
      'ends a delivered action when its release is reported as failed [D38]',
      ['commit 1.1.0', 'deliver', 'the release is reported as failed', 'done'],
      {
        events: [...DELIVERED, 'acknowledged', REPORTED.replace('as done', 'as failed')],
        deployed: '1.0.0 after nothing',
        open: 0,
      },
    ],
    [
      'delivers nothing to a target while the failure of its release waits for the disk [D38]',
      ['commit 1.1.0', 'a full disk', 'the release is reported as failed', '60 min'],
      { events: [...COMMITTED, 'state-unavailable'], open: 1, due: 0 },
    ],
    [
      'ends an action whose release failed (D13)',
      ['commit 1.1.0', 'deliver', 'broken release'],
      { events: [...DELIVERED, 'acknowledged'], deployed: '1.0.0 after nothing', open: 0 },
    ],
    [
      'keeps an action that the machine failed for half a minute',
      ['commit 1.1.0', 'deliver', 'broken machine'],
      { events: [...DELIVERED, 'acknowledged'], open: 1, due: 0, untilNextDue: 30 },
    ],
    [
      'delivers an action that the machine failed again after that',
      ['commit 1.1.0', 'deliver', 'broken machine', '1 min', 'deliver'],
      { events: [...DELIVERED, 'acknowledged', 'delivered 1.1.0 (2)'] },
    ],
    [
      'delivers it again at once after an edit of its policy',
      ['commit 1.1.0', 'deliver', 'broken machine', 'the policy is edited', 'deliver'],
      { events: [...DELIVERED, 'acknowledged', 'delivered 1.1.0 (2)'] },
    ],
    [
      'delivers it again at once after each edit of what its policy refuses',
      [
        ...(['commit 1.1.0', 'the policy refuses another version', 'deliver'] as const),
        ...(['broken machine', 'the policy refuses another version', 'deliver'] as const),
      ],
      { events: [...DELIVERED, 'acknowledged', 'delivered 1.1.0 (2)'] },
    ],
    [
      'delivers it again at once if its policy was edited during the attempt',
      ['commit 1.1.0', 'deliver', 'the policy is edited', 'broken machine', 'deliver'],
      { events: [...DELIVERED, 'acknowledged', 'delivered 1.1.0 (2)'] },
    ],
    [
      'delivers it again at once after an edit of its entry',
      ['commit 1.1.0', 'deliver', 'broken machine', 'the entry is edited', 'deliver'],
      { events: [...DELIVERED, 'acknowledged', 'delivered 1.1.0 (2)'] },
    ],
    [
      'delivers it again at once after one edit, and not after that',
      [
        ...(['commit 1.1.0', 'deliver', 'broken machine', 'the policy is edited'] as const),
        ...(['deliver', 'broken machine'] as const),
      ],
      { open: 1, due: 0, untilNextDue: 60 },
    ],
    [
      'keeps an action that another process failed, although the policy is edited',
      [
        ...(['commit 1.1.0', 'deliver', 'broken machine', 'another process'] as const),
        'the policy is edited',
      ],
      { open: 1, due: 0, untilNextDue: 30 },
    ],
    [
      'withdraws a delivered action, after which the deployed version is unknown',
      ['commit 1.1.0', 'deliver', 'withdraw'],
      {
        events: [...DELIVERED, 'withdrawn 1.1.0'],
        deployed: 'unknown after nothing',
        open: 0,
        changes: 1,
      },
    ],
    [
      'commits nothing on a full disk [T52]',
      ['a full disk', 'commit 1.1.0'],
      { events: ['state-unavailable'], open: 0 },
    ],
    [
      'delivers nothing on a full disk [T52]',
      ['commit 1.1.0', 'a full disk', 'deliver'],
      { events: [...COMMITTED, 'state-unavailable'], due: 1 },
    ],
    [
      'keeps an acknowledgement while the disk is full, and does not deliver the action again [T52]',
      ['commit 1.1.0', 'deliver', 'a full disk', 'done', '60 min'],
      { events: [...DELIVERED, 'state-unavailable'], open: 1, due: 0 },
    ],
    [
      'records an acknowledgement once the disk has space [T52]',
      ['commit 1.1.0', 'deliver', 'a full disk', 'done', 'a disk with space', 'retry'],
      {
        events: [...DELIVERED, 'state-unavailable', 'acknowledged'],
        deployed: '1.1.0 after 1.0.0',
      },
    ],
  ])('%s', async (_, steps, expected) => {
    expect(await played(steps)).toMatchObject(expected);
  });
});

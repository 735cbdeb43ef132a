import { expect, it } from 'vitest';
import { APPROVER, AUTHOR, role, STRANGER } from '../support/signed.ts';
import { commanded, type Circumstances } from './support/commanded.ts';
import {
  by,
  documentOf,
  pinned,
  pinnedTo,
  refused,
  RESTART,
  signatureBy,
  wishOf,
  type Said,
} from './support/signed-command.ts';

const DONE = 'done: acme:lidar is held';

it('[D393] what an operator signed for a machine with a pin is carried out, and the log names the key', async () => {
  const machine = await pinned();
  machine.give('restart', wishOf(RESTART, by(APPROVER)));
  expect((await machine.round(pinnedTo()))[0]).toBe(
    `info command 1 of the site is carried out: restart acme:lidar, signed by ${APPROVER.id}`,
  );
  expect([machine.outcomes(), machine.carried]).toEqual([[DONE], [1]]);
});

const LIFT: Said = { ...RESTART, kind: 'unquarantine', version: '1.4.0' };
const WRONG = `the signature of the key ${APPROVER.id} is not one of an operator over this command`;

it.each<[string, Said, Partial<Said>]>([
  ['machine', RESTART, { machine: 'rover-8' }],
  ['site', RESTART, { site: 'acme-depot' }],
  ['id', RESTART, { id: 'q3J-CCCCCCCCCCCCCCCCCC' }],
  ['kind', RESTART, { kind: 'rollback' }],
  ['module', RESTART, { module: 'acme:gps' }],
  ['version', LIFT, { version: '1.5.0' }],
  ['time', RESTART, { given: '2026-11-29T11:59:00Z' }],
  ['end', RESTART, { ends: '2026-11-29T12:01:30Z' }],
  ['reason', RESTART, { reason: 'a visit' }],
])('[D393] a command with another %s than was signed is refused', async (_what, said, signed) => {
  const machine = await pinned();
  machine.give('restart', wishOf(said, by(APPROVER, { ...said, ...signed })));
  await machine.round(pinnedTo());
  const typed = said === LIFT ? 'quarantine lift acme:lidar 1.4.0' : undefined;
  expect([machine.outcomes(), machine.carried]).toEqual([[refused(WRONG, typed)], []]);
});

const TWO = documentOf([role('namespace *', 1, AUTHOR), role('operator', 2, APPROVER, AUTHOR)]);

it.each<[string, Circumstances, Readonly<Record<string, string>>, string]>([
  [
    'an author signed',
    pinnedTo(documentOf([role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)])),
    by(AUTHOR),
    refused(`the signature of the key ${AUTHOR.id} is not one of an operator over this command`),
  ],
  [
    'a stranger signed in the name of an operator',
    pinnedTo(),
    { [APPROVER.id]: signatureBy(STRANGER, RESTART) },
    refused(WRONG),
  ],
  [
    'one of two operators signed',
    pinnedTo(TWO),
    by(APPROVER),
    refused('it has 1 of 2 signatures of operators'),
  ],
  ['two operators signed', pinnedTo(TWO), { ...by(APPROVER), ...by(AUTHOR) }, DONE],
  ['a stranger and the operator signed', pinnedTo(), { ...by(STRANGER), ...by(APPROVER) }, DONE],
  ['nothing signed', pinnedTo(), {}, refused('it has 0 of 1 signatures of operators')],
  [
    'an operator signed whose key a later trust document lacks',
    pinnedTo(documentOf([role('operator', 1, STRANGER)], { version: 2 })),
    by(APPROVER),
    refused(WRONG),
  ],
  [
    'an operator signed that the trust document does not name',
    pinnedTo(documentOf([role('namespace *', 1, AUTHOR)])),
    by(APPROVER),
    refused('the trust document acme-plant names no operator'),
  ],
  [
    'the trust document expired',
    pinnedTo(documentOf(undefined, { expires: '2026-11-29T12:01:00Z' })),
    by(APPROVER),
    refused('the trust document expired at 2026-11-29T12:01:00Z'),
  ],
  [
    'the trust document cannot be read',
    { isPinned: () => true },
    by(APPROVER),
    refused('there is none'),
  ],
])(
  '[D393] of a command that %s, the outcome is known',
  async (_what, parts, signatures, outcome) => {
    const machine = await pinned();
    machine.give('restart', wishOf(RESTART, signatures));
    await machine.round(parts);
    expect([machine.outcomes(), machine.carried]).toEqual([[outcome], outcome === DONE ? [1] : []]);
  },
);

const UNCERTAIN =
  'the clock of the machine is not certain, so that it cannot know whether the command is a new one';

it.each<[string, Circumstances['reading'], string]>([
  ['stands in 1970', () => ({ now: 0, clock: undefined }), refused(UNCERTAIN)],
  [
    'is not synchronized',
    () => ({
      now: Date.parse(RESTART.given),
      clock: { kind: 'unsynchronized', certainAt: undefined },
    }),
    refused(UNCERTAIN),
  ],
  [
    'is six minutes behind',
    () => ({ now: Date.parse('2026-11-29T11:55:00Z'), clock: undefined }),
    refused(
      'it was given at 2026-11-29T12:01:00Z, and the clock of the machine says 2026-11-29T11:55:00Z',
    ),
  ],
  [
    'is five minutes behind',
    () => ({ now: Date.parse('2026-11-29T11:56:00Z'), clock: undefined }),
    DONE,
  ],
  [
    'is an hour ahead',
    () => ({ now: Date.parse(RESTART.ends), clock: undefined }),
    'expired: it expired at 2026-11-29T13:01:00Z, and the clock of the machine says 2026-11-29T13:01:00Z',
  ],
])(
  '[D394] [T789] on a machine whose clock %s, a signed command ends as it should',
  async (_what, reading, outcome) => {
    const machine = await pinned();
    machine.give('restart', wishOf(RESTART, by(APPROVER)));
    await machine.round({ ...pinnedTo(), ...(reading && { reading }) });
    expect(machine.outcomes()).toEqual([outcome]);
  },
);

it('[D394] a command that was signed for more than a day is refused', async () => {
  const machine = await pinned();
  const said = { ...RESTART, ends: '2026-11-30T13:01:00Z' };
  machine.give('restart', wishOf(said, by(APPROVER, said)));
  await machine.round(pinnedTo());
  expect(machine.outcomes()).toEqual([refused('it lasts 1 d 1 h, expected at most 1 d')]);
});

it.each([
  ['an id that is none', { id: 'short' }, 'its id is "short", expected 16 bytes in base64url'],
  ['a time that is none', { given_at: 'noon' }, 'it was given at "noon", expected a time'],
])('[D393] a signed command with %s is refused and says so', async (_what, more, why) => {
  const machine = await pinned();
  machine.give('restart', wishOf(RESTART, by(APPROVER)));
  await machine.round({
    ...pinnedTo(),
    async fetch(...request) {
      const answer = await fetch(...request);
      if (!answer.url.includes('nonce')) return answer;
      const found = (await answer.json()) as { commands: { signed: object }[] };
      for (const one of found.commands) Object.assign(one.signed, more);
      return Response.json(found);
    },
  });
  expect(machine.outcomes()).toEqual([refused(why)]);
});

it('[D393] a machine without a pin looks at no signature', async () => {
  const machine = await commanded();
  machine.give('restart', wishOf(RESTART, by(STRANGER)));
  await machine.round();
  expect(machine.carried).toEqual([1]);
});

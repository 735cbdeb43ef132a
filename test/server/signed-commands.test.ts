import { expect, it } from 'vitest';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { RESTART, signatureBy, type Said } from '../host/support/signed-command.ts';
import { APPROVER, AUTHOR, role, STRANGER, trustOf } from '../support/signed.ts';
import { asking, type Asking } from './support/asking.ts';

const COMMANDS = '/v1/machines/rover-7/commands';
const QUESTION = `${COMMANDS}?nonce=q3J-AAAAAAAAAAAAAAAAAA`;
/** At the time of the registry. */
const SAID: Said = { ...RESTART, given: '2026-11-21T01:02:03Z', ends: '2026-11-21T02:02:03Z' };
const SIGNATURES = { [APPROVER.id]: signatureBy(APPROVER, SAID) };

/** A registry whose trust document names two authors, one of whom is an operator. */
function site(roles = [role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)]): Asking {
  const found = asking();
  found.registry.catalogue.trust.store(trustOf(roles).text);
  return found;
}

function bodyOf(
  { id, kind, module, version, given, ends, reason }: Said,
  signatures: object = SIGNATURES,
): object {
  const signed = { given_at: given, expires_at: ends, signatures };
  return { key: id, kind, module, version, reason, signed };
}

it('[D396] a registry stores the signatures of a command, and serves them with its id', async () => {
  const { as } = site();
  expect(await as('commands', 'PUT', COMMANDS, bodyOf(SAID))).toEqual({
    status: 200,
    json: { machine: 'rover-7', number: 1, kind: 'restart', expires_at: SAID.ends, asks: false },
  });
  const signed = { id: SAID.id, given_at: SAID.given, signatures: SIGNATURES };
  const served = { number: 1, kind: 'restart', expires_at: SAID.ends, signed };
  expect(await as('machine:rover-7', 'GET', QUESTION)).toMatchObject({
    json: { commands: [served] },
  });
  expect(await as('commands', 'GET', COMMANDS)).toMatchObject({ json: { commands: [served] } });
});

it('[D406] a machine that reported a pin is given what operators signed', async () => {
  const { as } = site();
  const report = machineReport([], { state: { ...reportedState(1), pinned: true } });
  await as('machine:rover-7', 'POST', '/v1/machines/rover-7/reports', report);
  const answers = [
    await as('commands', 'PUT', COMMANDS, {
      ...bodyOf(SAID),
      key: 'A'.repeat(22),
      signed: undefined,
    }),
    await as('commands', 'PUT', COMMANDS, bodyOf(SAID)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([422, 200]);
});

const LONG = { ...SAID, ends: '2026-11-22T02:02:03Z' };
const LATE = { ...SAID, ends: '2026-11-21T01:02:03Z' };
const EARLY = { ...SAID, given: '2026-11-21T01:07:04Z' };
const HOLD = { ...SAID, kind: 'hold', module: null };
const NINE = Object.fromEntries(
  Array.from({ length: 9 }, (_, place) => [`${place}`.repeat(16), signatureBy(AUTHOR, SAID)]),
);

it.each<[string, object, string]>([
  [
    'by an author',
    bodyOf(SAID, { [AUTHOR.id]: signatureBy(AUTHOR, SAID) }),
    `/signed/signatures: the signature of the key ${AUTHOR.id} is not one of an operator over this command`,
  ],
  [
    'of another machine',
    bodyOf(SAID, { [APPROVER.id]: signatureBy(APPROVER, { ...SAID, machine: 'rover-8' }) }),
    `/signed/signatures: the signature of the key ${APPROVER.id} is not one of an operator over this command`,
  ],
  [
    'that has ended',
    bodyOf(LATE),
    '/signed: it expired at 2026-11-21T01:02:03Z, and the clock of the registry says 2026-11-21T01:02:03Z',
  ],
  [
    'from the future',
    bodyOf(EARLY),
    '/signed: it was given at 2026-11-21T01:07:04Z, and the clock of the registry says 2026-11-21T01:02:03Z',
  ],
  ['that lasts too long', bodyOf(LONG), '/signed: it lasts 1 d 1 h, expected at most 1 d'],
  ['of a hold', { ...bodyOf(HOLD), for: '1h' }, '/signed: a hold needs no signature'],
  ['without signatures', bodyOf(SAID, {}), '/signed/signatures: expected 1 to 8 signatures'],
  ['with nine signatures', bodyOf(SAID, NINE), '/signed/signatures: expected 1 to 8 signatures'],
  [
    'with a short signature',
    bodyOf(SAID, { [APPROVER.id]: 'AAAA' }),
    `/signed/signatures/${APPROVER.id}: expected 64 bytes in base64`,
  ],
  [
    'with a time that is none',
    bodyOf({ ...SAID, given: 'noon' }),
    '/signed/given_at: expected a time, such as 2026-11-21T01:02:03Z',
  ],
])('[D396] a signed command %s is refused', async (_what, body, error) => {
  const { as } = site();
  const { status, json } = await as('commands', 'PUT', COMMANDS, body);
  expect([status, Object(json).errors]).toEqual([422, [error]]);
  expect(await as('commands', 'GET', COMMANDS)).toEqual({ status: 200, json: { commands: [] } });
});

it.each([
  ['none', undefined, '/signed: the registry has no trust document'],
  [
    'one without operators',
    [role('namespace *', 1, AUTHOR)],
    '/signed/signatures: the trust document acme-plant names no operator',
  ],
  [
    'one that requires two operators',
    [role('operator', 2, APPROVER, STRANGER)],
    '/signed/signatures: it has 1 of 2 signatures of operators',
  ],
])(
  '[D396] by the trust document of the registry, which is %s, a signed command is refused',
  async (_what, roles, error) => {
    const { as } = roles ? site(roles) : asking();
    const { json } = await as('commands', 'PUT', COMMANDS, bodyOf(SAID));
    expect(Object(json).errors).toEqual([error]);
  },
);

it('[D396] by an expired trust document of the registry, a signed command is refused', async () => {
  const { registry, as } = asking();
  const roles = [role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)];
  const document = trustOf(roles, undefined, { expires: '2026-11-21T01:02:03Z' });
  registry.catalogue.trust.store(document.text);
  const { json } = await as('commands', 'PUT', COMMANDS, bodyOf(SAID));
  expect(Object(json).errors).toEqual([
    '/signed: the trust document expired at 2026-11-21T01:02:03Z',
  ]);
});

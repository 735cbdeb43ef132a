import { expect, it } from 'vitest';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { by, RESTART, wishOf } from '../host/support/signed-command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import {
  APPROVER,
  AUTHOR,
  role,
  ROOT_ONE,
  STRANGER,
  trustOf,
  VENDOR,
  type TestKey,
  type TestTrust,
} from '../support/signed.ts';
import { commandedHere, commanding, keyFile, pem } from './support/commanded-here.ts';

it('[D392] [D393] a machine whose policy names a trust document does once what an operator signed for it', async () => {
  const roles = [role('namespace acme', 1, AUTHOR), role('operator', 1, APPROVER)];
  const { told, fleet, until, here, loopback } = await commandedHere(['1.2.3'], trustOf(roles));
  const [key, author] = [keyFile(APPROVER), keyFile(AUTHOR)];
  await told('hold', '--for', '2h');
  expect(await told('unhold', '--key', key)).toBe(
    'info  command 2 of the site (unhold) is done: this machine is no longer held',
  );
  const restart = ['restart', 'acme:lidar', '--reason', 'no points'];
  expect((await fleet(...restart, '--key', key)).stderr).toEqual([
    `note: signed by ${APPROVER.id} for rover-7 of acme-plant`,
    'note: modreg fleet commands --machine rover-7 says what the machine answers',
  ]);
  expect((await until('of the site (restart')).slice(-2)).toEqual([
    `TIME info  command 3 of the site is carried out: restart acme:lidar, signed by ${APPROVER.id}`,
    'TIME info  command 3 of the site (restart acme:lidar) is done: acme:lidar restarts 1.2.3 once nothing holds it',
  ]);
  await here('hold', '--for', '1h', '--reason', 'demo');
  expect(await told('unhold', '--key', key)).toMatch(
    /^warn {2}command 4 of the site \(unhold\) is refused: this machine is held by ann, /,
  );
  expect((await fleet(...restart, '--key', author)).stderr).toEqual([
    `error[BAD_VALUE]: /signed/signatures: the signature of the key ${AUTHOR.id} is not one of an operator over this command`,
  ]);
  expect(loopback.catalogue.configs.commands.all('rover-7')).toHaveLength(4);
});

it('[D302] [D405] a command is signed by keys that its options name, not by one of the environment, and the list names them', async () => {
  const loopback = await loopbackRegistry();
  loopback.catalogue.trust.store(trustOf([role('operator', 1, APPROVER)]).text);
  const fleet = commanding(loopback, { MODREG_SIGNING_KEY: pem(AUTHOR) });
  const upgrade = ['upgrade', 'acme:lidar', '--reason', 'a', '--expires', '5m'];
  await fleet('hold', '--for', '1h', '--reason', 'a');
  await fleet(...upgrade);
  await fleet(...upgrade, '--key', keyFile(APPROVER));
  const listed = (await fleet('commands')).stdout.map((line) => /token.*: a/.exec(line)?.[0]);
  expect(listed).toEqual([
    undefined,
    `token t1 (ops), signed by ${APPROVER.id}: a`,
    'token t1 (ops): a',
    'token t1 (ops): a',
  ]);
});

/** The trust document whose registry has the key of the vendor, with another operator in each version. */
function trustWith(operator: TestKey, version = 1): TestTrust {
  const roles = [role('registry', 1, VENDOR), role('operator', 1, operator)];
  return trustOf([role('namespace acme', 1, AUTHOR), ...roles], [ROOT_ONE], { version });
}

it('[D393] a key that a later trust document lacks gives no command, from the first answer by that document on', async () => {
  const { told, until, loopback } = await commandedHere(['1.2.3'], trustWith(APPROVER), VENDOR);
  const { trust, configs } = loopback.catalogue;
  expect(await told('restart', 'acme:lidar', '--key', keyFile(APPROVER))).toBe(
    'info  command 1 of the site (restart acme:lidar) is done: acme:lidar restarts 1.2.3 once nothing holds it',
  );
  trust.store(trustWith(STRANGER, 2).text);
  const at = Date.now();
  const ends = at + 3_600_000;
  const said = { ...RESTART, given: formatTime(at), ends: formatTime(ends) };
  configs.commands.give({
    machine: 'rover-7',
    key: said.id,
    kind: 'restart',
    module: said.module ?? undefined,
    term: undefined,
    version: undefined,
    author: 'the site',
    reason: said.reason,
    at,
    expiresAt: ends,
    ...wishOf(said, by(APPROVER, said)),
  });
  const [refused = ''] = (await until('command 2 of the site')).slice(-1);
  expect(refused).toContain(
    `is refused: the policy of the machine names a trust document, so that operators sign this: the signature of the key ${APPROVER.id} is not one of an operator over this command; `,
  );
});

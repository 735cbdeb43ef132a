import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { shWithMounts } from '../support/shell.ts';

const MODREG = `${ROOT}bin/modreg`;
const CONFIG =
  '{"modules":[{"type":"registry","name":"cam","module_id":"acme:cam","version":"1.*"}]}';

/** Steps that give this process alone a system with the state and the config of a service. */
function systemOf(state: string): string[] {
  return [
    'mount -t tmpfs none /var/lib',
    'mount -t tmpfs none /etc',
    'mkdir /var/lib/modreg /etc/modreg',
    `printf '${state}' > /var/lib/modreg/machine.db`,
    `printf '${CONFIG}' > /etc/modreg/machine.json`,
  ];
}

it('[T701] a user who has no state is told whose state there is', (context) => {
  const said = shWithMounts(
    context,
    [...systemOf('state'), `${MODREG} status 2>&1 || echo "exit $?"`],
    { HOME: temporaryFolder() },
  );
  expect(said.trimEnd().split('\n')).toEqual([
    'error[USAGE]: this user has no state here, and the agent of this machine has its own in /var/lib/modreg',
    'hint: run the command as root: sudo env PLATFORM_HOME=/var/lib/modreg modreg …',
    'exit 2',
  ]);
});

it.for([
  ['a home that is named', 'state', { PLATFORM_HOME: '/nowhere' }],
  ['a service that has not run', '', { HOME: '/nowhere' }],
] as const)('[T701] with %s, nothing has run here', ([, state, environment], context) => {
  const said = shWithMounts(
    context,
    [...systemOf(state), `${MODREG} status 2>/dev/null`],
    environment,
  );
  expect(said).toBe(
    'this machine has no state: neither modreg agent run nor modreg poll has run here\n',
  );
});

it('[D290] without another one, the machine config of the system is read', (context) => {
  const steps = [...systemOf(''), `${MODREG} plan --registry examples/rover/registry 2>&1`];
  expect(shWithMounts(context, steps, { HOME: '/nowhere' })).toMatch(
    /^\/etc\/modreg\/machine\.json {3}1 module/,
  );
});

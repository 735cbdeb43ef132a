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

const PUBLISH = `${MODREG} registry publish acme:lidar 1.0.0`;
const SERVED = [
  'error[USAGE]: there is no registry of this user, and the service modreg-registry has its own in /var/lib/modreg-registry; nothing was changed',
  'hint: run the command as the user of the service: runuser -u modreg-registry -- env PLATFORM_HOME=/var/lib/modreg-registry modreg …; --db names another file',
  'exit 2',
];

it('[T815] root makes no second registry beside that of the service', (context) => {
  const commands = [PUBLISH, `${MODREG} registry restore /var/lib/monday`];
  const steps = [
    'mount -t tmpfs none /var/lib',
    'mkdir /var/lib/modreg /var/lib/modreg-registry /var/lib/other',
    'export PLATFORM_HOME=/var/lib/modreg',
    'printf registry > /var/lib/modreg-registry/registry.db',
    ...commands.map((command) => `${command} 2>&1 || echo "exit $?"`),
    'ls /var/lib/modreg',
    // What is named is taken at its word, and without a service there is nothing beside which it is a second one.
    `${PUBLISH} --create --db /var/lib/other/named.db`,
    `PLATFORM_HOME=/var/lib/other ${PUBLISH}`,
    'rm /var/lib/modreg-registry/registry.db',
    PUBLISH,
  ];
  const published = 'acme:lidar: 1 published, 0 unchanged';
  expect(shWithMounts(context, steps, {}).trimEnd().split('\n')).toEqual([
    ...SERVED,
    ...SERVED,
    published,
    published,
    published,
  ]);
});

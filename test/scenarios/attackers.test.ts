import { expect, it } from 'vitest';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { signedConfigText } from '../../src/registry/trust/config-signatures.ts';
import type { ServedConfig } from '../../src/core/trust/served-config.ts';
import type { CommandWish } from '../../src/server/commands/command-table.ts';
import { by, RESTART, wishOf } from '../host/support/signed-command.ts';
import { commandedHere } from '../cli/support/commanded-here.ts';
import { entry } from '../support/planned.ts';
import { APPROVER, AUTHOR, role, STRANGER, trustOf, type TestKey } from '../support/signed.ts';

type Site = Awaited<ReturnType<typeof commandedHere>>;

const LIDAR = entry('acme:lidar', '1.2.*');
const ROLES = [role('namespace acme', 1, AUTHOR), role('operator', 1, APPROVER)];

/** Stores the next revision of rover-7 as who has the file of the registry can: nothing checks it. */
function stored({ loopback }: Site, config: object, policy?: object): void {
  const { configs } = loopback.catalogue;
  configs.save({
    machine: 'rover-7',
    basedOn: configs.newest('rover-7')?.revision ?? 0,
    config: JSON.stringify(config),
    policy: policy && JSON.stringify(policy),
    author: 'alice',
    reason: 'a test',
    at: Date.now(),
  });
}

/** Signs the newest revision with a key that is not one of an operator. */
function signed({ loopback }: Site, key: TestKey): void {
  const { catalogue } = loopback;
  const newest = catalogue.configs.newest('rover-7') as ServedConfig;
  const signatures = { [key.id]: key.sign(signedConfigText('acme-plant', newest)) };
  catalogue.apply({ kind: 'config-signatures', ...newest, signatures });
}

/** What has to be signed by operators, as an end of what is refused. */
function unsigned(path: string): string {
  return `is refused: needs-signature: ${path} may change only with the signatures of operators (it has 0 of 1)`;
}

const ENV = '/config/modules/acme_lidar/env';

/** Documents that are tried, one after the other, and what the machine says of each. */
const DOCUMENTS: readonly (readonly [object, object | undefined, TestKey | undefined, string])[] = [
  [
    { modules: [entry('acme:lidar', '1.0.*')] },
    undefined,
    undefined,
    'is refused: below-deployed: /config/modules/acme_lidar/version is "1.0.*", which may select less than the deployed 1.2.3 (it has 0 of 1)',
  ],
  [
    { modules: [LIDAR, entry('evil:kit', '1.*')] },
    undefined,
    undefined,
    unsigned('/config/modules/evil_kit/module_id'),
  ],
  [
    {
      modules: [
        LIDAR,
        { type: 'local', name: 'kit', module_id: 'acme:kit', executable_path: '/tmp/kit' },
      ],
    },
    undefined,
    undefined,
    unsigned('/config/modules/kit'),
  ],
  [{ modules: [{ ...LIDAR, env: { A: 'a' } }] }, undefined, undefined, unsigned(ENV)],
  [{ modules: [{ ...LIDAR, env: { A: 'b' } }] }, undefined, AUTHOR, unsigned(ENV)],
  [{ modules: [{ ...LIDAR, env: { A: 'c' } }] }, undefined, STRANGER, unsigned(ENV)],
  [
    { modules: [LIDAR], agent: { 'agent-syscfg': { disable_subsystem: true } } },
    undefined,
    undefined,
    unsigned('/config/agent'),
  ],
  [
    { modules: [LIDAR] },
    { modules: { acme_lidar: { command: ['sh', '-c', 'kit'] } } },
    undefined,
    unsigned('/policy/modules/acme_lidar/command'),
  ],
  [
    { modules: [LIDAR] },
    { modules: { acme_lidar: { run_as: 'root' } } },
    undefined,
    unsigned('/policy/modules/acme_lidar/run_as'),
  ],
  [
    { modules: [LIDAR] },
    { blackout: [] },
    undefined,
    'is refused: loosens: /policy/blackout allows more than before, and without a signature the site may only tighten it (it has 0 of 1)',
  ],
  [{ modules: [LIDAR] }, { trust: 'unsigned' }, undefined, local('trust')],
  [{ modules: [LIDAR] }, { registry: 'https://evil.example' }, undefined, local('registry')],
  [{ modules: [entry('acme:lidar', '1.3.*')] }, undefined, undefined, 'is in use'],
];

function local(term: string): string {
  return `is refused: local-term: /policy/${term} is a term of the machine alone, which its site cannot set`;
}

/** Gives a restart with the signature of a key that is not one of an operator. */
function givenWith({ loopback }: Site, key: TestKey): void {
  const at = Date.now();
  const ends = at + 3_600_000;
  const id = `q3J-BBBBBBBBBBBBBB${key.id.slice(0, 4)}`;
  const said = { ...RESTART, id, given: formatTime(at), ends: formatTime(ends) };
  loopback.catalogue.configs.commands.give({
    machine: 'rover-7',
    kind: 'restart',
    module: 'acme:lidar',
    term: undefined,
    version: undefined,
    author: 'alice',
    at,
    ...wishOf(said, by(key, said)),
  } as CommandWish);
}

function refusedFor(why: string, typed: string, again = 'give it again'): string {
  return `is refused: the policy of the machine names a trust document, so that operators sign this: ${why}; ${again}, or run modreg ${typed} on the machine`;
}

/** Commands that are tried without a signature, or with that of a key. */
const COMMANDS: readonly (readonly [string, TestKey | undefined, string])[] = [
  ...['restart', 'unhold', 'rollback', 'upgrade'].map((kind) => {
    const again = 'give it again with --key';
    return [kind, undefined, refusedFor('none did', `${kind} acme:lidar`, again)] as const;
  }),
  ...[AUTHOR, STRANGER].map((key) => {
    const why = `the signature of the key ${key.id} is not one of an operator over this command`;
    return ['restart', key, refusedFor(why, 'restart acme:lidar')] as const;
  }),
];

it('[D262] [D299] [D300] [D393] who holds the site without keys of operators moves a constraint up and holds, and has nothing else done', async () => {
  const site = await commandedHere(['1.2.3', '1.2.9'], trustOf(ROLES));
  const { until, told, here } = site;
  const answers: string[] = [];
  for (const [config, policy, key] of DOCUMENTS) {
    stored(site, config, policy);
    if (key) signed(site, key);
    const [said = ''] = (await until('of the site is')).slice(-1);
    answers.push(said.replace(/^.*of the site /, '').replace(/; its own documents.*/, ''));
  }
  expect(answers).toEqual(DOCUMENTS.map(([, , , answer]) => answer));
  expect(await here('hold', 'acme:lidar', '--for', '1h', '--reason', 'demo')).toContain(
    'acme:lidar is held until ',
  );
  const outcomes: string[] = [];
  for (const [kind, key] of COMMANDS) {
    if (key) givenWith(site, key);
    const said = key ? (await until('of the site (')).at(-1) : await told(kind, 'acme:lidar');
    outcomes.push(String(said).replace(/^.*\) is /, 'is '));
  }
  expect(outcomes).toEqual(COMMANDS.map(([, , outcome]) => outcome));
  expect(await told('hold', '--for', '1h')).toMatch(/ is done: this machine is held until /);
  const status = await here('status');
  expect(status).toMatch(/^ +acme:lidar +1\.3\.\* +1\.2\.3 /m);
  expect(status).toMatch(/^ +acme:lidar +ann /m);
});

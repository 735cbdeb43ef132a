import { expect, it } from 'vitest';
import { configText } from '../../src/core/trust/config-text.ts';
import { entry } from '../support/planned.ts';
import {
  ARM,
  CONFIG,
  LIDAR,
  NOW,
  outcome,
  OWN,
  PIN,
  revisionOf,
  UNSIGNED,
  verdictOf,
  type Serving,
} from './support/following.ts';

const SIGN = 'may change only with the signatures of operators (it has 0 of 2)';

function withModules(...modules: readonly object[]): object {
  return { modules };
}

it.each<[string, object, string]>([
  ['the same version', LIDAR, 'accepted'],
  ['a constraint that accepts what is deployed', { ...LIDAR, version: '1.*' }, 'accepted'],
  ['a pin to what is deployed', { ...LIDAR, version: '1.3.5' }, 'accepted'],
  ['a higher pin', { ...LIDAR, version: '1.3.6' }, 'accepted'],
  ['a higher branch', { ...LIDAR, version: '1.4.*' }, 'accepted'],
  ['a higher major branch', { ...LIDAR, version: '2.*' }, 'accepted'],
  ['latest', { ...LIDAR, version: 'latest' }, 'accepted'],
  [
    'a lower pin',
    { ...LIDAR, version: '1.3.4' },
    'below-deployed: /config/modules/acme_lidar/version is "1.3.4", which may select less than the deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'a lower branch',
    { ...LIDAR, version: '1.2.*' },
    'below-deployed: /config/modules/acme_lidar/version is "1.2.*", which may select less than the deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'a lower major branch',
    { ...LIDAR, version: '0.*' },
    'below-deployed: /config/modules/acme_lidar/version is "0.*", which may select less than the deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'another module',
    { ...LIDAR, module_id: 'acme:sonar' },
    `needs-signature: /config/modules/acme_lidar/module_id ${SIGN}`,
  ],
  [
    'its environment',
    { ...LIDAR, env: { RATE: '20' } },
    `needs-signature: /config/modules/acme_lidar/env ${SIGN}`,
  ],
  [
    'a field that modreg does not know',
    { ...LIDAR, log_level: 'debug' },
    `needs-signature: /config/modules/acme_lidar/log_level ${SIGN}`,
  ],
  [
    'a local module in its place',
    { ...OWN, name: 'acme_lidar' },
    `needs-signature: /config/modules/acme_lidar/type ${SIGN}`,
  ],
])('[D262] an unsigned document that gives the lidar %s', (_what, lidar, found) => {
  const config = withModules(lidar, OWN, ARM);
  expect(outcome({ config })).toBe(found);
  expect(outcome({ config, signed: 2 })).toBe('accepted');
  expect(outcome({ config, policy: UNSIGNED })).toBe('accepted');
});

it.each<[string, readonly object[], string, object?]>([
  ['a module of a namespace with keys', [...CONFIG.modules, entry('acme:gps', '1.*')], 'accepted'],
  ['no lidar', [OWN, ARM], 'accepted'],
  [
    'a module of a namespace without keys',
    [...CONFIG.modules, entry('evil:gps', '1.*')],
    `needs-signature: /config/modules/evil_gps/module_id ${SIGN}`,
  ],
  [
    'a module with an environment',
    [...CONFIG.modules, { ...entry('acme:gps', '1.*'), env: { RATE: '1' } }],
    `needs-signature: /config/modules/acme_gps/env ${SIGN}`,
  ],
  [
    'a local module',
    [...CONFIG.modules, { ...OWN, name: 'second' }],
    `needs-signature: /config/modules/second ${SIGN}`,
  ],
  ['no local module', [LIDAR, ARM], `needs-signature: /config/modules/own ${SIGN}`],
  [
    'no module of a namespace without keys',
    [LIDAR, OWN],
    `needs-signature: /config/modules/other_arm/module_id ${SIGN}`,
  ],
  [
    'a module under a name for which the policy has a user',
    [...CONFIG.modules, entry('acme:gps', '1.*', 'root_only')],
    `needs-signature: /config/modules/root_only ${SIGN}`,
    { ...PIN, modules: { root_only: { run_as: 'root' } } },
  ],
  [
    'a module under a name for which the policy has a window',
    [...CONFIG.modules, entry('acme:gps', '1.*', 'at_night')],
    'accepted',
    { ...PIN, modules: { at_night: { maintenance: [] } } },
  ],
  [
    'no module under a name that the policy frees of signatures',
    [OWN, ARM],
    `needs-signature: /config/modules/acme_lidar ${SIGN}`,
    { ...PIN, modules: { acme_lidar: { trust: 'unsigned' } } },
  ],
  [
    'a module under a name that the policy frees of signatures',
    [...CONFIG.modules, entry('acme:gps', '1.*', 'free')],
    `needs-signature: /config/modules/free ${SIGN}`,
    { ...PIN, modules: { free: { trust: 'unsigned' } } },
  ],
])('[D262] an unsigned document with %s', (_what, modules, found, policy = PIN) => {
  const config = withModules(...modules);
  expect(outcome({ config, policy })).toBe(found);
  expect(outcome({ config, policy, signed: 2 })).toBe('accepted');
  expect(outcome({ config, policy: UNSIGNED })).toBe('accepted');
});

const NIGHT = { start: '0 2 * * *', duration: '2h', time_zone: 'UTC' };

it.each<[string, Serving, string]>([
  ['a first window', { terms: { maintenance: [NIGHT] } }, 'accepted'],
  [
    'another window',
    {
      policy: { ...PIN, maintenance: [NIGHT] },
      terms: { maintenance: [{ ...NIGHT, start: '0 3 * * *' }] },
    },
    'loosens: /policy/maintenance allows more than before, and without a signature the site may only tighten it (it has 0 of 2)',
  ],
  [
    'no window',
    { policy: { ...PIN, maintenance: [NIGHT] }, terms: { maintenance: [] } },
    'loosens: /policy/maintenance allows more than before, and without a signature the site may only tighten it (it has 0 of 2)',
  ],
  [
    'a wider window for one module',
    {
      policy: { ...PIN, maintenance: [NIGHT] },
      terms: { modules: { acme_lidar: { maintenance: [{ ...NIGHT, duration: '3h' }] } } },
    },
    'loosens: /policy/modules/acme_lidar/maintenance allows more than before, and without a signature the site may only tighten it (it has 0 of 2)',
  ],
  [
    'terms that are no longer as strict as the last revision',
    {
      terms: {},
      served: { revision: 2 },
      on: { inForce: revisionOf(1, CONFIG, { minimum_release_age: '2d' }), highest: 1 },
    },
    'loosens: /policy/minimum_release_age allows more than before, and without a signature the site may only tighten it (it has 0 of 2)',
  ],
])('[D262] an unsigned document with %s', (_what, serving, found) => {
  expect(outcome(serving)).toBe(found);
  expect(outcome({ ...serving, signed: 2 })).toBe('accepted');
});

const OTHER = withModules(LIDAR, OWN);

it.each<[string, Serving, string]>([
  [
    'for another machine',
    { served: { machine: 'rover-8' } },
    'other-machine: the documents are for rover-8, and this machine is rover-7',
  ],
  [
    'of an earlier revision',
    { served: { revision: 4 }, on: { highest: 5, inForce: revisionOf(5, CONFIG) } },
    'older-revision: it is revision 4, and this machine has run revision 5',
  ],
  [
    'of the same revision with other documents',
    { config: OTHER, served: { revision: 5 }, on: { highest: 5, inForce: revisionOf(5, CONFIG) } },
    'changed-revision: revision 5 has other documents than those that this machine runs as revision 5',
  ],
  [
    'that is not JSON',
    { served: { config: '{' } },
    'malformed: the machine config cannot be used: 1:2 expected "}"',
  ],
  [
    'with a misspelt field',
    { served: { config: '{"modues": []}' } },
    'malformed: the machine config cannot be used: 1:1 found no field of a machine config, expected components, modules, agent; did you mean modules ?',
  ],
  [
    'with a policy that has an error',
    { terms: { restart_ceiling: 0 } },
    'malformed: the policy cannot be used: 1:20 /restart_ceiling: found 0, expected a whole number from 1 to 1440',
  ],
  [
    'that is too large',
    { served: { config: ' '.repeat(1024 * 1024) + '{}' } },
    'too-large: the documents have 1048578 bytes, expected at most 1048576',
  ],
  [
    'with a password',
    {
      config: {
        agent: { 'agent-provisioning': { attributes: { hotspot_password: 'kiwi-1234' } } },
      },
    },
    'holds-secret: /config/agent/agent-provisioning/attributes/hotspot_password is a secret, which a site cannot serve: keep it on the machine, or use ${environment.NAME}',
  ],
])('[D260] [T670] a document %s is refused, whoever signed it', (_what, serving, found) => {
  expect(outcome(serving)).toBe(found);
  expect(outcome({ ...serving, signed: 2 })).toBe(found);
  expect(outcome({ ...serving, policy: UNSIGNED })).toBe(found);
});

it.each<[string, Serving, string]>([
  [
    'no trust document can be read',
    { on: { trust: { ok: false, error: 'the registry has no trust document' } } },
    'untrusted: the registry has no trust document',
  ],
  [
    'the trust document has expired',
    { on: { now: NOW + 366 * 86_400_000 } },
    'untrusted: the trust document expired at 2027-11-27T00:00:00Z',
  ],
  [
    'the policy names one for a single module only',
    { policy: { modules: { acme_lidar: PIN } } },
    'untrusted: the policy names a trust document for single modules only: name it for all, so that it says who signs documents',
  ],
])('[T671] nothing that a site serves is run where %s', (_what, serving, found) => {
  expect(outcome({ ...serving, signed: 2 })).toBe(found);
});

it('[D261] the site sets modules and terms, and the machine keeps its own terms and what the site does not name', () => {
  const verdict = verdictOf({
    policy: {
      ...PIN,
      registry: 'https://a.example',
      restart_ceiling: 3,
      modules: { own: { probation: '1m' } },
    },
    localConfig: { ...CONFIG, agent: { 'platform-server': { disable_subsystem: true } } },
    config: { modules: [ARM], agent: { 'agent-syscfg': { disable_subsystem: true } } },
    terms: { restart_ceiling: 4, modules: { own: { restart_cooldown: '1m' } } },
    signed: 2,
  });
  expect(verdict.ok && verdict.value.documents).toEqual({
    config: {
      modules: [ARM],
      agent: {
        'platform-server': { disable_subsystem: true },
        'agent-syscfg': { disable_subsystem: true },
      },
    },
    policy: {
      ...PIN,
      registry: 'https://a.example',
      restart_ceiling: 4,
      modules: { own: { probation: '1m', restart_cooldown: '1m' } },
    },
  });
});

it('[D263] operators sign the site, the machine, the revision and the digests of both documents', () => {
  const digests = { config: 'sha256:aa', policy: undefined };
  expect(configText('acme-plant', { machine: 'rover-7', revision: 5 }, digests)).toBe(
    'modreg/config@1\nacme-plant\nrover-7\n5\nconfig sha256:aa\npolicy none\n',
  );
});

it('[D263] fewer operators than the trust document needs are not enough', () => {
  const config = { ...CONFIG, agent: { 'agent-syscfg': {} } };
  expect(outcome({ config, signed: 1 })).toBe(
    'needs-signature: /config/agent may change only with the signatures of operators (it has 1 of 2)',
  );
  expect(outcome({ config, signed: 2 })).toBe('accepted');
});

it('[D262] an unsigned document does not shorten the age of one step', () => {
  const before = { minimum_release_age_by_step: { major: '2d', minor: '1d' } };
  const terms = { minimum_release_age_by_step: { major: '2d', minor: '1h' } };
  expect(outcome({ policy: { ...PIN, ...before }, terms })).toBe(
    'loosens: /policy/minimum_release_age allows more than before, and without a signature the site may only tighten it (it has 0 of 2)',
  );
});

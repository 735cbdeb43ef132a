import { expect, it } from 'vitest';
import { jsonSchemaOf } from '../../src/config/index.ts';
import { component } from '../support/planned.ts';
import { CONFIG, outcome, PIN, UNSIGNED } from './support/following.ts';

const NIGHT = { start: '0 2 * * *', duration: '2h', time_zone: 'UTC' };
const XMAS = { day: '2026-12-24', time_zone: 'UTC' };
const YEAR = { day: '2026-12-31', time_zone: 'UTC' };
const COMMAND = ['bin/lidar'];

/** A value of each term of a policy, another one, and what a site may do with it without a signature. */
const TERMS: Readonly<Record<string, readonly [unknown, unknown, 'local' | 'signed' | 'tighten']>> =
  {
    registry: ['https://a.example', 'https://b.example', 'local'],
    trust: ['unsigned', 'unsigned', 'local'],
    allow_http: [['a.example'], ['b.example'], 'local'],
    require_digest: [true, false, 'local'],
    env_allow: [['A_TOKEN'], ['B_TOKEN'], 'local'],
    self_update: [true, false, 'local'],
    logs: [{ endpoint: 'https://a.example/' }, { endpoint: 'https://b.example/' }, 'local'],
    minimum_release_age: ['1d', '2d', 'tighten'],
    minimum_release_age_by_step: [{ major: '1d' }, { major: '2d' }, 'tighten'],
    unknown_release_age: ['allow', 'refuse', 'tighten'],
    age_after_yank: ['1h', '2h', 'tighten'],
    maintenance: [[NIGHT], [{ ...NIGHT, duration: '1h' }], 'tighten'],
    blackout: [[XMAS], [XMAS, YEAR], 'tighten'],
    npm_keys: [[], [], 'signed'],
    trust_clock: [true, false, 'signed'],
    allow_downgrade: [true, false, 'signed'],
    on_yank: ['keep', 'replace', 'signed'],
    quarantine: ['1d', '2d', 'signed'],
    restart_cooldown: ['1m', '2m', 'signed'],
    restart_ceiling: [1, 2, 'signed'],
    longest_hold: ['1h', '2h', 'signed'],
    max_index_age: ['1d', '2d', 'signed'],
    command: [COMMAND, [...COMMAND, '-v'], 'signed'],
    run_as: ['robot', 'root', 'signed'],
    no_new_privs: [true, false, 'signed'],
    ready: ['none', 'socket', 'signed'],
    ready_timeout: ['1m', '2m', 'signed'],
    probation: ['1m', '2m', 'signed'],
    probe_interval: ['1m', '2m', 'signed'],
    stop_timeout: ['1m', '2m', 'signed'],
    restart_status: ['http://127.0.0.1:80/', 'http://127.0.0.1:81/', 'signed'],
    restart_status_unclear: ['hold', 'allow', 'signed'],
    prefetch: [true, false, 'signed'],
    disk_reserve_mib: [1, 2, 'signed'],
    group: ['lab', 'canary', 'signed'],
    refuse: [
      { 'acme:lidar': [{ versions: '1.3.1', reason: 'burns' }] },
      { 'acme:lidar': [{ versions: '1.3.2', reason: 'burns' }] },
      'signed',
    ],
    age_exempt: [{ 'acme:lidar': ['1.3.1'] }, { 'acme:lidar': ['1.3.2'] }, 'signed'],
    tags: [['lab'], ['field'], 'signed'],
    provides: [{ 'acme:own': '1.0.0' }, { 'acme:own': '1.0.1' }, 'signed'],
  };

const schema = Object(jsonSchemaOf('policy'));
const general = Object.keys(schema.properties).filter((one) => !/^(?:\$schema|modules)$/.test(one));
const ofModules = Object.keys(schema.properties.modules.additionalProperties.properties);

it('[D262] each term of a policy has a decision about who may change it', () => {
  expect(Object.keys(TERMS).toSorted()).toEqual(general.toSorted());
  expect(general).toEqual(expect.arrayContaining(ofModules));
});

const places = [
  ...general.map((term) => [term, `/policy/${term}`, (value: unknown) => ({ [term]: value })]),
  ...ofModules.map((term) => [
    term,
    `/policy/modules/acme_lidar/${term}`,
    (value: unknown) => ({ modules: { acme_lidar: { [term]: value } } }),
  ]),
] as [string, string, (value: unknown) => object][];

it.each(places)('[D260] [D262] who may change %s: %s', (term, path, at) => {
  const [one, other, rule] = TERMS[term] ?? [];
  const local = `local-term: ${path} is a term of the machine alone, which its site cannot set`;
  const signed = `needs-signature: ${path} may change only with the signatures of operators (it has 0 of 2)`;
  const isKept = JSON.stringify(one) === JSON.stringify(other);
  const found = { local, signed: isKept ? 'accepted' : signed, tighten: 'accepted' }[String(rule)];
  const policy = { ...at(one), ...PIN };
  expect(outcome({ policy, terms: at(other) })).toBe(found);
  // Under two signatures, and on a machine whose releases need none, all but the local terms.
  const free = rule === 'local' ? local : 'accepted';
  expect(outcome({ policy, terms: at(other), signed: 2 })).toBe(free);
  expect(outcome({ policy: { ...at(one), ...UNSIGNED }, terms: at(other) })).toBe(free);
});

it.each(places.filter(([term]) => TERMS[term]?.[2] === 'tighten'))(
  '[D262] a site that loosens %s needs a signature: %s',
  (term, path, at) => {
    const [one, other] = TERMS[term] ?? [];
    const named = path.replace('_by_step', '');
    const policy = { ...at(other), ...PIN };
    expect(outcome({ policy, terms: at(one) })).toBe(
      `loosens: ${named} allows more than before, and without a signature the site may only tighten it (it has 0 of 2)`,
    );
    expect(outcome({ policy, terms: at(one), signed: 2 })).toBe('accepted');
  },
);

const shown = Object.keys(Object(jsonSchemaOf('machine')).properties);

it('[D262] each field of a machine config has a decision about who may change it', () => {
  expect(shown).toEqual(['$schema', 'components', 'modules', 'agent']);
});

it.each<[string, object, string]>([
  ['the schema for editors', { $schema: './machine.schema.json' }, 'accepted'],
  ['components', { components: [component('c', 'acme:lidar:vlp16')] }, '/config/components'],
  ...Object.keys(Object(jsonSchemaOf('agent')).properties)
    .filter((name) => name !== '$schema')
    .map((name): [string, object, string] => [name, { agent: { [name]: {} } }, '/config/agent']),
])('[D262] who may change a machine config: %s', (_what, change, path) => {
  const needs = `needs-signature: ${path} may change only with the signatures of operators (it has 0 of 2)`;
  const found = path === 'accepted' ? path : needs;
  const config = { ...CONFIG, ...change };
  expect(outcome({ config })).toBe(found);
  expect(outcome({ config, signed: 2 })).toBe('accepted');
  expect(outcome({ config, policy: UNSIGNED })).toBe('accepted');
});

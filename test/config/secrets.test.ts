import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkedAsJson } from '../../src/cli/check/check-report.ts';
import {
  checkDocument,
  moduleEnvironment,
  readAgentConfiguration,
  readMachine,
  readUpdatePolicy,
  type DocumentKind,
} from '../../src/config/index.ts';
import { moduleId } from '../support/ask.ts';
import { canary, formsOf } from '../support/canary.ts';
import { printed } from '../support/documents.ts';

function network(fields: object): object {
  return { 'agent-provisioning': { attributes: { networks: [{ ssid: 'yard', ...fields }] } } };
}

function provisioning(attributes: unknown): object {
  return { 'agent-provisioning': { attributes } };
}

function withEnv(env: unknown): object {
  return { modules: [{ type: 'registry', name: 'm', module_id: 'acme:m', version: '1.x', env }] };
}

/** Documents that contain a secret: in the right place, in a wrong place, or near an error. */
const DOCUMENTS: readonly [DocumentKind, secret: string, text: string][] = [
  ...withSecret('agent', [
    (secret) => network({ psk: secret }),
    (secret) => network({ psk: secret, priority: 'high' }),
    (secret) => network({ psk: [secret] }),
    (secret) => network({ psk: { value: secret } }),
    (secret) => network({ pks: secret }),
    (secret) => network({ psk: secret, type: 'wired' }),
    (secret) => network({ psk: secret, PSK: secret }),
    (secret) => provisioning({ hotspot_password: secret }),
    (secret) => provisioning({ hotspot_password: [secret], roaming_mode: secret }),
    (secret) => provisioning({ hotspot_pasword: secret }),
    (secret) => provisioning({ networks: secret }),
    (secret) => provisioning({ networks: { yard: secret } }),
    (secret) => provisioning({ networks: [secret] }),
    (secret) => provisioning({ networks: [[secret]] }),
    (secret) => provisioning(secret),
    (secret) => ({ 'agent-provisioning': secret }),
    (secret) => ({ 'platform-agent': { pin_url: `https://me:${secret}@files.example/agent` } }),
    (secret) => ({ 'platform-agent': { pin_url: `https://files.example/agent?token=${secret}` } }),
    (secret) => ({ 'platform-server': { pin_url: `ftp://${secret}@files.example/agent` } }),
    (secret) => ({ 'platform-server': { pin_url: `http://files.example/${secret}` } }),
    (secret) => ({ 'platform-server': { attributes: secret, disable_subsystem: secret } }),
  ]),
  ...withSecret('machine', [
    (secret) => ({ agent: provisioning({ hotspot_password: secret, networks: 1 }) }),
    (secret) => ({ agent: network({ psk: secret, priority: 1000 }) }),
    (secret) => withEnv({ TOKEN: secret }),
    (secret) => withEnv({ 'TO=KEN': secret }),
    (secret) => withEnv({ [secret]: 'TOKEN' }),
    (secret) => withEnv({ TOKEN: `\${environment.${secret}}` }),
    (secret) => withEnv({ TOKEN: `\${environment.${secret}` }),
    (secret) => withEnv({ TOKEN: `${secret}\${environment.NOT_SET}` }),
    (secret) => withEnv({ TOKEN: `${secret}\0` }),
    (secret) => withEnv(secret),
    (secret) => withEnv([secret]),
    (secret) => ({ components: [{ name: 'a', attributes: { api_key: secret } }] }),
    (secret) => ({ components: [{ name: 'a', attributes: secret }] }),
  ]),
  ...withSecret('policy', [
    (secret) => ({ registry: `https://${secret}@registry.example/v1` }),
    (secret) => ({ registry: `npm:https://registry.example/?token=${secret} ` }),
    (secret) => ({ allow_http: [`me:${secret}@host`] }),
    (secret) => ({ env_allow: [`PLATFORM_API_KEY=${secret}`] }),
  ]),
  ...malformed(
    (secret) => `{"agent-provisioning": {"attributes": {"hotspot_password": "${secret}}}}`,
  ),
  ...malformed(
    (secret) => `{"agent-provisioning": {"attributes": {"hotspot_password": ${secret}}}}`,
  ),
  ...malformed(
    (secret) => `{"agent-provisioning": {"attributes": {"psk": "a", "psk": "${secret}"}}}`,
  ),
  ...malformed((secret) => `{"agent-provisioning": {"attributes": {"psk": "${secret}",}}}`),
  ...malformed((secret) => secret),
];

function withSecret(
  kind: DocumentKind,
  documents: readonly ((secret: string) => object)[],
): [DocumentKind, string, string][] {
  return documents.map((document) => {
    const secret = canary();
    return [kind, secret, JSON.stringify(document(secret))];
  });
}

/** A text that is not valid JSON and contains a secret. */
function malformed(text: (secret: string) => string): [DocumentKind, string, string][] {
  const secret = canary().replaceAll('"', "'");
  return [['agent', secret, text(secret)]];
}

/** A unique secret that NetworkManager accepts as a key. */
function key(): string {
  return canary().replaceAll(/[^ -~]/g, '_');
}

it.each([
  [0o100600, []],
  [0o100400, []],
  [0o100700, []],
  [0o100640, ['permissions']],
  [0o100604, ['permissions']],
  [0o100622, ['permissions']],
])('[T65] a secret in a file with mode %o is reported as %j', (mode, kinds) => {
  const text = JSON.stringify(network({ psk: key() }));
  const { problems } = readAgentConfiguration(text, { mode });
  expect(problems.map(({ kind }) => kind)).toEqual(kinds);
});

describe('[T64] a secret appears in no output', () => {
  it.each(DOCUMENTS)('of a checked %s %#', (kind, secret, text) => {
    const context = { environment: {}, mode: 0o644 };
    const checked = checkDocument(text, kind, context);
    const outputs = [
      printed(checked, 'document.json'),
      checkedAsJson(checked, [{ path: 'document.json', report: checked }]),
      JSON.stringify(checked),
      inspect(checked, { depth: Infinity, showHidden: true }),
    ].join('\n');
    expect(formsOf(secret).filter((form) => outputs.includes(form))).toEqual([]);
  });

  it('of a machine config without errors', () => {
    const [hotspot, psk] = [key(), key()];
    const attributes = { hotspot_password: hotspot, networks: [{ ssid: 'yard', psk }] };
    const agent = { 'agent-provisioning': { attributes } };
    for (const read of [
      readMachine(JSON.stringify({ agent })),
      readAgentConfiguration(JSON.stringify(agent)),
    ]) {
      const outputs = `${JSON.stringify(read)}${inspect(read, { depth: Infinity, showHidden: true })}`;
      const forms = [...formsOf(hotspot), ...formsOf(psk)];
      expect(forms.filter((form) => outputs.includes(form))).toEqual([]);
      expect(read.ok).toBe(true);
    }
  });

  it('of a module environment that is refused', () => {
    const secret = canary();
    const machine = readMachine(JSON.stringify(withEnv({ A: '${environment.PLATFORM_API_KEY}' })), {
      policy: allowing('PLATFORM_API_KEY'),
    });
    expect(machine).toMatchObject({ ok: false, errors: 1 });
    const made = moduleEnvironment(
      {
        type: 'local',
        name: 'm',
        moduleId: moduleId('acme:m'),
        env: { A: '${environment.PLATFORM_API_KEY}' },
        extra: {},
      },
      {
        environment: { HOME: '/', PLATFORM_API_KEY: secret },
        machineId: 'm',
        moduleRoot: undefined,
        envAllow: [],
      },
    );
    expect(made.ok).toBe(false);
    expect(formsOf(secret).filter((form) => inspect(made).includes(form))).toEqual([]);
  });

  it('is tested in at least 40 places', () => {
    expect(new Set(DOCUMENTS.map(([, secret]) => secret)).size).toBeGreaterThanOrEqual(40);
  });
});

function allowing(
  ...env_allow: string[]
): NonNullable<Parameters<typeof readMachine>[1]>['policy'] {
  const reading = readUpdatePolicy(JSON.stringify({ env_allow }));
  return reading.ok ? reading.value : undefined;
}

import { existsSync, readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { plainServer } from '../../mocks/plain-server.ts';
import { checkRegistries } from '../../src/cli/doctor/registry-check.ts';
import { expiryFindings } from '../../src/cli/doctor/certificate-check.ts';
import { THEN } from './support/examined.ts';
import { inProcess } from '../support/in-process.ts';
import { listAt, site } from './support/patient.ts';
import { fixture } from '../support/tls.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const DAY = 86_400_000;

/** The authorities that Node trusts by itself. */
const AUTHORITIES = getCACertificates();

/** A registry over TLS on loopback, and what `modreg doctor` says about it. */
async function overTls(name: string, authority?: string): Promise<string[]> {
  const pem = readFileSync(fixture(name), 'utf8');
  const { address } = await plainServer(listAt(Date.now()), { pem });
  const folder = site(address);
  const environment = { PLATFORM_HOME: `${folder}/home` };
  if (authority !== undefined) {
    onTestFinished(() => setDefaultCACertificates(AUTHORITIES));
    setDefaultCACertificates([...AUTHORITIES, readFileSync(fixture(authority), 'utf8')]);
  }
  const { stdout } = await inProcess(['doctor', `${folder}/machine.json`], environment);
  const [, text = ''] = /\n(\w+ +registry {3}[^]*?)\n(?! )/.exec(stdout) ?? [];
  return text
    .replaceAll(new URL(address).host, '127.0.0.1:PORT')
    .replaceAll(/in \d+ ms/g, 'in SOME ms')
    .replaceAll(/for \d+ d(?: \d+ h)?/g, 'for SOME d')
    .replaceAll(/says \d{4}-\d\d-\d\d/g, 'says TODAY')
    .split('\n');
}

/** Doctor runs as a process of the machine of the test. [D407] */
const SERVICE = existsSync('/run/systemd/system')
  ? 'the service (systemctl edit modreg-agent: Environment=MODREG_CA_FILE=…)'
  : 'the agent, which reads it when it starts';

describe('modreg doctor on a certificate', () => {
  it.each<[string, string, string | undefined, string[]]>([
    [
      'that is valid',
      'good',
      'authority',
      [
        'ok       registry   https://127.0.0.1:PORT answers in SOME ms; 1 list wanted; certificate valid until 2125-01-01T00:00:00Z, for SOME d',
      ],
    ],
    [
      'of an unknown authority',
      'good',
      undefined,
      [
        'error    registry   the certificate of the registry https://127.0.0.1:PORT is from an authority that this machine does not trust',
        `                    fix: for an authority of your own, set MODREG_CA_FILE or NODE_EXTRA_CA_CERTS to a file with its certificates, for modreg and for ${SERVICE}`,
      ],
    ],
    [
      'that is self-signed',
      'alone',
      'authority',
      [
        'error    registry   the certificate of the registry https://127.0.0.1:PORT is self-signed',
        `                    fix: for an authority of your own, set MODREG_CA_FILE or NODE_EXTRA_CA_CERTS to a file with its certificates, for modreg and for ${SERVICE}`,
      ],
    ],
    [
      'for another host',
      'elsewhere',
      'authority',
      [
        'error    registry   the certificate of the registry https://127.0.0.1:PORT is for another host',
        '                    fix: use a name of the certificate in "registry" of the policy (it has DNS:elsewhere.example), or get one for 127.0.0.1',
      ],
    ],
    [
      'that has expired',
      'expired',
      'authority',
      [
        `error    registry   the certificate of the registry https://127.0.0.1:PORT has expired; this machine's clock says TODAY`,
        '                    fix: renew the certificate of 127.0.0.1:PORT on its host; if the date above is wrong, check time synchronization',
      ],
    ],
    [
      'that is not valid yet',
      'early',
      'authority',
      [
        `error    registry   the certificate of the registry https://127.0.0.1:PORT is not yet valid; this machine's clock says TODAY`,
        '                    fix: check time synchronization: timedatectl',
      ],
    ],
  ])('%s', async (_, name, authority, lines) => {
    expect(await overTls(name, authority)).toEqual(lines);
  });

  it('that expires soon', () => {
    const facts = {
      from: 'https://registry.example',
      key: 'modreg:https://registry.example/',
      url: new URL('https://registry.example'),
      hasToken: true,
      wanted: [],
      lists: new Map(),
      failure: undefined,
      tookMs: 33.4,
      trustedUntil: undefined,
      way: undefined,
      kind: 'modreg' as const,
      path: undefined,
      place: 'policy' as const,
      identity: undefined,
      hasSystemd: true,
    };
    const found = (expiresAt: number): string[] => {
      const certificate = { expiresAt, names: '', refusal: undefined };
      const connection = { kind: 'open', certificate } as const;
      const registries = {
        registries: [{ ...facts, connection }],
        problems: [],
        warnings: [],
        isWanted: true,
        place: 'policy' as const,
      };
      return checkRegistries({ ...registries, ahead: new Map() }, THEN).map(
        ({ severity, found: text, fix = '' }) => `${severity} ${text} ${fix}`.trim(),
      );
    };
    const answers =
      'ok https://registry.example answers in 34 ms; 0 lists wanted; a token was sent';
    expect(found(THEN + 14 * DAY)).toEqual([
      `${answers}; certificate valid until 2026-12-15T12:00:00Z, for 14 d`,
    ]);
    expect(found(THEN + 9 * DAY)).toEqual([
      answers,
      'warning the certificate of https://registry.example is valid until 2026-12-10T12:00:00Z, for 9 d renew the certificate of registry.example on its host before then',
    ]);
  });
});

it.each([
  [14 * DAY, []],
  [14 * DAY - 1, ['valid until 2026-12-14T23:59:59.999Z, for 13 d 23 h']],
  [1, ['valid until 2026-12-01T00:00:00.001Z, for 0 s']],
  [0, []],
  [-DAY, []],
])('a certificate that ends in %i ms is told of as one that ends soon: %j', (ms, expected) => {
  const now = Date.parse('2026-12-01T00:00:00Z');
  const certificate = { names: '', refusal: undefined, expiresAt: now + ms };
  const connection = { kind: 'open', certificate } as const;
  const url = new URL('https://registry.example');
  const facts = { from: 'SITE', url, connection, failure: undefined };
  expect(expiryFindings(facts, now).map(({ found }) => found)).toEqual(
    expected.map((words) => `the certificate of SITE is ${words}`),
  );
});

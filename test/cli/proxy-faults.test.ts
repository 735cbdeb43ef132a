import { describe, expect, it, onTestFinished } from 'vitest';
import { forwardProxy } from '../../mocks/forward-proxy.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { wireServer } from '../../mocks/wire-server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { runModreg } from '../support/modreg.ts';
import { passingTime } from '../support/passing-time.ts';
import { examined } from './support/examined.ts';
import { site } from './support/patient.ts';

const SECURE = 'https://registry.test';
const PLAIN = 'http://registry.test';
const CA_HINT = 'set it to a file with the certificates of your authority (BEGIN CERTIFICATE)';

/** The arguments of `modreg resolve` with a policy that allows http: to the registry. */
function resolving(registry: string): string[] {
  const policy = JSON.stringify({ registry, allow_http: ['registry.test'] });
  const folder = temporaryFolder({ 'policy.json': policy });
  return ['resolve', 'acme:lidar', '1.*', '--policy', `${folder}/policy.json`];
}

/** What `modreg doctor` says about a registry: of a machine with a module, or that is named without any. */
async function doctor(
  registry: string,
  environment: Readonly<Record<string, string>>,
  isNamed = false,
): Promise<readonly (string | number)[]> {
  const folder = site(registry, { allow_http: ['registry.test'] });
  const args = isNamed ? ['--registry', registry] : [`${folder}/machine.json`];
  const env = { ...environment, PLATFORM_HOME: `${folder}/home` };
  return await examined(folder, args, { environment: env, only: 'registry' });
}

describe('[T512] a MODREG_CA_FILE that cannot be used, together with a proxy', () => {
  it.each([
    ['is missing', 'none.pem', 'does not exist'],
    ['has no certificate', 'empty.pem', 'has no certificate in PEM format'],
  ])('%s: the command says so, ends, and asks the proxy for nothing', async (_what, name, why) => {
    const folder = temporaryFolder({ 'empty.pem': '' });
    const proxy = await forwardProxy({ 'registry.test:443': 'http://127.0.0.1:1' });
    const environment = { HTTPS_PROXY: proxy.address, MODREG_CA_FILE: `${folder}/${name}` };
    const { exit, stderr } = await runModreg(resolving(SECURE), environment);
    const message = `the file of MODREG_CA_FILE, "${folder}/${name}", ${why}`;
    expect([exit, stderr]).toEqual([4, `error[BAD_CERTIFICATE]: ${message}\nhint: ${CA_HINT}\n`]);
    expect(proxy.requests).toEqual([]);
  });

  it('also if the proxy itself is reached over TLS', async () => {
    const environment = { HTTP_PROXY: 'https://127.0.0.1:1', MODREG_CA_FILE: '/none.pem' };
    const { stderr } = await inProcess(resolving(PLAIN), environment);
    expect(stderr).toBe(
      `error[BAD_CERTIFICATE]: the file of MODREG_CA_FILE, "/none.pem", does not exist\nhint: ${CA_HINT}\n`,
    );
  });

  it.each([
    ['of a module', SECURE, false],
    ['that is named', SECURE, true],
    ['of npm that is named', `npm:${SECURE}`, true],
  ])('doctor says it once of a registry %s, and nothing else', async (_what, address, isNamed) => {
    const proxy = await forwardProxy({});
    const environment = { HTTPS_PROXY: proxy.address, MODREG_CA_FILE: '/none.pem' };
    const said = await doctor(address, environment, isNamed);
    expect(said.filter((line) => /^(?:error|ok) /.test(`${line}`))).toEqual([
      'error    registry   the file of MODREG_CA_FILE, "/none.pem", does not exist',
    ]);
    expect([said.join('\n').includes('TLS'), proxy.requests]).toEqual([false, []]);
  });
});

describe('[T515] a proxy that does not answer', () => {
  const HINT = 'names this proxy; NO_PROXY lists the hosts that need none';

  it.each([
    ['https', SECURE, 'HTTPS_PROXY'],
    ['http', PLAIN, 'HTTP_PROXY'],
  ])('is named, with the variable, where it is silent on %s:', async (_what, registry, name) => {
    const proxy = await wireServer();
    onTestFinished(async () => await proxy.close());
    proxy.answer(() => undefined);
    const during = passingTime();
    const environment = { [name]: proxy.address.replace('//', '//u:pass-word@') };
    const { exit, stderr } = await during(inProcess(resolving(registry), environment));
    expect([exit, stderr.trimEnd().split('\n')]).toEqual([
      4,
      [
        `error[REGISTRY_TIMEOUT]: the registry ${registry} did not begin its response within 10 s, through the proxy ${proxy.address}`,
        `hint: ${name} ${HINT}`,
      ],
    ]);
  });

  it('is named where it closes the connection', async () => {
    const proxy = await wireServer();
    onTestFinished(async () => await proxy.close());
    proxy.answer((socket) => socket.destroy());
    const during = passingTime();
    const { stderr } = await during(inProcess(resolving(PLAIN), { HTTP_PROXY: proxy.address }));
    expect(stderr).toBe(
      `error[REGISTRY_UNREACHABLE]: the registry ${PLAIN} cannot be reached through the proxy ${proxy.address} (ECONNRESET)\nhint: HTTP_PROXY ${HINT}\n`,
    );
  });

  it.each([
    ['https, of a module', SECURE, 'HTTPS_PROXY', false],
    ['http, of a module', PLAIN, 'HTTP_PROXY', false],
    ['npm, without a module', `npm:${SECURE}`, 'HTTPS_PROXY', true],
    ['oci, without a module', `oci:${SECURE}`, 'HTTPS_PROXY', true],
  ])('is what doctor blames: %s', async (_what, registry, name, isNamed) => {
    const environment = { [name]: 'http://u:pass-word@127.0.0.1:1' };
    const said = await doctor(registry, environment, isNamed);
    expect(said.slice(0, 3)).toEqual([
      `info     registry   ${registry} is reached through the proxy http://127.0.0.1:PORT (${name})`,
      `error    registry   the registry ${registry} cannot be reached through the proxy http://127.0.0.1:PORT, which refused the connection`,
      `                    fix: ${name} ${HINT}`,
    ]);
  });
});

describe('[T516] a proxy that is written without a scheme', () => {
  it('works with a user and a password', async () => {
    const { address } = await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
    const proxy = await forwardProxy({ 'registry.test': address }, 'ci:pass-word');
    const environment = { HTTP_PROXY: proxy.address.replace('http://', '') };
    const { stdout, stderr } = await inProcess(resolving(PLAIN), environment);
    expect([stdout, stderr]).toEqual(['1.2.3\n', '']);
  });

  const NO_ADDRESS =
    'has no http: or https: address\nhint: set HTTP_PROXY to http://host:port or http://user:password@host:port with %2F for / in a password, or to nothing for no proxy';
  const PORT = NO_ADDRESS.replace(
    'no http: or https: address',
    'a port that is not a number from 1 to 65535',
  );
  const MORE =
    'has more than a scheme, a user, a password, a host and a port\nhint: set HTTP_PROXY to http://host:port, or to http://user:password@host:port with %2F for / in a password, %3F for ? and %23 for #';

  it.each([
    ['a slash in the password', 'ci:pass/hunter22@127.0.0.1:3128', NO_ADDRESS],
    ['a number before that slash, which is no port', 'ci:80/hunter22@127.0.0.1:3128', MORE],
    ['a question mark', 'http://ci:1?hunter22@127.0.0.1:3128', MORE],
    ['a path', 'http://127.0.0.1:3128/proxy.pac', MORE],
    ['a port that is a word', '127.0.0.1:hunter22', PORT],
    ['a port that is too large', 'http://ci:hunter22@127.0.0.1:65536/', PORT],
    ['another scheme, whose port is wrong too', 'socks5://127.0.0.1:hunter22', NO_ADDRESS],
    ['one slash too few', 'http:/127.0.0.1:3128', MORE],
  ])('%s is an error that says what to write, and repeats nothing', async (_what, value, words) => {
    const { exit, stderr } = await inProcess(resolving(PLAIN), { HTTP_PROXY: value });
    expect([exit, stderr]).toEqual([2, `error[BAD_ADDRESS]: the proxy in HTTP_PROXY ${words}\n`]);
  });
});

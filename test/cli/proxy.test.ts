import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forwardProxy } from '../../mocks/forward-proxy.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send, type PlainServer } from '../../mocks/plain-server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { requestsMade } from '../support/loopback.ts';
import { passingTime } from '../support/passing-time.ts';
import { fixture } from '../support/tls.ts';
import { site } from './support/patient.ts';

const HOST = 'registry.test';
const SECURE_HOST = 'elsewhere.example';

async function registry(pem?: string): Promise<PlainServer> {
  const options = pem === undefined ? {} : { pem: readFileSync(fixture(pem), 'utf8') };
  return await plainServer((response) => send(response, listOf(['1.2.3'], 1)), options);
}

/** What `modreg resolve` prints, with the registry in a policy that allows http: to its host. */
async function resolved(
  address: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const policy = { registry: address, allow_http: [HOST] };
  const folder = temporaryFolder({ 'policy.json': JSON.stringify(policy) });
  const args = ['resolve', 'acme:lidar', '1.*', '--policy', `${folder}/policy.json`];
  const { stdout, stderr } = await inProcess(args, { ...environment, PLATFORM_HOME: folder });
  return (stdout + stderr).trimEnd();
}

async function failing(options: { readonly pem?: string } = {}): Promise<PlainServer> {
  return await plainServer((response) => void response.writeHead(502).end(), options);
}

describe('[D113] modreg resolve behind a proxy', () => {
  it('sends it the whole address of an http: registry, and its password', async () => {
    const { address } = await registry();
    const proxy = await forwardProxy({ [HOST]: address }, 'ci:hunter%402');
    const path = '/v1/modules/acme/lidar';
    expect(await resolved(`http://${HOST}`, { HTTP_PROXY: proxy.address })).toBe('1.2.3');
    expect(proxy.requests).toEqual([`GET http://${HOST}${path}`]);
  });

  it('asks it for a tunnel to an https: registry, whose certificate is verified', async () => {
    const { address, requests } = await registry('elsewhere');
    const proxy = await forwardProxy({ [`${SECURE_HOST}:443`]: address });
    const environment = { https_proxy: proxy.address, MODREG_CA_FILE: fixture('authority') };
    expect(await resolved(`https://${SECURE_HOST}`, environment)).toBe('1.2.3');
    expect(proxy.requests).toEqual([`CONNECT ${SECURE_HOST}:443`]);
    expect(requests).toEqual(['/v1/modules/acme/lidar']);
    const untrusted = await resolved(`https://${SECURE_HOST}`, { https_proxy: proxy.address });
    expect(untrusted).toBe(
      `error[BAD_CERTIFICATE]: the certificate of the registry https://${SECURE_HOST} is from an authority that this machine does not trust\n` +
        'hint: for an authority of your own, set MODREG_CA_FILE or NODE_EXTRA_CA_CERTS to a file with its certificates',
    );
  });

  it('never asks it for this machine itself', async () => {
    const { address } = await registry();
    const proxy = await forwardProxy({});
    const environment = { HTTP_PROXY: proxy.address, http_proxy: proxy.address };
    expect(await resolved(address, environment)).toBe('1.2.3');
    expect(proxy.requests).toEqual([]);
  });

  it('contacts nothing that allow_http does not name', async () => {
    const proxy = await forwardProxy({});
    const said = await resolved('http://other.test', { HTTP_PROXY: proxy.address });
    expect(said).toContain('BAD_ADDRESS /registry: http: to other.test is not allowed');
    expect(proxy.requests).toEqual([]);
  });

  it.each([
    ['http', 'HTTP_PROXY'],
    ['https', 'HTTPS_PROXY'],
  ])('[T416] says that it denies access to an %s: registry', async (scheme, variable) => {
    const proxy = await forwardProxy({}, 'ci:secret-word');
    const wrong = proxy.address.replace('secret-word', 'wrong-word');
    const own = proxy.address.replace('ci:secret-word@', '');
    expect(await resolved(`${scheme}://${HOST}`, { [variable]: wrong })).toBe(
      `error[REGISTRY_REFUSED]: the proxy ${own} denies access to the registry ${scheme}://${HOST} (407)\n` +
        'hint: put its user and password into the variable that names it: http://user:password@host:port, with %40 for @ in a password',
    );
  });

  it('[T415] [D427] says that it makes no tunnel, or cannot be reached', async () => {
    const proxy = await forwardProxy({});
    const during = passingTime();
    const said = async (at: string): Promise<string> => {
      const environment = { https_proxy: at.replace('//', '//u:pass-word@') };
      return await during(resolved(`https://${SECURE_HOST}`, environment));
    };
    const hint = 'hint: https_proxy names this proxy; no_proxy lists the hosts that need none';
    expect(await said(proxy.address)).toBe(
      `error[REGISTRY_UNREACHABLE]: the registry https://${SECURE_HOST} cannot be reached through the proxy ${proxy.address} (it answers 403 to CONNECT)\n${hint}`,
    );
    expect(await said('http://127.0.0.1:1')).toBe(
      `error[REGISTRY_UNREACHABLE]: the registry https://${SECURE_HOST} cannot be reached through the proxy http://127.0.0.1:1, which refused the connection\n${hint}`,
    );
  });

  it('[T522] names it if an http: response may be its own; in a tunnel it is that of the registry', async () => {
    const during = passingTime();
    const proxy = await failing();
    expect(await during(resolved(`http://${HOST}`, { HTTP_PROXY: proxy.address }))).toBe(
      `error[REGISTRY_BUSY]: the registry http://${HOST} is busy or failing (502)\n` +
        `hint: or the proxy ${proxy.address} responds in its place: HTTP_PROXY names this proxy; NO_PROXY lists the hosts that need none`,
    );
    const { address } = await failing({ pem: readFileSync(fixture('elsewhere'), 'utf8') });
    const tunnel = await forwardProxy({ [`${SECURE_HOST}:443`]: address });
    const environment = { https_proxy: tunnel.address, MODREG_CA_FILE: fixture('authority') };
    expect(await during(resolved(`https://${SECURE_HOST}`, environment))).toBe(
      `error[REGISTRY_BUSY]: the registry https://${SECURE_HOST} is busy or failing (502)`,
    );
  });

  it('[T417] makes one request', async () => {
    const { address } = await registry();
    const made = requestsMade();
    await resolved(address, {});
    expect(made).toEqual(['/v1/modules/acme/lidar']);
  });

  it('[T418] says that MODREG_CA_FILE cannot be used', async () => {
    const { address } = await registry('good');
    expect(await resolved(address, { MODREG_CA_FILE: '/none.pem' })).toBe(
      'error[BAD_CERTIFICATE]: the file of MODREG_CA_FILE, "/none.pem", does not exist\n' +
        'hint: set it to a file with the certificates of your authority (BEGIN CERTIFICATE)',
    );
  });
});

/** What `modreg doctor` says about the registry `address`. */
async function examined(
  address: string,
  environment: Readonly<Record<string, string>>,
): Promise<string[]> {
  const folder = site(address, { allow_http: [HOST] });
  const env = { ...environment, PLATFORM_HOME: `${folder}/home` };
  const { stdout } = await inProcess(['doctor', `${folder}/machine.json`], env);
  const lines = stdout.split('\n').filter((line) => /^\w+ +registry /.test(line));
  return lines.map((line) => line.replaceAll(/in \d+ ms|until .*/g, '…'));
}

describe('[D113] [D114] modreg doctor', () => {
  it('shows the proxy of a registry', async () => {
    const { address } = await registry();
    const proxy = await forwardProxy({ [HOST]: address }, 'ci:pass-word');
    const shown = proxy.address.replace('ci:pass-word@', '');
    expect(await examined(`http://${HOST}`, { HTTP_PROXY: proxy.address })).toEqual([
      `info     registry   http://${HOST} is reached through the proxy ${shown} (HTTP_PROXY)`,
      `ok       registry   http://${HOST} answers …; 1 list wanted`,
    ]);
    expect(await examined(address, { HTTP_PROXY: proxy.address })).toEqual([
      `ok       registry   ${address} answers …; 1 list wanted`,
    ]);
  });

  it('looks at a certificate through the proxy, and shows the authorities', async () => {
    const { address } = await registry('elsewhere');
    const proxy = await forwardProxy({ [`${SECURE_HOST}:443`]: address });
    const environment = { https_proxy: proxy.address, MODREG_CA_FILE: fixture('authority') };
    const from = `https://${SECURE_HOST}`;
    expect(await examined(from, environment)).toEqual([
      `info     registry   ${from} is reached through the proxy ${proxy.address} (https_proxy)`,
      `info     registry   ${from}: authorities of ${fixture('authority')} are trusted (MODREG_CA_FILE)`,
      `ok       registry   ${from} answers …; 1 list wanted; certificate valid …`,
    ]);
  });

  it('[T418] says what is wrong with them', async () => {
    const { address } = await registry('good');
    const found = await examined(address, { HTTPS_PROXY: 'socks5://p', MODREG_CA_FILE: '/none' });
    expect(found).toEqual([
      'error    registry   the file of MODREG_CA_FILE, "/none", does not exist',
    ]);
    expect(await examined(`https://${HOST}`, { HTTPS_PROXY: 'socks5://p' })).toEqual([
      'error    registry   the proxy in HTTPS_PROXY has no http: or https: address',
    ]);
  });
});

import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forwardProxy } from '../../mocks/forward-proxy.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { networkFetch } from '../../src/registry/http/network.ts';
import { fixture } from '../support/tls.ts';

const HOST = 'elsewhere.example';
const USER = 'ci:pass%40word';
const TRUSTED = { MODREG_CA_FILE: fixture('authority') };

/** What a GET is answered with, or the code of its error. */
async function answerTo(
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  try {
    const response = await networkFetch(environment)(url);
    return `${response.status} ${await new Response(response.body).text()}`;
  } catch (error) {
    // A cast: `fetch` rejects with an error whose cause is that of the connection.
    const { cause } = error as { readonly cause: NodeJS.ErrnoException };
    return cause.code ?? cause.message;
  }
}

async function server(name?: string): Promise<string> {
  const options = name === undefined ? {} : { pem: readFileSync(fixture(name), 'utf8') };
  const { address } = await plainServer((response) => void response.end('hello'), options);
  return address;
}

describe('[D113] a proxy with a password', () => {
  it.each([
    ['http', 'elsewhere.example', undefined],
    ['https', 'elsewhere.example:443', 'elsewhere'],
  ])('gets it for an %s: address, and denies access without it', async (scheme, place, name) => {
    const proxy = await forwardProxy({ [place]: await server(name) }, USER);
    const [http_proxy, https_proxy] = [proxy.address, proxy.address];
    const url = `${scheme}://${HOST}/a?b`;
    expect(await answerTo(url, { ...TRUSTED, http_proxy, https_proxy })).toBe('200 hello');
    const without = proxy.address.replace(`${USER}@`, '');
    const environment = { http_proxy: without, https_proxy: without };
    expect(await answerTo(url, environment)).toBe('407');
  });

  it('[D478] is a server whose connections are used again', async () => {
    const proxy = await forwardProxy({ [HOST]: await server() });
    const get = networkFetch({ http_proxy: proxy.address });
    const bodies = [];
    for (const path of ['/1', '/2']) {
      const { body } = await get(`http://${HOST}${path}`);
      bodies.push(await new Response(body).text());
    }
    expect([bodies, proxy.requests]).toEqual([
      ['hello', 'hello'],
      [`GET http://${HOST}/1`, `GET http://${HOST}/2`],
    ]);
  });
});

it('[D478] a request that is aborted before it has a connection ends then', async () => {
  const stop = new AbortController();
  // A proxy that never answers.
  const proxy = createServer(() => stop.abort(new Error('enough'))).listen(0, '127.0.0.1');
  onTestFinished(() => void proxy.close());
  await once(proxy, 'listening');
  // A cast: it listens on a port.
  const { port } = proxy.address() as AddressInfo;
  const get = networkFetch({ https_proxy: `http://127.0.0.1:${port}` });
  await expect(get(`https://${HOST}`, { signal: stop.signal })).rejects.toThrow('enough');
});

describe('[D114] a certificate', () => {
  it.each<[string, string, object, string]>([
    ['of MODREG_CA_FILE', 'good', TRUSTED, '200 hello'],
    ['of an unknown authority', 'good', {}, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['for another host', 'elsewhere', TRUSTED, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', 'expired', TRUSTED, 'CERT_HAS_EXPIRED'],
  ])('%s', async (_, name, environment, expected) => {
    expect(await answerTo(await server(name), { ...environment })).toBe(expected);
  });

  it('behind a proxy is verified', async () => {
    const proxy = await forwardProxy({ [`${HOST}:443`]: await server('good') });
    const environment = { ...TRUSTED, https_proxy: proxy.address };
    expect(await answerTo(`https://${HOST}`, environment)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });
});

import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send, type PlainServer } from '../../mocks/plain-server.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
}

const AUTHORITIES = getCACertificates();
beforeAll(() => setDefaultCACertificates([...AUTHORITIES, fixture('authority')]));
afterAll(() => setDefaultCACertificates(AUTHORITIES));

/** A registry with a certificate, and the requests that reached it. TLS needs a real socket. */
async function secured(name: string): Promise<PlainServer> {
  return await plainServer((response) => send(response, listOf([], 1)), { pem: fixture(name) });
}

it.each([
  ['of a trusted authority is accepted', 'good', ''],
  ['that has expired is refused', 'expired', "has expired; this machine's clock says 2026-11-21"],
  [
    'that is not yet valid is refused',
    'early',
    "is not yet valid; this machine's clock says 2026-11-21",
  ],
  ['for another host is refused', 'elsewhere', 'is for another host'],
  ['that is self-signed is refused', 'alone', 'is self-signed'],
])('[T43] a certificate %s', async (_, name, verdict) => {
  const { address, requests } = await secured(name);
  const { registry, clock } = remembered(address);
  const outcome = await outcomeOf(registry.read(LIDAR));
  const error = `bad-certificate: the certificate of the registry ${address} ${verdict}`;
  expect(outcome).toBe(verdict === '' ? '' : error);
  // An untrusted server receives no request, and nothing is retried.
  expect([requests.length, clock.sleeps]).toEqual([verdict === '' ? 1 : 0, []]);
});

it('[T43] the hint about a certificate for another host names those that it is for', async () => {
  const { address } = await secured('elsewhere');
  await expect(remembered(address).registry.read(LIDAR)).rejects.toMatchObject({
    hint: 'it has DNS:elsewhere.example: correct the address, or get a certificate for 127.0.0.1',
  });
});

it('[T43] a certificate of an unknown authority is refused', async () => {
  setDefaultCACertificates(AUTHORITIES);
  onTestFinished(() => setDefaultCACertificates([...AUTHORITIES, fixture('authority')]));
  const { address } = await secured('elsewhere');
  await expect(remembered(address).registry.read(LIDAR)).rejects.toMatchObject({
    kind: 'bad-certificate',
    message: `the certificate of the registry ${address} is from an authority that this machine does not trust`,
    hint: 'for an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificates',
  });
});

import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { LIDAR, outcomeOf, remembered } from '../support/remembered.ts';

function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
}

const AUTHORITIES = getCACertificates();
beforeAll(() => setDefaultCACertificates([...AUTHORITIES, fixture('authority')]));
afterAll(() => setDefaultCACertificates(AUTHORITIES));

/** A registry behind a certificate, and the number of requests that reached it. */
async function secured(name: string): Promise<{ address: string; requests: string[] }> {
  const requests: string[] = [];
  const pem = fixture(name);
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    requests.push(request.url ?? '');
    const list = { module_id: 'acme:lidar', generation: 1, count: 0, releases: [] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(list));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

it.each([
  ['of an authority that is known', 'good', ''],
  ['that has expired', 'expired', "has expired; this machine's clock says 2026-11-21"],
  ['that is not yet valid', 'early', "is not yet valid; this machine's clock says 2026-11-21"],
  ['for another host', 'elsewhere', 'is for another host'],
  ['signed by itself', 'alone', 'is signed by itself'],
])('[T43] a certificate %s', async (_, name, verdict) => {
  const { address, requests } = await secured(name);
  const { registry, clock } = remembered(address);
  const outcome = await outcomeOf(registry.read(LIDAR));
  const error = `bad-certificate: the certificate of the registry ${address} ${verdict}`;
  expect(outcome).toBe(verdict === '' ? '' : error);
  // Nothing was said to a server that could be any, and nothing was tried again.
  expect([requests.length, clock.sleeps]).toEqual([verdict === '' ? 1 : 0, []]);
});

it('[T43] a certificate of an authority that is not known', async () => {
  setDefaultCACertificates(AUTHORITIES);
  onTestFinished(() => setDefaultCACertificates([...AUTHORITIES, fixture('authority')]));
  const { address } = await secured('elsewhere');
  await expect(remembered(address).registry.read(LIDAR)).rejects.toMatchObject({
    kind: 'bad-certificate',
    message: `the certificate of the registry ${address} comes from an authority that this machine does not know`,
    hint: 'NODE_EXTRA_CA_CERTS names a file with the certificates of an authority of your own',
  });
});

import { expect, it, onTestFinished } from 'vitest';
import { startNginx } from './nginx.ts';
import { ask, openSite, type Site } from './site.ts';

const LIST = '/v1/modules/acme/lidar';

async function behindNginx(): Promise<Site & { readonly address: string }> {
  const site = await openSite(3);
  onTestFinished(site.close);
  const nginx = await startNginx(site.fronts.map(({ address }) => address));
  onTestFinished(nginx.close);
  return { ...site, address: nginx.address };
}

async function publish(address: string, token: string, version: string): Promise<number> {
  const response = await fetch(`${address}${LIST}/releases`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ version }),
  });
  await response.text();
  return response.status;
}

interface Changes {
  readonly history: string;
  readonly sequence: number;
}

/** The next change. Waits for it, as the front that answers may not yet have what another one has published. */
async function changes(address: string, after: number): Promise<Changes> {
  const response = await fetch(`${address}/v1/changes?after=${after}&wait=60`);
  const found = (await response.json()) as Changes;
  expect(found.sequence).toBeGreaterThan(after);
  return found;
}

/** Resolves once a list that is not older than a change, which machines ask for like this, has these versions. */
async function expectVersions(
  address: string,
  { sequence }: Changes,
  versions: readonly string[],
): Promise<void> {
  const headers = { 'modreg-at-least': `${sequence}` };
  const found = async (): Promise<unknown> => {
    const { status, json, text } = await ask({ address }, LIST, { headers });
    if (status !== 200) return text;
    return (json['releases'] as { version: string }[]).map(({ version }) => version);
  };
  // A front that is behind answers so after two seconds, and a machine asks again.
  await expect.poll(found).toEqual(versions);
}

it('the nginx of the examples sends lists, changes and publications to fronts that answer', async () => {
  const { address, token, fronts } = await behindNginx();
  expect(await publish(address, token, '1.0.0')).toBe(201);
  const first = await changes(address, 0);
  await expectVersions(address, first, ['1.0.0']);

  const waiting = changes(address, first.sequence);
  expect(await publish(address, token, '1.0.1')).toBe(201);
  const second = await waiting;
  await expectVersions(address, second, ['1.0.0', '1.0.1']);

  const { headers } = await fetch(`${address}${LIST}`);
  const etag = headers.get('etag') ?? '';
  expect((await fetch(`${address}${LIST}`, { headers: { 'if-none-match': etag } })).status).toBe(
    304,
  );

  const [dead, other] = fronts;
  await Promise.all([dead?.kill(), other?.kill()]);
  expect(await publish(address, token, '1.0.2')).toBe(201);
  const third = await changes(address, second.sequence);
  await expectVersions(address, third, ['1.0.0', '1.0.1', '1.0.2']);
});

it('a thousand machines that read one list cost the fronts a request', async () => {
  const { address, token, fronts } = await behindNginx();
  await publish(address, token, '1.0.0');
  const { sequence } = await changes(address, 0);
  const headers = { 'modreg-at-least': `${sequence}` };
  const responses = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const response = await fetch(`${address}${LIST}`, { headers });
      await response.text();
      return response.status;
    }),
  );
  expect(new Set(responses)).toEqual(new Set([200]));
  const counts = await Promise.all(
    fronts.map(async (front) => {
      const text = await (await fetch(`${front.address}/metrics`)).text();
      const lines = text.split('\n').filter((line) => {
        const isCount = line.startsWith('modreg_registry_requests_total{');
        return isCount && /\/v1\/modules\/[^/"]+\/[^/"]+"/.test(line) && line.includes('"200"');
      });
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    }),
  );
  const requests = counts.reduce((sum, count) => sum + count, 0);
  expect(requests).toBeGreaterThan(0);
  expect(requests).toBeLessThanOrEqual(20);
});

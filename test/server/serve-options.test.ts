import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/registries/index.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { tokenFor } from '../support/token.ts';

const ANYWHERE = { host: '127.0.0.1', port: 0 };
const LIDAR = '/v1/modules/acme/lidar';

it('a registry whose clock has fractions of a millisecond publishes at whole ones', async () => {
  const catalogue = new Catalogue(':memory:', { mode: 'create' });
  const token = tokenFor(catalogue, ['publish'], 'ci');
  const clock = { ...systemClock, now: () => Date.parse('2026-11-21T01:02:03Z') + 0.25 };
  const running = await serveRegistry(catalogue, ANYWHERE, { clock });
  onTestFinished(async () => await running.close());
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = '{"version": "1.0.0"}';
  const published = await fetch(`${running.address}${LIDAR}/releases`, {
    method: 'POST',
    headers,
    body,
  });
  expect(published.status).toBe(201);
  expect(await (await fetch(`${running.address}${LIDAR}`)).json()).toMatchObject({
    releases: [{ version: '1.0.0', published_at: '2026-11-21T01:02:03Z' }],
  });
});

it.each([0, 3_600_000])('has a spread of %d ms, as its answers say', async (spreadMs) => {
  const running = await serveRegistry(new Catalogue(':memory:'), ANYWHERE, { spreadMs });
  onTestFinished(async () => await running.close());
  const changes = await fetch(`${running.address}/v1/changes`);
  expect(await changes.json()).toMatchObject({ spread_ms: spreadMs });
});

it.each([-1, Number.NaN, Infinity, 3_600_001])('refuses a spread of %d ms', async (spreadMs) => {
  const catalogue = new Catalogue(':memory:', { mode: 'create' });
  onTestFinished(() => catalogue.close());
  await expect(serveRegistry(catalogue, ANYWHERE, { spreadMs })).rejects.toEqual(
    new RangeError(`spreadMs is ${spreadMs}, expected 0 to 3600000`),
  );
});

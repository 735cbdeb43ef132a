import { describe, expect, it } from 'vitest';
import { plainServer } from '../../mocks/plain-server.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { registryWriter } from '../../src/registry/registry-writer.ts';
import { moduleId } from '../support/ask.ts';

const OWN = Date.parse('2026-11-23T12:00:00Z');

/** What a registry with this answer says of `acme:lidar`: its time, and that of 1.2.0. */
async function timesFrom(
  status: number,
  headers: Readonly<Record<string, string>>,
  body = '{}',
): Promise<readonly unknown[]> {
  const server = await plainServer((response) => {
    response.sendDate = false;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  const clock = { ...systemClock, now: () => OWN };
  const writer = registryWriter({ kind: 'modreg', url: new URL(server.address) }, { clock });
  if (!writer.ok) throw writer.error;
  const { now, of } = await writer.value.times(moduleId('acme:lidar'));
  return [new Date(now).toISOString(), of('1.2.0')];
}

const DATE = { date: 'Mon, 23 Nov 2026 10:00:00 GMT' };
const LIST = JSON.stringify({
  releases: [{ version: '1.2.0', published_at: '2026-11-20T10:00:00.5Z' }, { version: '1.3.0' }, 7],
});

describe('[D132] the time at which a release is signed', () => {
  it.each([
    ['that of the registry', 404, DATE, '{}', '2026-11-23T10:00:00.000Z', undefined],
    [
      'of this machine, if the registry says none',
      404,
      {},
      '{}',
      '2026-11-23T12:00:00.000Z',
      undefined,
    ],
    [
      'and those of its releases',
      200,
      DATE,
      LIST,
      '2026-11-23T10:00:00.000Z',
      Date.parse('2026-11-20T10:00:00.5Z'),
    ],
    ['of no list', 200, DATE, '[]', '2026-11-23T10:00:00.000Z', undefined],
  ])('is %s', async (...row) => {
    const [, status, headers, body, ...expected] = row;
    expect(await timesFrom(status, { ...headers }, body)).toEqual(expected);
  });
});

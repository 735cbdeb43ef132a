import { describe, expect, it } from 'vitest';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { frontName, type SeenFront } from '../../src/cluster/front-name.ts';
import { frontsAt } from '../../src/cluster/nats/front-facts.ts';
import { olderFrontIn } from '../../src/cluster/older-front.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { AUTHOR, role, signed, trustOf } from '../support/signed.ts';
import { tokenFor } from '../support/token.ts';
import { filledStream, frontOf } from './support/following-front.ts';

const OWN: SeenFront = { at: '10.0.0.8:51234', version: '0.3.0', reads: 2 };
const OLDER: SeenFront = { at: '10.0.0.7:51234', version: undefined, reads: 1 };
const TRUST = trustOf([role('namespace acme', 1, AUTHOR)]).text;
const PLAIN = { version: '1.2.0', published_at: '2026-11-21T01:02:03Z' };
const RELEASES = '/v1/modules/acme/lidar/releases';
const REFUSED =
  'the front at 10.0.0.7:51234 has modreg before 0.3, which reads events up to schema 1, and this change needs schema 2: upgrade modreg there first; nothing was changed';

/** A front of a cluster whose fronts are `seen`, which may change. */
function clusterOf(seen: SeenFront[]) {
  const { stream } = filledStream();
  const older = olderFrontIn(async () => await Promise.resolve([...seen]), testClock());
  const front = frontOf(stream, `${temporaryFolder()}/front.db`, undefined, older);
  const token = tokenFor(front.catalogue, ['trust', 'import', 'yank']);
  return {
    last: async () => await stream.last(),
    change: async (method: string, path: string, json: object): Promise<unknown[]> => {
      await front.following.reaches(await stream.last(), 5000);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await front.ask(path, { method, headers, body: JSON.stringify(json) });
      return [answer.status, answer.json['detail'] ?? answer.json['result']];
    },
  };
}

describe('[D205] a front of the cluster reads events of an earlier schema', () => {
  it.each<[string, string, string, object]>([
    ['a trust document', 'PUT', '/v1/trust', { document: TRUST }],
    ['a release with signatures', 'POST', RELEASES, signed('acme:lidar', PLAIN, AUTHOR)],
    ['a deprecation', 'PUT', `${RELEASES}/1.0.0/deprecation`, { reason: 'old' }],
    ['a floor', 'POST', RELEASES, { ...PLAIN, floor: true }],
  ])('%s is refused', async (_title, method, path, json) => {
    const { change, last } = clusterOf([OWN, OLDER]);
    const before = await last();
    expect(await change(method, path, json)).toEqual([409, REFUSED]);
    expect(await last()).toBe(before);
  });

  it('what it can read is taken', async () => {
    const { change } = clusterOf([OWN, OLDER]);
    expect(await change('POST', RELEASES, PLAIN)).toEqual([201, 'published']);
    const [status] = await change('PUT', `${RELEASES}/1.0.0/yank`, { reason: 'old' });
    expect(status).toBe(200);
  });

  it('once it is upgraded, and what changes nothing meanwhile, is taken', async () => {
    const seen = [OWN, OLDER];
    const { change } = clusterOf(seen);
    expect(await change('PUT', '/v1/trust', { document: TRUST })).toEqual([409, REFUSED]);
    seen.splice(1, 1, { ...OLDER, reads: 2 });
    expect(await change('PUT', '/v1/trust', { document: TRUST })).toEqual([200, 'done']);
    seen.push(OLDER);
    expect(await change('PUT', '/v1/trust', { document: TRUST })).toEqual([200, 'unchanged']);
  });

  it('the nodes are asked again after ten seconds', async () => {
    const seen = [OWN];
    const clock = testClock();
    const older = olderFrontIn(async () => await Promise.resolve([...seen]), clock);
    expect(await older(2)).toBeUndefined();
    seen.push(OLDER);
    expect(await older(2)).toBeUndefined();
    clock.advance(10_001);
    expect(await older(2)).toBe(REFUSED.replace('; nothing was changed', ''));
    expect(await older(1)).toBeUndefined();
    seen.pop();
    expect([await older(2), await older(3)]).toEqual([
      undefined,
      'the front at 10.0.0.8:51234 has modreg 0.3.0, which reads events up to schema 2, and this change needs schema 3: upgrade modreg there first',
    ]);
  });
});

describe('[D205] the fronts that a node knows', () => {
  const at = { ip: '10.0.0.7', port: 51_234 };
  it.each<[string, unknown, readonly SeenFront[]]>([
    ['of modreg before 0.3', { connections: [{ ...at, name: 'modreg' }] }, [OLDER]],
    [
      'of this modreg',
      { connections: [{ ...at, name: frontName('0.3.0-dev') }] },
      [{ at: '10.0.0.7:51234', version: '0.3.0-dev', reads: 3 }],
    ],
    [
      'and other connections',
      { connections: [{ ...at, name: 'modreg fleet check' }, { ...at }, 7, null] },
      [],
    ],
    ['of no nats-server', { connections: 'many' }, []],
    ['of something else', [], []],
  ])('%s', async (_title, answer, expected) => {
    const { address, requests } = await plainServer((response) => send(response, answer));
    expect(await frontsAt(address, 5000)).toEqual(expected);
    expect(requests).toEqual(['/connz?limit=1000']);
  });

  it('that does not answer, or not with JSON: none', async () => {
    const server = await plainServer((response) => void response.end('<html>'));
    const { address } = server;
    expect(await frontsAt(address, 5000)).toEqual([]);
    server.close();
    expect(await frontsAt(address, 5000)).toEqual([]);
  });
});

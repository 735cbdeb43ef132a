import { expect, it } from 'vitest';
import { memoryStream } from '../support/memory-stream.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';
import { frontOf } from './support/following-front.ts';

const NO = {
  type: 'urn:modreg:no-logs',
  title: 'The registry keeps no logs of machines',
  status: 409,
  detail:
    'a front of a cluster keeps no logs of machines: send them to an OpenTelemetry Collector with a log store',
};

it.each([
  ['machine:rover-7', 'POST', '/v1/logs'],
  ['logs:read', 'GET', '/v1/fleet/logs'],
])(
  '[D304] a front of a cluster keeps no logs: with the scope %s, %s %s',
  async (scope, method, path) => {
    const front = frontOf(memoryStream(), `${temporaryFolder()}/registry.db`);
    const headers = { authorization: `Bearer ${tokenFor(front.catalogue, [scope], 'one')}` };
    const { status, json } = await front.ask(path, { method, headers });
    expect([status, json]).toEqual([409, NO]);
  },
);

import { expect, it } from 'vitest';
import { memoryStream } from '../support/memory-stream.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';
import { frontOf } from './support/following-front.ts';

const NO = {
  type: 'urn:modreg:no-configs',
  title: 'The registry serves no documents of machines',
  status: 409,
  detail:
    'a front of a cluster serves no documents of machines yet: keep them on the machines, or on a single server',
};

it.each([
  ['config', 'GET', '/machines/rover-7/config'],
  ['config', 'PUT', '/machines/rover-7/config'],
  ['config', 'GET', '/fragments'],
  ['config', 'PUT', '/fragments/base'],
  ['config', 'GET', '/machines/rover-7/config/secrets'],
  ['config', 'PUT', '/machines/rover-7/config/secrets/MAPS'],
  ['config', 'DELETE', '/machines/rover-7/config/secrets/MAPS'],
  ['machine:rover-7', 'GET', '/machines/rover-7/config'],
  ['machine:rover-7', 'GET', '/machines/rover-7/config/secret-values'],
])(
  '[D264] a front of a cluster serves no documents of machines to a token with the scope %s: %s %s',
  async (scope, method, path) => {
    const front = frontOf(memoryStream(), `${temporaryFolder()}/registry.db`);
    const headers = { authorization: `Bearer ${tokenFor(front.catalogue, [scope], 'one')}` };
    const { status, json } = await front.ask(`/v1${path}`, { method, headers });
    expect([status, json]).toEqual([409, NO]);
  },
);

it.each([
  ['commands', 'GET', '/machines/rover-7/commands'],
  ['commands', 'PUT', '/machines/rover-7/commands'],
  ['commands', 'GET', '/groups/canary/commands'],
  ['commands', 'PUT', '/groups/canary/commands'],
  ['machine:rover-7', 'GET', '/machines/rover-7/commands'],
  ['machine:rover-7', 'PUT', '/machines/rover-7/commands/outcomes'],
])(
  '[T709] a front of a cluster gives machines no commands, to a token with the scope %s: %s %s',
  async (scope, method, path) => {
    const front = frontOf(memoryStream(), `${temporaryFolder()}/registry.db`);
    const headers = { authorization: `Bearer ${tokenFor(front.catalogue, [scope], 'one')}` };
    const asked = await front.ask(`/v1${path}`, { method, headers });
    expect([asked.status, asked.json]).toEqual([
      409,
      {
        type: 'urn:modreg:no-commands',
        title: 'The registry gives machines no commands',
        status: 409,
        detail:
          'a front of a cluster gives machines no commands yet: give them on the machines, or serve them from a single server',
      },
    ]);
  },
);

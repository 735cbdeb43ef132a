import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { Catalogue } from '../../../src/server/index.ts';
import { printed } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { AUTHOR, role, trustOf } from '../../support/signed.ts';
import { tokenFor } from '../../support/token.ts';
import { startFront } from './fronts.ts';
import { clusterInTest } from './in-test.ts';
import { ask } from './site.ts';

const TRUST = trustOf([role('namespace acme', 1, AUTHOR)]).text;

it('[D205] no trust document is taken while a front of modreg 0.2 is connected to any node', async () => {
  const cluster = await clusterInTest();
  const monitors = cluster.nodes.map(({ monitor }) => monitor).join(',');
  const front = await startFront(`${temporaryFolder()}/front.db`, cluster.servers, {
    args: ['--create', '--monitor', monitors],
  });
  onTestFinished(front.kill);
  const catalogue = new Catalogue(front.db);
  const token = tokenFor(catalogue, ['trust']);
  catalogue.close();
  const put = async () =>
    await ask(front, '/v1/trust', { method: 'PUT', token, body: { document: TRUST } });
  const last = cluster.servers.split(',').at(-1) ?? '';
  const older = await connect({ servers: [last], name: 'modreg' });
  onTestFinished(async () => await older.close());
  await expect.poll(async () => (await put()).status).toBe(409);
  const { json } = await put();
  expect(String(json['detail']).replace(/:\d+/, ':PORT')).toBe(
    'the front at 127.0.0.1:PORT has modreg before 0.3, which reads events up to schema 1, and this change needs schema 2: upgrade modreg there first; nothing was changed',
  );
  const check = ['fleet', 'check', '--nats', cluster.servers, '--monitor', monitors];
  const { stdout } = await printed(check);
  expect(
    stdout
      .map((line) => line.replace(/:\d+/, ':PORT'))
      .filter((line) => line.startsWith('error  front')),
  ).toEqual([
    'error  front 127.0.0.1:PORT  modreg before 0.3, which reads events up to schema 1, expected schema 3',
  ]);
  await older.close();
  await expect.poll(async () => (await put()).status).toBe(200);
});

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Catalogue } from '../../../src/server/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry } from '../../support/planned.ts';
import { tokenFor } from '../../support/token.ts';
import type { Front } from './fronts.ts';
import { clusterInTest, frontInTest } from './in-test.ts';
import { ask } from './site.ts';

const ROVER = '/v1/machines/rover-7';
const QUESTION = `${ROVER}/commands?nonce=q3J-AAAAAAAAAAAAAAAAAA`;

function hold(name: string): object {
  return { key: name.padEnd(22, '_'), kind: 'hold', for: '12h', reason: 'trade fair' };
}

function saving(basedOn: number, config: string): object {
  return { based_on: basedOn, config, reason: 'first' };
}

it('[D397] [D398] [D399] [D402] fronts on three nodes serve the same documents, commands and secrets, also while one node is down', async () => {
  const cluster = await clusterInTest();
  const key = `${temporaryFolder()}/secrets.key`;
  writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 });
  const args = ['--secrets-key', key];
  const fronts = [await frontInTest(cluster, args), await frontInTest(cluster, args)];
  const [one, two] = fronts as [Front, Front];
  const catalogue = new Catalogue(one.db);
  const operator = tokenFor(catalogue, ['config', 'commands'], 'ops');
  const machine = tokenFor(catalogue, ['machine:rover-7'], 'rover-7');
  catalogue.close();
  const put = async (front: Front, path: string, body: object) =>
    await ask(front, path, { method: 'PUT', token: operator, body });
  const asMachine = async (front: Front, path: string) =>
    await ask(front, path, { token: machine });
  await expect.poll(async () => (await asMachine(two, '/v1/changes?after=0')).status).toBe(200);
  await expect.poll(async () => (await asMachine(two, QUESTION)).status).toBe(200);

  const first = asMachine(two, '/v1/changes?after=0&wait=60&config=&commands=0');
  expect((await put(one, `${ROVER}/config`, saving(0, '{}'))).json['revision']).toBe(1);
  expect((await first).json['config']).toBe('1.0');
  const edits = [one, two].map(
    async (front, place) =>
      await put(front, `${ROVER}/config`, saving(1, `{"modules":[]}${' '.repeat(place)}`)),
  );
  const statuses = (await Promise.all(edits)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));

  await cluster.nodes[0]?.kill();
  const given = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name, place) => {
      const front = place % 2 === 0 ? one : two;
      return (await put(front, `${ROVER}/commands`, hold(name))).json['number'];
    }),
  );
  expect(new Set(given)).toEqual(new Set([1, 2, 3, 4]));
  for (const front of fronts) {
    await expect
      .poll(async () => [
        Object((await asMachine(front, `${ROVER}/config`)).json).revision,
        Object((await asMachine(front, QUESTION)).json).commands?.length,
      ])
      .toEqual([2, 4]);
  }

  const env = { MAPS: '${secret.MAPS}' };
  const config = JSON.stringify({ modules: [{ ...entry('acme:lidar', '1.2.*'), env }] });
  expect((await put(one, `${ROVER}/config`, saving(2, config))).status).toBe(200);
  const value = 'correct horse';
  await expect
    .poll(async () => (await put(two, `${ROVER}/config/secrets/MAPS`, { value })).status)
    .toBe(200);
  await expect
    .poll(async () => (await asMachine(one, `${ROVER}/config/secret-values`)).json['secrets'])
    .toMatchObject({ MAPS: { value } });
});

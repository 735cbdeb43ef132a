import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { forwardProxy } from '../../mocks/forward-proxy.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { passingTime } from '../support/passing-time.ts';
import { entry } from '../support/planned.ts';
import { agentInProcess } from '../support/polling.ts';

const HOST = 'registry.test';
const FILES = 'files.test';

it('[D113] an agent reads lists, downloads, reports and sends its log through the proxy', async () => {
  const artifact = {
    platform: 'linux/amd64',
    url: `http://${FILES}/lidar.tgz`,
    digest: `sha256:${'ab'.repeat(32)}`,
  };
  const list = listOf([{ version: '1.0.0', artifacts: [artifact] }], 1);
  const { address } = await plainServer((response) => send(response, list));
  const proxy = await forwardProxy({ [HOST]: address });
  const policy = {
    registry: `http://${HOST}`,
    allow_http: [HOST, FILES],
    run_as: process.getuid?.() === 0 ? 'root' : undefined,
    logs: { endpoint: 'https://logs.test/v1/logs' },
  };
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
    'policy.json': JSON.stringify(policy),
  });
  mkdirSync(`${folder}/home`);
  const environment = {
    http_proxy: proxy.address,
    https_proxy: proxy.address,
    PLATFORM_PART_ID: 'robot-1',
  };
  const agent = agentInProcess(folder, ['--reports', 'https://reports.test'], environment);
  await expect.poll(() => proxy.requests).toContain(`GET http://${FILES}/lidar.tgz`);
  // What is left of its reports and its log is sent as it ends.
  await agent.end('SIGTERM');
  const seen = proxy.requests.map((line) => line.replace(/\?.*/, ''));
  expect([...new Set(seen)].toSorted()).toEqual([
    'CONNECT logs.test:443',
    'CONNECT reports.test:443',
    `GET http://${FILES}/lidar.tgz`,
    `GET http://${HOST}/v1/changes`,
    `GET http://${HOST}/v1/modules/acme/lidar`,
  ]);
});

it.each([
  ['registry', 'publish', 'acme:lidar', '1.2.3'],
  ['fleet', 'status'],
])('[D113] modreg %s %s uses the proxy', async (...args) => {
  const proxy = await forwardProxy({});
  const environment = {
    HTTPS_PROXY: proxy.address,
    MODREG_TOKEN: 'token-token',
    PLATFORM_HOME: temporaryFolder(),
  };
  const command = [...args, '--registry', `https://${HOST}`];
  const { stderr } = await passingTime()(inProcess(command, environment));
  expect(stderr).toContain(`through the proxy ${proxy.address} (it answers 403 to CONNECT)`);
});

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fileless } from '../support/fileless.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { passingTime } from '../support/passing-time.ts';
import { send } from '../../mocks/plain-server.ts';
import { answering, CANARY, PUBLISH, remote } from './support/remote-registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';

function problem(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify(body));
}

function done(response: ServerResponse): void {
  send(response, { module_id: 'acme:lidar', version: '1.2.9', result: 'unchanged' });
}

describe('an answer that is not about the change', () => {
  const NOT_A_REGISTRY =
    'error[NOT_A_REGISTRY]: the registry ADDRESS does not respond like a registry';
  const CHECK = "hint: check the address: a registry with modreg's protocol is needed\n";

  it.each<[string, (response: ServerResponse) => void, string]>([
    [
      'a sign-in page',
      (response) => response.setHeader('content-type', 'text/html').end('<h1>Welcome'),
      `${NOT_A_REGISTRY}: got text/html\n${CHECK}`,
    ],
    [
      'a 404 of another server',
      (response) => response.writeHead(404).end('no such page'),
      `${NOT_A_REGISTRY}: got 404\n${CHECK}`,
    ],
    [
      'a 409 of another server',
      (response) => problem(response, 409, { detail: 'no' }),
      `${NOT_A_REGISTRY}: got 409\n${CHECK}`,
    ],
    [
      'a problem with the status of another one',
      (response) => problem(response, 404, { type: 'urn:modreg:bad-release', detail: 'no' }),
      `${NOT_A_REGISTRY}: got 404\n${CHECK}`,
    ],
    [
      'success for another module',
      (response) => send(response, { module_id: 'acme:arm', result: 'published' }),
      `${NOT_A_REGISTRY}: its answer is not about acme:lidar\n${CHECK}`,
    ],
    [
      'success without JSON',
      (response) => response.setHeader('content-type', 'application/json').end('{'),
      `${NOT_A_REGISTRY}: it is not JSON at line 1 column 2\n${CHECK}`,
    ],
    [
      'the limit of a proxy',
      (response) => response.writeHead(413).end('<h1>Request Entity Too Large'),
      'error[TOO_LARGE]: the release is too large for the registry\n',
    ],
    [
      'the token',
      (response) => problem(response, 403, { detail: `${CANARY} may not` }),
      'error[REGISTRY_REFUSED]: the registry ADDRESS denies access with the token that was sent (403): [token] may not\n',
    ],
    [
      'an escape sequence',
      (response) => problem(response, 422, { type: 'urn:modreg:bad-release', detail: '\u001b[2J' }),
      'error[BAD_VALUE]: \\u{1b}[2J\n',
    ],
  ])('%s', async (_what, answer, stderr) => {
    const { address } = await answering(answer);
    const ended = await remote(address, PUBLISH);
    expect([ended.stdout, ended.stderr]).toEqual(['', stderr]);
  });

  it.each(['/elsewhere', 'https://registry.invalid/'])(
    '[T41] a redirect to %s, which is not followed',
    async (location) => {
      const { address, requests } = await answering((response) =>
        response.writeHead(307, { location }).end(),
      );
      expect(await remote(address, PUBLISH)).toEqual({
        stdout: '',
        stderr:
          'error[BAD_REDIRECT]: the registry ADDRESS redirects, which a POST does not follow\nhint: use the final address of the registry, without redirects\n',
        exit: 4,
      });
      expect(requests).toEqual([`${RELEASES} Bearer ${CANARY}`]);
    },
  );
});

describe('a request without a usable answer', () => {
  it('is repeated with the same bytes', async () => {
    const { address, bodies } = await answering(
      (response) => response.destroy(),
      (response) => response.writeHead(503).end(),
      done,
    );
    expect((await passingTime()(remote(address, PUBLISH))).stdout).toBe(
      'acme:lidar: 0 published, 1 unchanged\n',
    );
    expect(bodies).toEqual(Array(3).fill('{"version":"1.2.9"}'));
  });

  it('is not repeated after a refusal', async () => {
    const { address, bodies } = await answering((response) => problem(response, 401, {}), done);
    expect((await passingTime()(remote(address, PUBLISH))).exit).toBe(4);
    expect(bodies).toHaveLength(1);
  });

  it('[T103] is not repeated if the registry has no space left', async () => {
    const full = { type: 'urn:modreg:storage-full', detail: `full\u001b${'x'.repeat(5000)}` };
    const { address, bodies } = await answering((response) => problem(response, 507, full), done);
    const { stdout, stderr, exit } = await remote(address, PUBLISH);
    expect([stdout, exit, bodies]).toEqual(['', 4, ['{"version":"1.2.9"}']]);
    expect(stderr.length).toBeLessThan(600);
    expect(stderr.replace(/x+/, 'x')).toBe(
      'error[REGISTRY_BUSY]: the registry cannot write its files (507): full\\u{1b}x…\nhint: its disk is full or read-only: run the command again once its operator has changed that\n',
    );
  });

  it('is repeated after a 507 of another server', async () => {
    const { address } = await answering((response) => problem(response, 507, {}), done);
    expect((await passingTime()(remote(address, PUBLISH))).stdout).toBe(
      'acme:lidar: 0 published, 1 unchanged\n',
    );
  });

  it('[D427] ends with advice after three attempts', async () => {
    const server = await answering(done);
    server.close();
    expect(await passingTime()(remote(server.address, PUBLISH))).toEqual({
      stdout: '',
      stderr:
        'error[REGISTRY_UNREACHABLE]: the registry ADDRESS refused the connection\nhint: nothing listens at this address: check it, and whether the registry is served; then run the command again, which changes nothing twice\n',
      exit: 4,
    });
    expect(server.requests).toEqual([]);
  });
});

it('shows every mistake that the registry finds in a release of a file, and what it accepted before', async () => {
  const releases = ['1.2.9', '1.3.0', '1.4.0'].map((version) => ({ version }));
  const folder = temporaryFolder({ 'list.json': JSON.stringify(releases) });
  const errors = ['/notes: required', '/license: required', '/license: expected text'];
  const { address, bodies } = await answering(done, (response) =>
    problem(response, 422, { type: 'urn:modreg:bad-release', detail: errors[0], errors }),
  );
  const args = ['publish', 'acme:lidar', '--file', `${folder}/list.json`];
  expect(await remote(address, args)).toEqual({
    stdout: '',
    stderr:
      'error[BAD_VALUE]: /notes: required\n  because /license: required\n  /license: expected text\n  1 of 3 releases were accepted before 1.3.0, and those after it were not sent\n',
    exit: 1,
  });
  expect(bodies).toEqual(['{"version":"1.2.9"}', '{"version":"1.3.0"}']);
});

it('shows the warnings of the registry about the size of the list', async () => {
  const { address } = await answering((response) =>
    send(response, {
      module_id: 'acme:lidar',
      result: 'published',
      warnings: [
        { type: 'urn:modreg:list-near-limit', detail: 'nearly\u001b full' },
        { type: 'urn:modreg:list-too-large', detail: 'full' },
        { type: 'urn:modreg:later', detail: 'unknown' },
      ],
    }),
  );
  expect(await remote(address, PUBLISH)).toEqual({
    stdout: 'acme:lidar: 1 published, 0 unchanged\n',
    stderr: `${fileless('1.2.9')}\nwarning[LIST_NEAR_LIMIT]: nearly\\u{1b} full\nwarning[LIST_TOO_LARGE]: full\n`,
    exit: 0,
  });
});

it('MODREG_TOKEN is not sent if MODREG_REGISTRY is another registry', async () => {
  const { address, requests } = await answering(done);
  const environment = { MODREG_TOKEN: CANARY, MODREG_REGISTRY: 'https://registry.example' };
  await inProcess(['registry', ...PUBLISH, '--registry', address], environment);
  expect(requests).toEqual([RELEASES]);
});

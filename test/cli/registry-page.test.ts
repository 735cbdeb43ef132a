import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { askPage, cookieFor, parsedAddress, type SignInAddress } from './support/page-process.ts';

interface Served {
  readonly folder: string;
  readonly child: ReturnType<typeof spawn>;
  readonly output: () => string;
  readonly until: (text: string) => Promise<void>;
  readonly address: () => SignInAddress;
}

/** `modreg registry …` with a new file, until the end of the test. */
async function registryProcess(...args: readonly string[]): Promise<Served> {
  const folder = temporaryFolder();
  const db = ['--db', `${folder}/registry.db`];
  await inProcess(['registry', 'publish', 'acme:lidar', '1.2.9', ...db, '--create'], {});
  const child = spawn(`${ROOT}bin/modreg`, ['registry', ...args, ...db], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  return {
    folder,
    child,
    output: () => output,
    until: async (text) => {
      await expect.poll(() => output).toContain(text);
    },
    address: () => parsedAddress(readFileSync(`${folder}/registry-page-address`, 'utf8')),
  };
}

/** What a client of a port gets. */
async function atPort(port: number): Promise<string> {
  try {
    await fetch(`http://127.0.0.1:${port}/`);
    return 'answered';
  } catch (error) {
    return String(Object(Object(error).cause).code);
  }
}

const SIGNING_IN = 'the address for signing in is in';

it('the page of a registry writes its address with a code to a file of its owner, and needs a session', async () => {
  const { folder, child, output, until, address } = await registryProcess('page', '--port', '0');
  await until(SIGNING_IN);
  expect(statSync(`${folder}/registry-page-address`).mode & 0o777).toBe(0o600);
  const first = address();
  const nobody = await askPage(first, ['GET', '/'], { headers: { accept: 'text/html' } });
  expect([nobody.status, nobody.headers.location]).toEqual([303, '/sign-in']);
  const form = await askPage(first, ['GET', '/sign-in']);
  expect(form.text).toContain(
    '<code>modreg registry page sign-in</code>, on the machine of the registry',
  );
  const headers = await cookieFor(first);
  const page = await askPage(first, ['GET', '/modules'], { headers });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('acme:lidar')]);
  expect(page.headers['content-security-policy']).toContain(
    "default-src 'none'; script-src 'self'",
  );
  const halt = '/rollouts/acme%3Alidar/1.2.9/halt';
  const foreign = { ...headers, 'sec-fetch-site': 'cross-site' };
  expect((await askPage(first, ['POST', halt], { headers: foreign })).status).toBe(403);
  expect((await askPage(first, ['GET', '/v1/modules'], { headers })).text).toContain(
    'programs use the HTTP API of the registry',
  );
  const db = ['--db', `${folder}/registry.db`];
  expect(await inProcess(['registry', 'page', 'sign-in', ...db], {})).toEqual({
    stdout: `the address for signing in is in "${folder}/registry-page-address"\n`,
    stderr:
      'note: the code can be used once, within 5 min; modreg registry page sign-in shows another one\n',
    exit: 0,
  });
  expect(address()).toMatchObject({ host: first.host, port: first.port });
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output()).not.toContain(first.code);
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  '[T176] the page beside a registry is a process of its own, and ends with it, by %s',
  async (signal) => {
    const served = await registryProcess('serve', '--port', '0', '--page', '127.0.0.1:0');
    await served.until(SIGNING_IN);
    const address = served.address();
    const headers = await cookieFor(address);
    expect((await askPage(address, ['GET', '/rollouts'], { headers })).status).toBe(200);
    // The log of the page is part of the registry's, line by line.
    await served.until('"level":"info","event":"signed-in"}\n');
    served.child.kill(signal);
    await expect.poll(async () => await atPort(address.port)).toBe('ECONNREFUSED');
    expect(served.output()).not.toContain(address.code);
  },
);

it('[T176] the page beside a registry is started again, and the registry answers meanwhile', async () => {
  const busy = createServer().listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  const served = await registryProcess('serve', '--port', '0', '--page', `127.0.0.1:${port}`);
  await served.until('the page does not run: it ended with exit code 2');
  expect(served.output()).toContain(
    `"level":"warn","event":"page","text":"error[USAGE]: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)"}\n`,
  );
  expect(served.output()).toContain(
    '"level":"info","event":"page","text":"hint: --page <host>:<port> chooses another port"}\n',
  );
  const [, registry = ''] = /listening on (\S+)/.exec(served.output()) ?? [];
  expect((await fetch(`${registry}/v1/modules`)).status).toBe(200);
  busy.close();
  await served.until(SIGNING_IN);
  expect(served.address().port).toBe(port);
});

const USE_A_TUNNEL =
  'hint: pass --tls-cert and --tls-key, or leave the page on 127.0.0.1 and use a tunnel, such as ssh -L 4891:127.0.0.1:4891';

it.each([
  [
    ['serve', '--page', 'localhost'],
    '--page is "localhost", expected an address and a port, such as 127.0.0.1:4891',
  ],
  [
    ['serve', '--page', '0.0.0.0:4891'],
    `--page is 0.0.0.0, which is not a loopback address: others on the network could read codes and sessions\n${USE_A_TUNNEL}`,
  ],
  [
    ['page', '--host', '0.0.0.0'],
    `--host is 0.0.0.0, which is not a loopback address: others on the network could read codes and sessions\n${USE_A_TUNNEL}`,
  ],
])('modreg registry %j is refused', async (args, message) => {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/registry.db`, '');
  const done = await inProcess(['registry', ...args, '--db', `${folder}/registry.db`], {});
  expect([done.exit, done.stderr]).toEqual([2, expect.stringContaining(message)]);
});

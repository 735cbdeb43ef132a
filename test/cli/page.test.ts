import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPageFile } from '../../src/page/access/page-file.ts';
import { PAGE_LAYOUT } from '../../src/page/access/page-layout.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import {
  addressIn,
  askPage,
  cookieFor,
  PAGE,
  pageHere,
  pageProcess,
  parsedAddress,
} from './support/page-process.ts';
import { tlsFiles } from '../support/tls.ts';

const curl = promisify(execFile);

const NOTE = 'note: the code can be used once, within 5 min; modreg page sign-in shows another one';

describe('modreg page', () => {
  it('writes the address with its code to a file that only its owner can read, and signs in', async () => {
    const home = temporaryFolder();
    const { child, output } = await pageProcess(home, '--port', '0');
    const address = addressIn(home);
    expect(address.host).toMatch(/^[\da-f]{20}\.localhost:\d+$/);
    expect(statSync(`${home}/page-address`).mode & 0o777).toBe(0o600);
    const answer = await askPage(address, ['GET', '/'], { headers: await cookieFor(address) });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('acme:lidar');
    expect(answer.text).toContain('<form method="post" action="/sign-out">');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    const [line, ...rest] = output().trimEnd().split('\n');
    expect(line).toBe(`the address for signing in is in "${home}/page-address"`);
    expect(rest[0]).toBe(NOTE);
    expect(JSON.parse(rest[1] ?? '')).toMatchObject({ level: 'info', event: 'signed-in' });
    expect(rest.length).toBe(2);
    expect(output()).not.toContain(address.code);
  });

  it('shows a form that needs no script, and why a code is not accepted (T127)', async () => {
    const home = temporaryFolder();
    await pageHere(home, '--port', '0');
    const address = addressIn(home);
    const form = await askPage(address, ['GET', '/sign-in']);
    expect(form.text).toContain('<form method="post" action="/sign-in" id="sign-in">');
    expect(form.text).not.toContain('role="alert"');
    const refused = await askPage(address, ['POST', '/sign-in'], { body: 'code=x' });
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('role="alert"');
    expect(refused.text).toContain('modreg page sign-in makes another one');
  });

  it('signs in with the code of modreg page sign-in, and wrong codes end none (T128)', async () => {
    const home = temporaryFolder();
    await pageHere(home, '--port', '0');
    const first = addressIn(home);
    expect(await inProcess(['page', 'sign-in'], { PLATFORM_HOME: home })).toEqual({
      stdout: `the address for signing in is in "${home}/page-address"\n`,
      stderr: `${NOTE}\n`,
      exit: 0,
    });
    const second = addressIn(home);
    expect(second).toEqual({ ...first, code: expect.stringMatching(/^[\da-f-]{39}$/) as string });
    expect(second.code).not.toBe(first.code);
    const { cookie } = await cookieFor(second);
    expect(cookie).toMatch(/^__Host-modreg-page=/);
    const file = openPageFile(`${home}/page.db`, 1000);
    for (let count = 0; count < 20; count++) file.signIn('x', Date.now());
    file.close();
    expect((await cookieFor(first)).cookie).toMatch(/^__Host-modreg-page=/);
  });

  it('does not follow a link that stands for the file of the address', async () => {
    const home = temporaryFolder();
    writeFileSync(`${home}/target`, 'kept');
    symlinkSync(`${home}/target`, `${home}/page-address`);
    symlinkSync(`${home}/target`, `${home}/page-address.new`);
    await inProcess(['page', 'sign-in'], { PLATFORM_HOME: home });
    expect(readFileSync(`${home}/target`, 'utf8')).toBe('kept');
    expect(addressIn(home).port).toBe(4890);
  });

  it.each([
    [
      ['--host', '0.0.0.0'],
      /^error\[USAGE\]: --host is 0\.0\.0\.0, which is not a loopback address: others on the network could read codes and sessions\nhint: pass --tls-cert and --tls-key/,
    ],
    [['--host', ''], /^error\[USAGE\]: --host is , which is not/],
    [
      ['--port', '65536'],
      /^error\[USAGE\]: --port is "65536", expected a whole number from 0 to 65535\n/,
    ],
    [['--idle', '8d'], /^error\[USAGE\]: --idle: 8d is out of range, expected 1s to 7d\n/],
    [['--idle', '0s'], /^error\[USAGE\]: --idle: 0s is out of range, expected 1s to 7d\n/],
    [['--idle', '5'], /^error\[USAGE\]: --idle: "5" is not a duration/],
    [['--tls-cert', 'x.pem'], /^error\[USAGE\]: --tls-cert is given without --tls-key/],
  ])('refuses %o', async (options, expected) => {
    const home = temporaryFolder();
    const { stderr, exit } = await inProcess([...PAGE, ...options], { PLATFORM_HOME: home });
    expect(stderr).toMatch(expected);
    expect(exit).toBe(2);
    expect(existsSync(`${home}/page.db`)).toBe(false);
  });

  it('needs a home, and a port that no other process has', async () => {
    expect(await inProcess(PAGE)).toMatchObject({
      stderr:
        'error[USAGE]: the state of this machine is not found: neither PLATFORM_HOME nor HOME is set\n',
      exit: 2,
    });
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const home = temporaryFolder();
    expect(await inProcess([...PAGE, '--port', `${port}`], { PLATFORM_HOME: home })).toEqual({
      stdout: '',
      stderr: `error[USAGE]: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)\nhint: --port 0 selects a free port\n`,
      exit: 2,
    });
  });

  it('over TLS has the names of its certificate', async () => {
    const home = temporaryFolder();
    const { certificate, key } = tlsFiles('names');
    await pageHere(
      home,
      '--port',
      '0',
      '--host',
      '0.0.0.0',
      '--tls-cert',
      certificate,
      '--tls-key',
      key,
    );
    const { host, port } = addressIn(home);
    expect(host).toBe(`rover.example:${port}`);
    const ask = async (name: string): Promise<string> => {
      const url = `https://${name}:${port}/sign-in`;
      const to = ['--connect-to', `::127.0.0.1:${port}`];
      // Meanwhile, this process serves the page.
      return (await curl('curl', ['-sk', '-o', '/dev/null', '-D-', ...to, url])).stdout;
    };
    expect(await ask('rover.example')).toMatch(
      /^HTTP\/1.1 200 OK[^]*strict-transport-security: max-age=31536000/,
    );
    expect(await ask('localhost')).toMatch(/^HTTP\/1.1 421 /);
  });

  it('ends with exit code 0 when nobody uses it', async () => {
    const { child, output } = await pageProcess(temporaryFolder(), '--port', '0', '--idle', '1s');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output()).toContain('note: the page is not used: it ends\n');
  });
});

describe('modreg page sign-in', () => {
  it('shows the address on a terminal, and only there', async () => {
    const environment = { PLATFORM_HOME: temporaryFolder() };
    const clock = Date.now;
    const { stdout, stderr, exit } = await printed(['page', 'sign-in'], {
      environment,
      clock,
      isAnswerShown: true,
    });
    expect(stdout).toHaveLength(1);
    expect(parsedAddress(stdout[0] ?? '')).toMatchObject({ port: 4890 });
    const never = 'note: the page has not run here yet; modreg page --help shows how to start it';
    expect([stderr, exit]).toEqual([[NOTE, never], 0]);
    expect(existsSync(`${environment.PLATFORM_HOME}/page-address`)).toBe(false);
  });

  it('names the file where stdout is no terminal', async () => {
    const home = temporaryFolder();
    const world = { environment: { PLATFORM_HOME: home }, clock: Date.now };
    const { stdout } = await printed(['page', 'sign-in'], world);
    expect(stdout).toEqual([`the address for signing in is in "${home}/page-address"`]);
  });

  it('names the file as JSON, also on a terminal', async () => {
    const home = temporaryFolder();
    const world = { environment: { PLATFORM_HOME: home }, clock: Date.now, isAnswerShown: true };
    const { stdout } = await printed(['page', 'sign-in', '--json'], world);
    expect(stdout.map((line) => JSON.parse(line) as unknown)).toEqual([
      { schema: 'modreg/page@1', file: `${home}/page-address` },
    ]);
  });
});

it.each([
  ['machin.json', ''],
  ['singin', '  did you mean modreg page sign-in ?\n'],
  ['signin', '  did you mean modreg page sign-in ?\n'],
])('[D290] modreg page %s does not start without that file', async (named, suggestion) => {
  const home = temporaryFolder();
  expect(await inProcess(['page', named, '--port', '0'], { PLATFORM_HOME: home })).toEqual({
    stdout: '',
    stderr: `error[UNREADABLE_FILE]: the file "${named}" does not exist\n${suggestion}`,
    exit: 2,
  });
  expect(existsSync(`${home}/page.db`)).toBe(false);
});

describe('a page.db that cannot be used (T129)', () => {
  it('is set aside if it is damaged, and everybody signs in again', async () => {
    const home = temporaryFolder();
    writeFileSync(`${home}/page.db`, 'x'.repeat(8192));
    const { stderr, exit } = await inProcess(['page', 'sign-in'], { PLATFORM_HOME: home });
    expect(stderr).toMatch(
      /^warning: "[^"]*page\.db": [^\n]*; it is now "[^"]*page\.db\.damaged", and all users have to sign in again\nnote: /,
    );
    expect(exit).toBe(0);
    expect(readFileSync(`${home}/page.db.damaged`, 'utf8')).toBe('x'.repeat(8192));
  });

  it.each([['sign-in'], [PAGE[1] ?? '']])(
    'is an error of modreg page %s if a later modreg wrote it',
    async (what) => {
      const home = temporaryFolder();
      openPageFile(`${home}/page.db`, 100).close();
      const later = {
        ...PAGE_LAYOUT,
        oldestReader: 99,
        migrations: [...PAGE_LAYOUT.migrations, 'SELECT 1'],
      };
      openDatabase(`${home}/page.db`, later, { mode: 'write', busyTimeoutMs: 0 }).close();
      const { stdout, stderr, exit } = await inProcess(['page', what], { PLATFORM_HOME: home });
      expect(stderr).toMatch(
        /^error\[STATE_UNREADABLE\]: "[^"]*page\.db": it has schema 3[^\n]*use the later modreg again/,
      );
      expect([stdout, exit]).toEqual(['', 70]);
    },
  );

  it('is an error of modreg page sign-in while another process has it locked', async () => {
    const home = temporaryFolder();
    openPageFile(`${home}/page.db`, 100).close();
    const other = openDatabase(`${home}/page.db`, PAGE_LAYOUT, { mode: 'write', busyTimeoutMs: 0 });
    other.exec('BEGIN IMMEDIATE');
    const { stderr, exit } = await inProcess(['page', 'sign-in'], { PLATFORM_HOME: home });
    other.close();
    expect(stderr).toMatch(/^error\[LOCKED\]: "[^"]*page\.db": database is locked\n/);
    expect(exit).toBe(70);
  });
});

import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readNotifyFile } from '../../src/cli/serve/notify-file.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { servedHere } from '../support/served-here.ts';
import { receiver, SECRET, toldRegistry, type Received } from '../support/told-registry.ts';
import { newFile, registry } from './support/registry-command.ts';

/** The path of a file that only its owner can read. */
function privateFile(content: string): string {
  const path = join(temporaryFolder({ 'notify.json': content }), 'notify.json');
  chmodSync(path, 0o600);
  return path;
}

const HOOK = 'https://hooks.example/secret-path';

function fileWith(fields: object): string {
  return privateFile(JSON.stringify({ addresses: [HOOK], secret: SECRET, ...fields }));
}

/** What is read of a file that names one with this content. */
function secretIn(content: string): ReturnType<typeof readNotifyFile> {
  const fields = { secret: undefined, secret_file: privateFile(content) };
  return readNotifyFile(fileWith(fields), { environment: {} });
}

/** What is wrong with the file at `path`, which is called FILE. */
function faultOf(path: string, environment: Readonly<Record<string, string>> = {}): string {
  const read = readNotifyFile(path, { environment });
  const error = read.ok ? 'none' : `${read.error.message}${read.error.hint ?? ''}`;
  return error.replaceAll(path, 'FILE');
}

describe('the file of --notify', () => {
  it.each<[string, object, Readonly<Record<string, string>>]>([
    ['a secret', {}, {}],
    ['a secret in the environment', { secret: undefined }, { MODREG_NOTIFY_SECRET: SECRET }],
    ['a secret that is not that of the environment', {}, { MODREG_NOTIFY_SECRET: 'x' }],
  ])('[D213] has addresses and %s', (_what, fields, environment) => {
    const read = readNotifyFile(fileWith(fields), { environment });
    expect(read.ok && [read.value.addresses.map(String), read.value.secret.reveal()]).toEqual([
      [HOOK],
      SECRET,
    ]);
  });

  it.each([
    ['http://127.0.0.1:8080/a', 'http://[::1]:8080/a', 'http://localhost/a', 'https://a.example/'],
  ])('[D213] can name %s, and with comments', (...addresses) => {
    const content = `// for the plant\n${JSON.stringify({ addresses, secret: SECRET })}`;
    expect(faultOf(privateFile(content))).toBe('none');
  });

  it('[D213] can name http: on another host if it says so', () => {
    const addresses = ['http://hooks.example/a'];
    expect(faultOf(fileWith({ addresses, allow_http: true }))).toBe('none');
  });

  const NO_LIST = '--notify: "FILE": addresses is not a list of 1 to 10 addresses';
  it.each<[string, object, string]>([
    ['no addresses', { addresses: undefined }, NO_LIST],
    ['an empty list', { addresses: [] }, NO_LIST],
    ['a text', { addresses: HOOK }, NO_LIST],
    ['eleven addresses', { addresses: Array.from({ length: 11 }, () => HOOK) }, NO_LIST],
    [
      'no address',
      { addresses: [HOOK, 'hooks.example/secret-path'] },
      '--notify: "FILE": address 2 is not an address such as https://hooks.example/modreg',
    ],
    [
      'a number',
      { addresses: [7] },
      '--notify: "FILE": address 1 is not an address such as https://hooks.example/modreg',
    ],
    [
      'an address of a file',
      { addresses: ['file:///etc/passwd'] },
      '--notify: "FILE": address 1 is not an address such as https://hooks.example/modreg',
    ],
    [
      'a password in an address',
      { addresses: ['https://me:secret-path@hooks.example/'] },
      '--notify: "FILE": address 1 has a user or a password',
    ],
    [
      'http: on another host',
      { addresses: ['http://127.0.0.1.example/secret-path'] },
      '--notify: "FILE": address 1 is http: on another host, where others can read it: use https:, or set allow_http to true',
    ],
    ['an address twice', { addresses: [HOOK, HOOK] }, '--notify: "FILE": address 2 is there twice'],
    [
      'allow_http as text',
      { allow_http: 'true' },
      '--notify: "FILE": allow_http is not true or false',
    ],
    [
      'a short secret',
      { secret: SECRET.slice(1) },
      '--notify: "FILE": secret has fewer than 32 characters: openssl rand -hex 32 makes one',
    ],
    [
      'a secret that is no text',
      { secret: 7 },
      '--notify: "FILE": secret has fewer than 32 characters: openssl rand -hex 32 makes one',
    ],
    [
      'no secret',
      { secret: undefined },
      '--notify: "FILE": it has no secret: add secret or secret_file, or set MODREG_NOTIFY_SECRET',
    ],
    ['two secrets', { secret_file: 'x' }, '--notify: "FILE": it has secret and secret_file'],
    [
      'an empty path',
      { secret: undefined, secret_file: '' },
      '--notify: "FILE": secret_file is not a path',
    ],
    [
      'a field that is not known',
      { adresses: [] },
      '--notify: "FILE": adresses is none of its fields: addresses, secret, secret_file, allow_http',
    ],
  ])('[T616] is refused with %s', (_what, fields, message) => {
    expect(faultOf(fileWith(fields))).toBe(message);
  });

  it.each<[string, string]>([
    ['[]', '--notify: "FILE": it is not a JSON object'],
    ['{"addresses": [],}', '--notify: "FILE": trailing comma before "}"'],
    ['', '--notify: "FILE": expected a value'],
  ])('[T616] is refused with the content %s', (content, message) => {
    expect(faultOf(privateFile(content))).toBe(message);
  });

  it('[T616] is refused with a short secret in the environment', () => {
    expect(faultOf(fileWith({ secret: undefined }), { MODREG_NOTIFY_SECRET: 'short' })).toBe(
      '--notify: "FILE": the secret in MODREG_NOTIFY_SECRET has fewer than 32 characters: openssl rand -hex 32 makes one',
    );
  });

  it('[D213] can name a file with the secret, whose secret is not too short either', () => {
    const read = secretIn(`${SECRET}\n`);
    expect(read.ok && read.value.secret.reveal()).toBe(SECRET);
    const short = secretIn(`${SECRET.slice(1)}\n`);
    expect(short.ok || short.error.message).toMatch(
      /: the content of secret_file has fewer than 32 characters: openssl rand -hex 32 makes one$/,
    );
  });

  it('[T616] is refused if others can read it, or its secret', () => {
    const path = fileWith({});
    chmodSync(path, 0o640);
    const open = 'others can read the file "FILE", which has a secret (mode 0640)';
    expect(faultOf(path)).toBe(`${open}chmod 600 "FILE"`);
    const other = privateFile(SECRET);
    chmodSync(other, 0o604);
    const found = faultOf(fileWith({ secret: undefined, secret_file: other }));
    expect(found.replaceAll(other, 'OTHER')).toBe(
      'others can read the file "OTHER", which has a secret (mode 0604)chmod 600 "OTHER"',
    );
  });
});

it('[T616] a registry with such a file does not start, and creates none of its own', async () => {
  const db = join(temporaryFolder(), 'registry.db');
  const args = ['serve', '--create', '--port', '0', '--notify', '/nonexistent/notify.json'];
  const { stdout, stderr, exit } = await registry(db, ...args);
  expect([stdout, stderr, exit]).toEqual([
    '',
    'error[UNREADABLE_FILE]: the file "/nonexistent/notify.json" does not exist\n',
    2,
  ]);
  expect(() => readFileSync(db)).toThrow('ENOENT');
});

it('[D211] registry serve --notify says how many notices wait', async () => {
  const { address } = await servedHere(newFile(), '--notify', fileWith({}));
  const served = await (await fetch(`${address}/metrics`)).text();
  expect(served).toMatch(/^modreg_registry_notices_waiting 0$/m);
  const without = await (await fetch(`${(await servedHere(newFile())).address}/metrics`)).text();
  expect(without).not.toMatch(/^modreg_registry_notices_waiting /m);
});

/** The request for a notice of a yank. */
async function request(ago = 0): Promise<Received> {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  told.time.now = Date.now() - ago;
  await told.turn();
  told.yank('1.2.9', 'stops the motor');
  await told.turn();
  const [got] = hook.received;
  if (!got) throw new Error('nothing was told');
  return got;
}

describe('examples/notify/receiver.sh', () => {
  const PROGRAM = join(ROOT, 'examples/notify/receiver.sh');

  /** What a web server answers that runs the program for a request, and what the program wrote. */
  async function ran(
    { headers, body }: Received,
    notices: string,
    secret = SECRET,
  ): Promise<string> {
    const env = {
      PATH: process.env['PATH'],
      MODREG_NOTIFY_SECRET: secret,
      MODREG_NOTICES: notices,
      HTTP_MODREG_NOTICE_TIMESTAMP: String(headers['modreg-notice-timestamp'] ?? ''),
      HTTP_MODREG_NOTICE_SIGNATURE: String(headers['modreg-notice-signature'] ?? ''),
    };
    const child = spawn('sh', [PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(body);
    return (await text(child.stdout)).replaceAll('\r\n', '\n');
  }

  it('[D211] accepts a notice, and keeps it once', async () => {
    const notices = join(temporaryFolder(), 'notices');
    const got = await request();
    const received = 'Status: 200 OK\nContent-Type: text/plain\n\nreceived\n';
    expect([await ran(got, notices), await ran(got, notices)]).toEqual([received, received]);
    expect(readFileSync(notices, 'utf8')).toBe(got.body);
  });

  const WRONG =
    '403 Forbidden\nContent-Type: text/plain\n\nthe signature is not that of the secret';
  const LATE =
    '403 Forbidden\nContent-Type: text/plain\n\nthe timestamp is more than five minutes off';
  const NONE = '400 Bad Request\nContent-Type: text/plain\n\nthe timestamp is missing, or no time';

  it.each<[string, (got: Received) => Received, string]>([
    ['another body', (got) => ({ ...got, body: got.body.replace('motor', 'brake') }), WRONG],
    [
      'no signature',
      ({ body, headers }) => ({ body, headers: { ...headers, 'modreg-notice-signature': '' } }),
      WRONG,
    ],
    [
      'another time',
      ({ body, headers }) => {
        const timestamp = `${Number(headers['modreg-notice-timestamp']) + 1}`;
        return { body, headers: { ...headers, 'modreg-notice-timestamp': timestamp } };
      },
      WRONG,
    ],
    ['no headers', ({ body }) => ({ body, headers: {} }), NONE],
    [
      'a time that is none',
      ({ body }) => ({ body, headers: { 'modreg-notice-timestamp': '$(id)' } }),
      NONE,
    ],
  ])('[T617] refuses %s', async (_what, changed, answer) => {
    const notices = join(temporaryFolder(), 'notices');
    expect(await ran(changed(await request()), notices)).toBe(`Status: ${answer}\n`);
    expect(() => readFileSync(notices)).toThrow('ENOENT');
  });

  it('[T617] refuses another secret, and what is older than five minutes', async () => {
    const notices = join(temporaryFolder(), 'notices');
    expect(await ran(await request(), notices, `${SECRET}0`)).toBe(`Status: ${WRONG}\n`);
    expect(await ran(await request(310_000), notices)).toBe(`Status: ${LATE}\n`);
    expect(await ran(await request(-310_000), notices)).toBe(`Status: ${LATE}\n`);
    writeFileSync(notices, '');
    expect(await ran(await request(290_000), notices)).toContain('200 OK');
  });
});

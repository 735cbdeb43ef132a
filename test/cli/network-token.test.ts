import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send, type PlainServer } from '../../mocks/plain-server.ts';

const RESOLVE = ['resolve', 'acme:lidar', '1.*', '--registry'];
const CANARY = 'canary-7c0ffee';
const PATH = '/v1/modules/acme/lidar';

async function open(): Promise<PlainServer> {
  return await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
}

/** A file of mode 0600. */
function tokenFile(text: string): string {
  const file = `${temporaryFolder({ tokens: text })}/tokens`;
  chmodSync(file, 0o600);
  return file;
}

async function closed(): Promise<PlainServer> {
  return await plainServer((response) => response.writeHead(401).end());
}

it('sends the token of MODREG_TOKEN to the registry', async () => {
  const { address, requests } = await open();
  const { stdout } = await inProcess([...RESOLVE, address], { MODREG_TOKEN: CANARY });
  expect([stdout, requests]).toEqual(['1.2.3\n', [`${PATH} Bearer ${CANARY}`]]);
});

describe('the file of MODREG_TOKEN_FILE', () => {
  it('is used if only its owner can read it', async () => {
    const { address, requests } = await open();
    const file = tokenFile(`${address} ${CANARY}\n`);
    const { stdout } = await inProcess([...RESOLVE, address], { MODREG_TOKEN_FILE: file });
    expect([stdout, requests]).toEqual(['1.2.3\n', [`${PATH} Bearer ${CANARY}`]]);
  });

  it('[T372] may be saved by an editor of Windows: a byte order mark, and CR LF', async () => {
    const { address, requests } = await open();
    const file = tokenFile(`\ufeff# my tokens\r\n${address} ${CANARY}\r\n`);
    const { stdout } = await inProcess([...RESOLVE, address], { MODREG_TOKEN_FILE: file });
    expect([stdout, requests]).toEqual(['1.2.3\n', [`${PATH} Bearer ${CANARY}`]]);
  });

  it('has a line for each origin, blank lines and comments', async () => {
    const [first, second, third] = [await open(), await open(), await closed()];
    const lines = [
      '# tokens of this machine',
      '',
      `${first.address} ${CANARY}-1`,
      ` ${second.address}/\t${CANARY}-2 \r`,
      '  # the last one',
    ];
    const environment = { MODREG_TOKEN_FILE: tokenFile(lines.join('\n')) };
    await inProcess([...RESOLVE, first.address], environment);
    await inProcess([...RESOLVE, second.address], environment);
    const refused = await inProcess([...RESOLVE, third.address], environment);
    expect([first.requests, second.requests, third.requests]).toEqual([
      [`${PATH} Bearer ${CANARY}-1`],
      [`${PATH} Bearer ${CANARY}-2`],
      [PATH],
    ]);
    expect(refused.stderr).toBe(
      `error[REGISTRY_REFUSED]: the registry ${third.address} denies access without a token (401)\nhint: set MODREG_TOKEN to a token, or add the line "${third.address} <token>" to ${environment.MODREG_TOKEN_FILE}\n`,
    );
  });

  it('is $PLATFORM_HOME/tokens by default, and MODREG_TOKEN comes first', async () => {
    const { address, requests } = await open();
    const file = tokenFile(`${address} ${CANARY}`);
    const environment = { PLATFORM_HOME: dirname(file) };
    await inProcess([...RESOLVE, address], environment);
    await inProcess([...RESOLVE, address], { ...environment, MODREG_TOKEN: 'other' });
    expect(requests).toEqual([`${PATH} Bearer ${CANARY}`, `${PATH} Bearer other`]);
  });

  it.each([
    ['one field', CANARY],
    ['three fields', `https://registry.example ${CANARY} x`],
    ['the fields in the other order', `${CANARY} https://registry.example`],
    ['a path', `https://registry.example/v1 ${CANARY}`],
    ['user info', `https://me:${CANARY}@registry.example ${CANARY}`],
    ['a kind of registry', `npm:https://registry.example ${CANARY}`],
    ['no scheme', `registry.example ${CANARY}`],
  ])('with %s is refused, and nothing of the line is shown', async (_what, line) => {
    const file = tokenFile(`# one\nhttps://registry.invalid x\n${line}\n`);
    const { stdout, stderr, exit } = await inProcess([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: file,
    });
    expect([stdout, stderr, exit]).toEqual([
      '',
      `error[BAD_VALUE]: the token file "${file}", line 3: expected an origin such as https://registry.example, a space and a token\n`,
      1,
    ]);
  });

  it.each([
    [
      'a second token for an origin',
      'HTTPS://Registry.invalid:443 y',
      'the origin has a token on an earlier line',
    ],
    [
      'a token that no header can contain',
      'https://other.invalid t\u00f6ken',
      'the token is not printable ASCII',
    ],
  ])('with %s is refused', async (_what, line, complaint) => {
    const file = tokenFile(`https://registry.invalid ${CANARY}\n${line}`);
    const { stderr, exit } = await inProcess([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: file,
    });
    expect([stderr, exit]).toEqual([
      `error[BAD_VALUE]: the token file "${file}", line 2: ${complaint}\n`,
      1,
    ]);
  });

  it('[T65] is refused if others can read it, and no registry is contacted', async () => {
    const { address, requests } = await open();
    const file = `${temporaryFolder({ token: CANARY })}/token`;
    chmodSync(file, 0o640);
    const { stderr, exit } = await inProcess([...RESOLVE, address], { MODREG_TOKEN_FILE: file });
    expect([stderr, exit, requests]).toEqual([
      `error[PERMISSIONS]: the token file "${file}" has mode 0640, and others can read it\nhint: chmod 600 ${file} restricts it to its owner\n`,
      1,
      [],
    ]);
  });

  it('is refused if it is too long', async () => {
    const file = tokenFile('#'.repeat(65_537));
    const { stderr, exit } = await inProcess([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: file,
    });
    expect([stderr, exit]).toEqual([
      `error[USAGE]: the token file "${file}" has more than 65536 bytes\n`,
      2,
    ]);
  });

  it('is reported as unreadable if its name is too long', async () => {
    const { stderr, exit } = await inProcess([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: `/${'x'.repeat(300)}`,
    });
    expect([stderr.slice(0, 40), exit]).toEqual(['error[UNREADABLE_FILE]: the file "/xxxxx', 2]);
  });

  it('is reported as unreadable if it is missing', async () => {
    const { stderr, exit } = await inProcess([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: '/nowhere/token',
    });
    expect([stderr, exit]).toEqual([
      'error[UNREADABLE_FILE]: the file "/nowhere/token" does not exist\n',
      2,
    ]);
  });
});

it('refuses a MODREG_TOKEN that is not a token, and does not show it', async () => {
  const { stderr, exit } = await inProcess([...RESOLVE, 'https://registry.invalid'], {
    MODREG_TOKEN: `${CANARY}\nx: y`,
  });
  expect([stderr, exit]).toEqual([
    'error[USAGE]: MODREG_TOKEN does not contain a token: expected printable ASCII without spaces\n',
    2,
  ]);
});

describe('[T64, T93] when the registry refuses the request', () => {
  it('does not show the token', async () => {
    const { address } = await closed();
    const { stdout, stderr, exit } = await inProcess([...RESOLVE, address], {
      MODREG_TOKEN: CANARY,
    });
    expect([stdout, stderr, exit]).toEqual([
      '',
      `error[REGISTRY_REFUSED]: the registry ${address} denies access with the token that was sent (401)\n`,
      4,
    ]);
  });

  it('shows how to set a token if there is none', async () => {
    const { address } = await closed();
    const { stderr } = await inProcess([...RESOLVE, address]);
    expect(stderr).toBe(
      `error[REGISTRY_REFUSED]: the registry ${address} denies access without a token (401)\nhint: set MODREG_TOKEN to a token, or add the line "${address} <token>" to $PLATFORM_HOME/tokens (mode 0600)\n`,
    );
  });

  it.each([
    ['https://registry.example/v1', 'https://registry.example'],
    ['https://registry.example ', 'the registry that MODREG_REGISTRY or --registry names'],
    ['htps://registry.example', 'the registry that MODREG_REGISTRY or --registry names'],
    ['./folder', 'the registry that MODREG_REGISTRY or --registry names'],
  ])('does not send a token for another registry, %o', async (MODREG_REGISTRY, owner) => {
    const { address, requests } = await closed();
    const { stderr } = await inProcess([...RESOLVE, address], {
      MODREG_TOKEN: CANARY,
      MODREG_REGISTRY,
    });
    expect([stderr, requests]).toEqual([
      `error[REGISTRY_REFUSED]: the registry ${address} denies access without a token (401)\nhint: MODREG_TOKEN is for ${owner} only, so it was not sent; add the line "${address} <token>" to $PLATFORM_HOME/tokens (mode 0600)\n`,
      [PATH],
    ]);
  });
});

describe('a registry that only a policy names', () => {
  it('does not get MODREG_TOKEN, with or without a MODREG_REGISTRY', async () => {
    const { address, requests } = await closed();
    const folder = temporaryFolder({ 'policy.json': JSON.stringify({ registry: address }) });
    const args = ['resolve', 'acme:lidar', '1.*', '--policy', `${folder}/policy.json`];
    const { stderr, exit } = await inProcess(args, { MODREG_TOKEN: CANARY });
    expect([stderr, exit, requests]).toEqual([
      `error[REGISTRY_REFUSED]: the registry ${address} denies access without a token (401)\nhint: MODREG_TOKEN is for the registry that MODREG_REGISTRY or --registry names only, so it was not sent; add the line "${address} <token>" to $PLATFORM_HOME/tokens (mode 0600)\n`,
      4,
      [PATH],
    ]);
  });

  it('gets its own token from the token file', async () => {
    const { address, requests } = await open();
    const folder = temporaryFolder({ 'policy.json': JSON.stringify({ registry: address }) });
    const args = ['resolve', 'acme:lidar', '1.*', '--policy', `${folder}/policy.json`];
    const { stdout } = await inProcess(args, {
      MODREG_TOKEN: 'other',
      MODREG_TOKEN_FILE: tokenFile(`${address} ${CANARY}`),
    });
    expect([stdout, requests]).toEqual(['1.2.3\n', [`${PATH} Bearer ${CANARY}`]]);
  });
});

it.each(['token', 'tokens', 'registry_token', 'authorization'])(
  'a policy has no field %s, and its value is not shown',
  async (field) => {
    const folder = temporaryFolder({
      'policy.json': JSON.stringify({ [field]: CANARY, on_yank: 'keep' }),
    });
    const { stdout, stderr, exit } = await inProcess([
      'check',
      `${folder}/policy.json`,
      '--strict',
    ]);
    expect([stdout.split('  ').slice(1, 3), exit]).toEqual([
      ['error[UNKNOWN_FIELD]', `/${field}: unknown field\n1 error; read as an update policy\n`],
      1,
    ]);
    expect(stdout + stderr).not.toContain(CANARY);
  },
);

it('[T41] does not follow a redirect to another origin', async () => {
  const elsewhere = await open();
  const { address, requests } = await plainServer((response) => {
    response.writeHead(302, { location: `${elsewhere.address}${PATH}` }).end();
  });
  const { stderr, exit } = await inProcess([...RESOLVE, address], { MODREG_TOKEN: CANARY });
  expect([stderr, exit, requests, elsewhere.requests]).toEqual([
    `error[BAD_REDIRECT]: the registry ${address} redirects to ${elsewhere.address}, which is another origin\nhint: use the final address of the registry, without redirects\n`,
    4,
    [`${PATH} Bearer ${CANARY}`],
    [],
  ]);
});

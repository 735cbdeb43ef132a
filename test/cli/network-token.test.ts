import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { runModreg } from '../support/modreg.ts';
import { listOf, plainServer, send, type PlainServer } from '../support/plain-server.ts';

const RESOLVE = ['resolve', 'acme:lidar', '1.*', '--registry'];
const CANARY = 'canary-7c0ffee';
const PATH = '/v1/modules/acme/lidar';

async function open(): Promise<PlainServer> {
  return await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
}

async function closed(): Promise<PlainServer> {
  return await plainServer((response) => response.writeHead(401).end());
}

it('sends the token of MODREG_TOKEN to the registry', async () => {
  const { address, requests } = await open();
  const { stdout } = await runModreg([...RESOLVE, address], { MODREG_TOKEN: CANARY });
  expect([stdout, requests]).toEqual(['1.2.3\n', [`${PATH} Bearer ${CANARY}`]]);
});

describe('the file of MODREG_TOKEN_FILE', () => {
  it('is used if only its owner can read it', async () => {
    const { address, requests } = await open();
    const file = `${temporaryFolder({ token: `${CANARY}\n` })}/token`;
    chmodSync(file, 0o600);
    const { stdout } = await runModreg([...RESOLVE, address], { MODREG_TOKEN_FILE: file });
    expect([stdout, requests]).toEqual(['1.2.3\n', [`${PATH} Bearer ${CANARY}`]]);
  });

  it('[T65] is refused if others can read it, and no registry is contacted', async () => {
    const { address, requests } = await open();
    const file = `${temporaryFolder({ token: CANARY })}/token`;
    chmodSync(file, 0o640);
    const { stderr, exit } = await runModreg([...RESOLVE, address], { MODREG_TOKEN_FILE: file });
    expect([stderr, exit, requests]).toEqual([
      `error[PERMISSIONS]: the token file "${file}" has mode 0640, and others can read it\nhint: chmod 600 ${file} restricts it to its owner\n`,
      1,
      [],
    ]);
  });

  it('is refused if it is too long', async () => {
    const file = `${temporaryFolder({ token: 'x'.repeat(8193) })}/token`;
    chmodSync(file, 0o600);
    const { stderr, exit } = await runModreg([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: file,
    });
    expect([stderr, exit]).toEqual([
      `error[USAGE]: the token file "${file}" has more than 8192 bytes\n`,
      2,
    ]);
  });

  it('is reported as unreadable if its name is too long', async () => {
    const { stderr, exit } = await runModreg([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: `/${'x'.repeat(300)}`,
    });
    expect([stderr.slice(0, 40), exit]).toEqual(['error[UNREADABLE_FILE]: the file "/xxxxx', 2]);
  });

  it('is reported as unreadable if it is missing', async () => {
    const { stderr, exit } = await runModreg([...RESOLVE, 'https://registry.invalid'], {
      MODREG_TOKEN_FILE: '/nowhere/token',
    });
    expect([stderr, exit]).toEqual([
      'error[UNREADABLE_FILE]: the file "/nowhere/token" cannot be read (ENOENT)\n',
      2,
    ]);
  });
});

it('refuses a MODREG_TOKEN that is not a token, and does not show it', async () => {
  const { stderr, exit } = await runModreg([...RESOLVE, 'https://registry.invalid'], {
    MODREG_TOKEN: `${CANARY}\nx: y`,
  });
  expect([stderr, exit]).toEqual([
    'error[USAGE]: MODREG_TOKEN does not contain a token: expected printable ASCII without spaces\n',
    2,
  ]);
});

describe('[T64] when the registry refuses the request', () => {
  it('does not show the token', async () => {
    const { address } = await closed();
    const { stdout, stderr, exit } = await runModreg([...RESOLVE, address], {
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
    const { stderr } = await runModreg([...RESOLVE, address]);
    expect(stderr).toBe(
      `error[REGISTRY_REFUSED]: the registry ${address} denies access without a token (401)\nhint: set MODREG_TOKEN to a token, or MODREG_TOKEN_FILE to the path of a file with a token\n`,
    );
  });

  it.each([
    ['https://registry.example/v1', 'https://registry.example'],
    ['https://registry.example ', 'the registry that MODREG_REGISTRY names'],
    ['htps://registry.example', 'the registry that MODREG_REGISTRY names'],
    ['./folder', 'the registry that MODREG_REGISTRY names'],
  ])('does not send a token for another registry, %o', async (MODREG_REGISTRY, owner) => {
    const { address, requests } = await closed();
    const { stderr } = await runModreg([...RESOLVE, address], {
      MODREG_TOKEN: CANARY,
      MODREG_REGISTRY,
    });
    expect([stderr, requests]).toEqual([
      `error[REGISTRY_REFUSED]: the registry ${address} denies access without a token (401)\nhint: the token is for ${owner} only, so it was not sent\n`,
      [PATH],
    ]);
  });
});

it('[T41] does not follow a redirect to another origin', async () => {
  const elsewhere = await open();
  const { address, requests } = await plainServer((response) => {
    response.writeHead(302, { location: `${elsewhere.address}${PATH}` }).end();
  });
  const { stderr, exit } = await runModreg([...RESOLVE, address], { MODREG_TOKEN: CANARY });
  expect([stderr, exit, requests, elsewhere.requests]).toEqual([
    `error[BAD_REDIRECT]: the registry ${address} redirects to ${elsewhere.address}, which is another origin\nhint: use the final address of the registry, without redirects\n`,
    4,
    [`${PATH} Bearer ${CANARY}`],
    [],
  ]);
});

describe('the address of a registry', () => {
  it.each([
    [
      'http://10.1.2.3:8080',
      'a response from the registry at http://10.1.2.3:8080 could be changed in transit\nhint: use https:, or list 10.1.2.3:8080 under allow_http in the update policy',
    ],
    [
      'https://registry.example/?token=x',
      'the address of the registry at https://registry.example has a query or a fragment\nhint: remove everything after the path',
    ],
  ])('is refused: %s', async (address, message) => {
    const { stderr, exit } = await runModreg([...RESOLVE, address]);
    expect([stderr, exit]).toEqual([`error[BAD_ADDRESS]: ${message}\n`, 2]);
  });

  it('comes from the policy, and so does allow_http', async () => {
    const folder = temporaryFolder({
      'policy.json': '{"registry": "http://10.1.2.3:8080", "allow_http": ["10.1.2.3"]}',
      'bad.json': '{"allow_http": 7, "max_index_age": "soon"}',
    });
    const args = ['resolve', 'acme:lidar', '1.*', '--offline', '--policy'];
    const { stderr, exit } = await runModreg([...args, `${folder}/policy.json`]);
    expect([stderr, exit]).toEqual([
      'error[REGISTRY_UNREACHABLE]: offline: the registry http://10.1.2.3:8080 was not contacted, and no list of acme:lidar is saved\n',
      4,
    ]);
    const local = temporaryFolder({
      'policy.json': '{"registry": "lists"}',
      'lists/acme/lidar.json': '{"releases": [{"version": "1.5.0"}]}',
    });
    const listed = await runModreg([...args, `${local}/policy.json`]);
    expect([listed.stdout, listed.exit]).toEqual(['1.5.0\n', 0]);
    const bad = await runModreg([...args, `${folder}/bad.json`]);
    expect([bad.stderr, bad.exit]).toEqual([
      `error[BAD_VALUE]: the policy ${folder}/bad.json has 2 errors\n  because 1:16 BAD_TYPE /allow_http: found a number, expected a list of hosts\n  1:36 BAD_VALUE /max_index_age: "soon" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m\nhint: modreg check ${folder}/bad.json --as policy shows them all\n`,
      1,
    ]);
  });
});

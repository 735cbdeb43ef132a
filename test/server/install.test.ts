import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { INSTALL_SCRIPT, INSTALL_SCRIPT_SHA256 } from '../../src/server/routes/install-script.ts';
import { temporaryFolder } from '../support/folder.ts';
import { hosting, sha256Of } from './support/hosting.ts';
import { testRegistry } from './support/registry.ts';
import { tokenFor } from '../support/token.ts';

const AGENT = '/v1/modules/platform/agent';

/** A registry of agents. A file is named by its content. */
async function agents(): Promise<{
  readonly publish: (version: string, files: Readonly<Record<string, string>>) => Promise<void>;
  readonly yank: (version: string) => Promise<void>;
  readonly ask: (platform: string) => Promise<unknown[]>;
}> {
  const registry = await hosting();
  const token = tokenFor(registry.catalogue, ['publish', 'yank'], 'agents');
  const change = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, body: JSON.stringify(body) };
    expect((await registry.ask(`${AGENT}/releases${path}`, init)).status).toBeLessThan(300);
  };
  return {
    publish: async (version, files) => {
      const artifacts = Object.entries(files).map(([platform, content]) => {
        const sha256 = sha256Of(Buffer.from(content));
        const isElsewhere = platform === ELSEWHERE;
        const url = isElsewhere ? 'https://files.example/x' : `../../artifacts/sha256/${sha256}`;
        const digest = `sha256:${sha256}`;
        return {
          platform: isElsewhere ? 'linux/amd64' : platform,
          url,
          digest,
          size: content.length,
        };
      });
      for (const content of Object.values(files)) {
        const bytes = Buffer.from(content);
        await registry.put(`${AGENT}/artifacts/sha256/${sha256Of(bytes)}`, bytes, token);
      }
      await change('POST', '', { version, artifacts });
    },
    yank: async (version) => await change('PUT', `/${version}/yank`, {}),
    ask: async (platform) => {
      const { status, headers, text } = await registry.ask(`/install/${platform}`);
      return [status, headers.get('content-type'), text];
    },
  };
}

/** Stands for linux/amd64, with a file that another server has. */
const ELSEWHERE = 'elsewhere';

function newest(version: string, content: string): unknown[] {
  return [200, 'text/plain', `${version} ${sha256Of(Buffer.from(content))}\n`];
}

describe('GET /install/{os}/{cpu}', () => {
  it('is the newest release with a hosted file for the platform, in a form that a shell can read', async () => {
    const { publish, yank, ask } = await agents();
    await publish('0.2.0', { 'linux/amd64': 'one', 'linux/arm64': 'two' });
    await publish('0.3.0', { 'linux/amd64': 'three' });
    await publish('0.4.0-rc.1', { 'linux/amd64': 'four' });
    expect(await ask('linux/amd64')).toEqual(newest('0.3.0', 'three'));
    expect(await ask('linux/aarch64')).toEqual(newest('0.2.0', 'two'));
    await yank('0.3.0');
    expect(await ask('linux/x86_64')).toEqual(newest('0.2.0', 'one'));
    await publish('1.0.0', { [ELSEWHERE]: 'five' });
    expect((await ask('linux/amd64'))[0]).toBe(404);
  });

  it.each([
    [
      '/install/linux/amd64',
      404,
      'no release of platform:agent has a file for linux/amd64 that this registry hosts',
    ],
    ['/install/linux/riscv64', 400, '"linux/riscv64" is not a platform'],
    ['/install/linux', 404, 'GET /v1/openapi.json lists the addresses'],
  ])('%s: %i without a release', async (path, status, detail) => {
    const answer = await testRegistry().ask('GET', path);
    expect(answer.status).toBe(status);
    expect(Object(answer.json).detail).toContain(detail);
  });
});

/** Runs the script with programs that describe another machine. It ends before it changes anything. */
function ran(
  args: readonly string[],
  { system = 'Linux', cpu = 'x86_64', uid = '1000', environment = {} } = {},
): string {
  const uname = `#!/bin/sh\n[ "$1" = -s ] && echo ${system} || echo ${cpu}\n`;
  const folder = temporaryFolder({ uname, id: `#!/bin/sh\necho ${uid}\n` });
  for (const name of ['uname', 'id']) chmodSync(`${folder}/${name}`, 0o755);
  const { stdout, stderr } = spawnSync('sh', ['-s', '--', ...args], {
    encoding: 'utf8',
    input: INSTALL_SCRIPT,
    env: { PATH: `${folder}:${process.env['PATH']}`, ...environment },
  });
  return `${stdout}${stderr}`.trim();
}

describe('GET /install.sh', () => {
  it('serves a script whose digest registry serve prints', async () => {
    const { text } = await testRegistry().ask('GET', '/install.sh');
    expect(text).toBe(INSTALL_SCRIPT);
    expect(createHash('sha256').update(text).digest('hex')).toBe(INSTALL_SCRIPT_SHA256);
  });

  const REGISTRY = 'https://registry.example';
  const NAME =
    'install.sh: name the registry: sh install.sh https://registry.example, or MODREG_REGISTRY';

  it.each<[string, readonly string[], Parameters<typeof ran>[1], string]>([
    ['no registry', [], {}, NAME],
    ['a folder as registry', ['/srv/registry'], {}, NAME],
    [
      'a registry without TLS',
      ['http://127.0.0.1.example'],
      {},
      'install.sh: the registry http://127.0.0.1.example has no TLS, so the agent could be replaced on the way; expected https://',
    ],
    [
      'another system',
      [REGISTRY],
      { system: 'Darwin' },
      'install.sh: this is Darwin, and the agent needs Linux',
    ],
    [
      'another CPU',
      [`${REGISTRY}/`],
      { cpu: 'riscv64' },
      'install.sh: the CPU is riscv64, and the agent needs x86_64 or aarch64',
    ],
    [
      'another user, with the registry in the environment',
      [],
      { cpu: 'aarch64', environment: { MODREG_REGISTRY: 'http://localhost:4870' } },
      'install.sh: run it as root, for example with sudo',
    ],
    [
      'a registry whose address has a host after loopback',
      ['http://127.0.0.1:80@evil.example'],
      {},
      'install.sh: the address http://127.0.0.1:80@evil.example has user info or a character that no registry needs; expected https://host:port/path',
    ],
  ])('refuses %s', (_what, args, machine, message) => {
    expect(ran(args, machine)).toBe(message);
  });

  const WITHOUT_TLS = 'has no TLS, so the agent could be replaced on the way; expected https://';
  const CHARACTER =
    'has user info or a character that no registry needs; expected https://host:port/path';
  it.each([
    ['http://127.0.0.1', ''],
    ['http://127.0.0.1:4870', ''],
    ['http://localhost:4870/', ''],
    ['http://localhost:4870/registry', ''],
    ['https://[2001:db8::1]:4870/a_b-c~d%20', ''],
    ['http://localhost@evil.example', CHARACTER],
    ['http://127.0.0.1:80@evil.example', CHARACTER],
    ['https://127.0.0.1:80@evil.example', CHARACTER],
    ['http://127.0.0.1:80\\@evil.example', CHARACTER],
    ['http://127.0.0.1:80#@evil.example', CHARACTER],
    ['http://127.0.0.1:80?@evil.example', CHARACTER],
    ['http://127.0.0.1 .evil.example', CHARACTER],
    ['http://127.0.0.{1,2}', CHARACTER],
    ['http://127.0.0.1.evil.example', WITHOUT_TLS],
    ['http://127.0.0.1:80.evil.example', WITHOUT_TLS],
    ['http://127.0.0.1:', WITHOUT_TLS],
    ['http://localhost.evil.example', WITHOUT_TLS],
    ['http://evil.example/http://127.0.0.1', WITHOUT_TLS],
    ['http://LOCALHOST', WITHOUT_TLS],
  ])('[T286] takes no other host for this machine: %s', (address, problem) => {
    const expected =
      problem === CHARACTER
        ? `the address ${address} ${problem}`
        : `the registry ${address} ${problem}`;
    expect(ran([address])).toBe(
      `install.sh: ${problem === '' ? 'run it as root, for example with sudo' : expected}`,
    );
  });

  it('does nothing if it was cut short', () => {
    const cut = INSTALL_SCRIPT.slice(0, INSTALL_SCRIPT.lastIndexOf('main'));
    const { stdout, stderr, status } = spawnSync('sh', ['-s'], { encoding: 'utf8', input: cut });
    expect([stdout, stderr, status]).toEqual(['', '', 0]);
  });
});

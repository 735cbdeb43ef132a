import { chmodSync, chownSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { machineCredentials } from '../../src/host/credentials.ts';
import { agentRunCommand } from '../../src/cli/agent/run-command.ts';
import { formatProblem } from '../../src/base/problem.ts';
import type { World } from '../../src/base/world.ts';
import { temporaryFolder } from '../support/folder.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const CANARY = 'canary-7c0ffee';
const KEYS = { api_key_id: 't1', api_key: CANARY, part_id: 'robot-1' };

function world(environment: World['environment']): World {
  return { ...quietWorld('linux/x64'), environment };
}

/** A credentials file of mode 0600. */
function fileOf(content: unknown): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const file = `${temporaryFolder({ 'credentials.json': text })}/credentials.json`;
  chmodSync(file, 0o600);
  return file;
}

/** The credentials in words, or the lines of the problem. */
function read(environment: World['environment']): unknown {
  const found = machineCredentials(world(environment));
  if (!found.ok) return formatProblem(found.error);
  return found.value && { ...found.value, key: found.value.key.reveal() };
}

describe('the credentials of a machine', () => {
  it('are those of the environment, else those of the file', () => {
    const registry = 'https://registry.example:8443/robots';
    const MODREG_CREDENTIALS_FILE = fileOf({ ...KEYS, registry });
    expect(read({ MODREG_CREDENTIALS_FILE })).toEqual({
      key: CANARY,
      keyId: 't1',
      partId: 'robot-1',
      origin: 'https://registry.example:8443',
    });
    const own = { PLATFORM_API_KEY: 'other', PLATFORM_API_KEY_ID: 't2', PLATFORM_PART_ID: '' };
    expect(read({ MODREG_CREDENTIALS_FILE, ...own })).toEqual({
      key: 'other',
      keyId: 't2',
      partId: undefined,
      origin: undefined,
    });
    expect(read({ MODREG_CREDENTIALS_FILE: '/nonexistent' })).toBeUndefined();
  });

  it.each([
    ['no JSON', `{"api_key": "${CANARY}"`, 'is not a JSON object of at most 65536 bytes'],
    ['a list', [CANARY], ': api_key is missing or wrong, expected a token'],
    ['too much', ' '.repeat(65_537), 'is not a JSON object of at most 65536 bytes'],
    ['a key with a space', { ...KEYS, api_key: `${CANARY} x` }, ': api_key is missing or wrong'],
    ['no id', { ...KEYS, api_key_id: undefined }, ': api_key_id is missing or wrong'],
    ['a path as id of the machine', { ...KEYS, part_id: `../${CANARY}` }, ': part_id is missing'],
    [
      'a folder as registry',
      { ...KEYS, registry: `./${CANARY}` },
      ': registry is missing or wrong',
    ],
  ])('with %s are refused, and nothing of them is shown', (_what, content, message) => {
    const file = fileOf(content);
    const lines = read({ MODREG_CREDENTIALS_FILE: file }) as string[];
    expect(lines[0]).toMatch(`error[BAD_VALUE]: the credentials file "${file}"`);
    expect(lines[0]).toContain(message);
    expect(lines.join()).not.toContain(CANARY);
  });

  it('are refused if others can read the file, or if it is of another user', () => {
    const file = fileOf(KEYS);
    chmodSync(file, 0o640);
    expect(read({ MODREG_CREDENTIALS_FILE: file })).toEqual([
      `error[PERMISSIONS]: the credentials file "${file}" has mode 0640, and others can read it`,
      `hint: chmod 600 ${file} restricts it to its owner; others may have read the key: revoke it, and create another one`,
    ]);
    if (process.getuid?.() !== 0) return;
    const foreign = fileOf(KEYS);
    chownSync(foreign, 65_534, 65_534);
    expect(read({ MODREG_CREDENTIALS_FILE: foreign })).toEqual([
      `error[PERMISSIONS]: the credentials file "${foreign}" belongs to user 65534, expected root`,
      `hint: chown root ${foreign} gives it to root`,
    ]);
  });
});

/** Runs an agent for one round. Returns what it sent and said. */
async function ran(
  environment: (registry: string) => World['environment'],
  credentials?: (registry: string) => object,
): Promise<{ readonly requests: readonly string[]; readonly lines: string[] }> {
  const { promise: ended, resolve: end } = Promise.withResolvers<'SIGTERM'>();
  const server = await plainServer((response, { url = '' }) => {
    send(response, listOf([], 1));
    if (url.includes('/lidar')) end('SIGTERM');
  });
  const RUN_AS = process.getuid?.() === 0 ? 'root' : undefined;
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
    'policy.json': JSON.stringify({ registry: server.address, run_as: RUN_AS }),
    'credentials.json': JSON.stringify(credentials?.(server.address) ?? {}),
  });
  chmodSync(`${folder}/credentials.json`, 0o600);
  const file = credentials && { MODREG_CREDENTIALS_FILE: `${folder}/credentials.json` };
  const lines: string[] = [];
  const outcome = await agentRunCommand(
    `${folder}/machine.json`,
    { interval: '5s' },
    {
      ...world({
        PLATFORM_HOME: folder,
        PATH: process.env['PATH'],
        ...file,
        ...environment(server.address),
      }),
      clock: Date.now,
      log: (_, line) => void lines.push(line),
      untilSignal: async () => await ended,
    },
  );
  lines.push(...outcome.problems.flatMap(formatProblem));
  return { requests: server.requests.filter((one) => one.includes('/lidar')), lines };
}

describe('modreg agent run', () => {
  it('sends the key of the file to the registry that the file names, and to no other', async () => {
    const named = await ran(
      () => ({}),
      (registry) => ({ ...KEYS, registry }),
    );
    expect(named.requests[0]).toBe(`/v1/modules/acme/lidar Bearer ${CANARY}`);
    const other = await ran(
      () => ({}),
      () => ({ ...KEYS, registry: 'https://registry.example' }),
    );
    expect(other.requests[0]).toBe('/v1/modules/acme/lidar');
    expect([...named.lines, ...other.lines].join('\n')).not.toContain(CANARY);
  });

  it('sends the key of the environment to the registry that the environment names, and keeps it from programs that it starts', async () => {
    process.env['PLATFORM_API_KEY'] = CANARY;
    const { requests, lines } = await ran((registry) => ({
      MODREG_REGISTRY: registry,
      PLATFORM_API_KEY: CANARY,
      PLATFORM_API_KEY_ID: 't1',
    }));
    expect(requests[0]).toBe(`/v1/modules/acme/lidar Bearer ${CANARY}`);
    expect(process.env['PLATFORM_API_KEY']).toBeUndefined();
    expect(lines.join('\n')).not.toContain(CANARY);
  });

  it('does not start with credentials that cannot be used', async () => {
    const { requests, lines } = await ran(
      () => ({}),
      () => ({ ...KEYS, api_key: '' }),
    );
    expect(requests).toEqual([]);
    expect(lines[0]).toMatch(/^error\[BAD_VALUE\]: the credentials file /);
  });
});

import { INSTALL_SCRIPT_SHA256 } from '../../src/server/routes/install-script.ts';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchForDamage } from '../../src/cli/serve/damage-watch.ts';
import { damageIn } from '../../src/cli/serve/quick-check.ts';
import { logEvent, registryLog } from '../../src/cli/base/registry-log.ts';
import { serveCommand } from '../../src/cli/serve/serve-command.ts';
import type { Outcome } from '../../src/base/problem.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NOON, site, sql } from '../support/backups.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { newFile } from './support/registry-command.ts';
import { tlsFiles } from '../support/tls.ts';

type Options = Parameters<typeof serveCommand>[0];

interface Seen {
  readonly outcome: Outcome;
  readonly printed: string[];
  readonly notes: string[];
  readonly log: string[];
}

/** Adds lines to `lines`. Ports are masked. */
function masked(lines: string[]): (line: string) => void {
  return (line) => void lines.push(line.replaceAll(/(\d|\]):\d{4,5}/g, '$1:PORT'));
}

/** Serves until `signal`, which comes at once. */
async function served(
  options: Partial<Options>,
  signal: () => Promise<'SIGINT' | 'SIGTERM'> = async () => await Promise.resolve('SIGTERM'),
): Promise<Seen> {
  const [printed, notes, log]: [string[], string[], string[]] = [[], [], []];
  const world = {
    ...quietWorld('linux/x64'),
    clock: () => NOON,
    print: masked(printed),
    note: masked(notes),
    log: (_: unknown, line: string) => void log.push(line),
    untilSignal: signal,
  };
  const outcome = await serveCommand(
    { host: '127.0.0.1', port: '0', spread: '1000', ...options },
    world,
  );
  return { outcome, printed, notes, log };
}

function notesAt(address: string, file: string): string[] {
  return [
    `note: the modules are at ${address}/v1/modules, and the API description is at ${address}/v1/openapi.json`,
    `note: ${address}/install.sh installs the agent of a machine; its sha256 is ${INSTALL_SCRIPT_SHA256}`,
    `note: publish with modreg registry publish <module_id> <version>${file}; publishing over HTTP needs a token: modreg registry token create --name <name> --scope publish${file}`,
  ];
}

const PLAIN =
  'note: this is plain http:, so others on the network can read tokens; pass --tls-cert and --tls-key, or put a TLS proxy in front of it';

describe('modreg registry serve', () => {
  it('[T244] does not serve the file of a front, which could not take a change', async () => {
    const db = newFile();
    const front = new Catalogue(db, { mode: 'create' });
    front.log.begin({ sequence: 1, subject: 'modreg.fleet', id: 'a', body: '{}' }, 'shared');
    front.close();
    expect((await served({ db })).outcome).toMatchObject({
      problems: [
        {
          kind: 'usage',
          message: `"${db}" belongs to a front of a cluster: modreg fleet serve serves it`,
          hint: 'to serve its releases without a cluster: modreg registry backup, modreg registry restore, and serve the restored file',
        },
      ],
    });
  });

  it.each<[string, string, readonly string[]]>([
    ['127.0.0.1', 'http://127.0.0.1:PORT', []],
    ['localhost', 'http://127.0.0.1:PORT', []],
    ['::1', 'http://[::1]:PORT', []],
    ['0.0.0.0', 'http://0.0.0.0:PORT', [PLAIN]],
  ])('on %s prints its address, and how to use it safely', async (host, address, warning) => {
    const db = newFile();
    const { outcome, printed, notes, log } = await served({ host, db });
    expect([printed, notes]).toEqual([
      [`listening on ${address}`],
      [...notesAt(address, ` --db ${db}`), ...warning],
    ]);
    expect(log).toEqual([
      '{"schema":"modreg/registry-log@1","time":"2026-11-22T12:00:00Z","level":"info","event":"stopping","signal":"SIGTERM"}',
    ]);
    expect(outcome).toEqual({ answer: [], notes: [], problems: [], isLog: true });
  });

  it.each<[string, (port: number) => Partial<Options>, string]>([
    ['', (port) => ({ port: `${port}` }), '--port 0 selects a free port'],
    ['--metrics: ', (port) => ({ metrics: `127.0.0.1:${port}` }), 'port 0 selects a free port'],
  ])('[T227] %son a port that is in use creates no file', async (option, on, hint) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const db = `${temporaryFolder()}/new/registry.db`;
    const { outcome, notes } = await served({ ...on(port), db, create: true });
    expect([outcome.problems, notes]).toEqual([
      [
        {
          severity: 'error',
          kind: 'usage',
          message: `${option}cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)`,
          hint,
        },
      ],
      [],
    ]);
    expect(existsSync(dirname(db))).toBe(false);
    other.close();
    await once(other, 'close');
    await served({ ...on(port), db, create: true });
    expect(existsSync(db)).toBe(true);
  });

  it('with a certificate has no warning, and --json has no notes', async () => {
    const { certificate: tlsCert, key: tlsKey } = tlsFiles();
    const open = { host: '0.0.0.0', db: newFile(), tlsCert, tlsKey };
    const { notes } = await served(open);
    expect(notes).toEqual(notesAt('https://0.0.0.0:PORT', ` --db ${open.db}`));
    const json = await served({ ...open, json: true }, async () => await Promise.resolve('SIGINT'));
    expect([json.printed, json.notes, json.outcome.ending]).toEqual([
      [
        `{"schema":"modreg/registry-serve@1","address":"https://0.0.0.0:PORT","install_script_sha256":"${INSTALL_SCRIPT_SHA256}"}`,
      ],
      [],
      'interrupted',
    ]);
  });

  it('ends with the loss of its file as a problem and in the log', async () => {
    const db = newFile();
    const { outcome, log } = await served({ db }, async () => {
      rmSync(db);
      return await new Promise(() => undefined);
    });
    const message = `"${db}": the file was replaced or removed`;
    expect(outcome.problems).toEqual([{ severity: 'error', kind: 'unreadable-file', message }]);
    expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'error', event: 'stopping', error: message },
    ]);
  });

  it('logs an event in fields of a fixed order', () => {
    const lines: string[] = [];
    const log = registryLog({
      ...quietWorld('linux/x64'),
      clock: () => NOON,
      log: (stream, line, lost) => void lines.push(stream, line, lost(7)),
    });
    const path = '/v1/modules/acme/lidar/releases';
    const refused = { method: 'POST', path, status: 401, tokenId: 't1', peer: 'p' };
    logEvent(log, { kind: 'refused', reason: 'expired-token', ...refused });
    const head = '"schema":"modreg/registry-log@1","time":"2026-11-22T12:00:00Z","level":"warn"';
    expect(lines).toEqual([
      'stderr',
      `{${head},"event":"refused","reason":"expired-token","method":"POST","path":"${path}","status":401,"token":"t1","peer":"p"}`,
      `{${head},"event":"dropped","count":7}`,
    ]);
  });
});

it.each([
  ['wait', 'disk\n', ['error', 'logs-wait', { because: 'disk\\u{a}' }]],
  ['go-on', undefined, ['info', 'logs-go-on', {}]],
] as const)('[T710] the log of a registry says that logs %s', (change, because, line) => {
  const seen: unknown[] = [];
  logEvent((...one) => seen.push(...one), { kind: 'logs', change, because });
  expect(seen).toEqual(line);
});

it.each<[string, (path: string) => void, object | undefined]>([
  ['a file that is right', () => undefined, undefined],
  ['no file', (path) => rmSync(path), undefined],
  [
    'a file that is no database',
    (path) => writeFileSync(path, 'not a database, and long enough to be looked at'),
    { kind: 'damaged', message: 'PATH: file is not a database' },
  ],
])('[T82] the check of %s', async (_, change, expected) => {
  const path = newFile();
  change(path);
  const damage = await damageIn(path);
  const found = damage && { kind: damage.kind, message: damage.message };
  const message = found?.message.replace(`"${path}"`, 'PATH');
  expect(found && { ...found, message }).toEqual(expected);
});

it('[T82] the pages of a served file are checked each hour', async () => {
  const { path } = site();
  sql(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
  writeFileSync(path, readFileSync(path).fill(0xff, 4096 + 8, 4096 + 100));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ending = new AbortController();
  let isChecked = false;
  const damage = watchForDamage(path, ending.signal).then((error) => {
    isChecked = true;
    return error.kind;
  });
  await vi.advanceTimersByTimeAsync(3_599_999);
  // Long enough for a check to end.
  expect(await damageIn(path)).toMatchObject({ kind: 'damaged' });
  expect(isChecked).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await damage).toBe('damaged');
  ending.abort();
});

import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { moduleProcess, type ModuleStart, type Runnable } from '../../src/agent/module-process.ts';
import type { ModuleProcess } from '../../src/agent/supervised-module.ts';
import { DEFAULT_POLICY } from '../../src/config/index.ts';
import type { Fault } from '../../src/core/machine/activation.ts';
import { systemClock } from '../../src/registries/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { plainServer } from '../../mocks/plain-server.ts';

const RUNNABLE: Runnable = {
  path: '/bin/sleep',
  arguments: ['1000'],
  folder: '/',
  environment: {},
  runAs: undefined,
  noNewPrivs: false,
  openFiles: undefined,
  ready: { kind: 'socket' },
  readyBy: 'ready in the update policy',
  stopMs: 0,
};

/** Starts a module. `failed` resolves once that reports why it does not work. */
function started(
  changed: Partial<Runnable>,
  more: Partial<ModuleStart> = {},
): ModuleProcess & { readonly failed: Promise<Fault> } {
  const { promise, resolve } = Promise.withResolvers<Fault>();
  const runnable = { ...RUNNABLE, ...changed };
  const start: ModuleStart = {
    runnable: async () => await Promise.resolve({ ok: true, value: runnable }),
    terms: () => DEFAULT_POLICY.terms.run,
    clock: systemClock,
    home: '/nonexistent',
    mark: `test-${process.pid}/`,
    cgroups: undefined,
    onLine: () => undefined,
    onStarted: () => undefined,
    onStopped: () => undefined,
    ...more,
  };
  const reports = { ready: () => undefined, failed: resolve };
  const { stop } = moduleProcess({ version: '1.0.0', root: '/' }, start, reports);
  onTestFinished(stop);
  return { stop, failed: promise };
}

/** The folder of temporary files until the end of the test. */
function temporaryFiles(): string {
  const { TMPDIR } = process.env;
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
  const folder = temporaryFolder();
  process.env['TMPDIR'] = folder;
  return folder;
}

it.each([
  ['could not be started', '/absent', 'it cannot be started: there is no such file'],
  ['has ended', '/bin/false', 'it ended with exit code 1'],
])('nothing is left of the socket of a module that %s', async (_, path, reason) => {
  const folder = temporaryFiles();
  const { stop, failed } = started({ path });
  expect(await failed).toEqual({ blame: 'release', reason });
  await stop();
  expect(readdirSync(folder)).toEqual([]);
});

it('a module fails with its third failed probe in a row', async () => {
  const statuses = [200, 503, 503, 200, 503, 503, 503, 503];
  const server = createServer((_, response) => response.writeHead(statuses.shift() ?? 200).end());
  onTestFinished(() => void server.close());
  const free = await plainServer(() => undefined);
  free.close();
  const url = `${free.address}/health`;
  const { port } = new URL(url);
  const run = { ...DEFAULT_POLICY.terms.run, probeMs: 1 };
  const onStarted = (): void => void server.listen(Number(port), '127.0.0.1');
  const { failed } = started({ ready: { kind: 'http', url } }, { terms: () => run, onStarted });
  expect(await failed).toMatchObject({
    reason: `it failed 3 probes in a row: ${url} answered 503, expected 200 to 299 (ready in the update policy)`,
  });
  expect(statuses).toEqual([503]);
});

/** The cgroup that a process has whose own is made below `cgroups`. */
async function cgroupIn(cgroups: string | undefined): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  started({}, { cgroups, onStarted: (_, { cgroup }) => resolve(cgroup) });
  return await promise;
}

it('[T333] says which cgroup its process has, if it has one of its own', async () => {
  const cgroups = temporaryFolder();
  expect(await cgroupIn(cgroups)).toBe(`${cgroups}/test-${process.pid}`);
  expect(await cgroupIn(undefined)).toBeUndefined();
});

it.each([
  ['1 process, which is', '(setsid sleep 1000 >/dev/null 2>&1 &)'],
  ['2 processes, which are', '(sleep 1000 & sleep 1000 &) >/dev/null 2>&1'],
])('[T351] a module that goes to the background leaves %s killed', async (what, script) => {
  const { failed, stop } = started({
    path: '/bin/sh',
    arguments: ['-c', script],
    ready: { kind: 'none' },
  });
  expect(await failed).toEqual({
    blame: 'release',
    reason: `it ended with exit code 0 and left ${what} killed: a module must stay in the foreground, so start its program without going to the background`,
  });
  await stop();
});

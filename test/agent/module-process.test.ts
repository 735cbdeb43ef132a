import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { moduleProcess, type Runnable } from '../../src/agent/module-process.ts';
import { DEFAULT_POLICY } from '../../src/config/index.ts';
import type { Fault } from '../../src/core/machine/activation.ts';
import { systemClock } from '../../src/registry/index.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Removes TMPDIR from the environment after the test, or restores it. */
function temporaryHome(): string {
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
  const folder = temporaryHome();
  const runnable: Runnable = {
    path,
    arguments: [],
    folder: '/',
    environment: {},
    runAs: undefined,
    ready: { kind: 'socket' },
    readyBy: 'ready in the update policy',
    stopMs: 0,
  };
  const { promise, resolve } = Promise.withResolvers<Fault>();
  const { stop } = moduleProcess(
    { version: '1.0.0', root: '/' },
    {
      runnable: async () => await Promise.resolve({ ok: true, value: runnable }),
      terms: () => DEFAULT_POLICY.terms.run,
      clock: systemClock,
      mark: `test-${process.pid}/`,
      cgroups: undefined,
      onLine: () => undefined,
      onStarted: () => undefined,
      onStopped: () => undefined,
    },
    { ready: () => undefined, failed: resolve },
  );
  expect(await promise).toEqual({ blame: 'release', reason });
  await stop();
  expect(readdirSync(folder)).toEqual([]);
});

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { followStart } from '../../src/agent/follow-start.ts';
import { nextProgram, writeLauncher } from '../../src/agent/launcher/launcher-folder.ts';
import { AGENT_ROW, SelfUpdate } from '../../src/agent/self-update.ts';
import { DEFAULT_TERMS } from '../../src/core/machine/update-policy.ts';
import { systemClock } from '../../src/registries/index.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { moduleId } from '../support/ask.ts';
import { upgrade } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

type StartTerms = Parameters<typeof followStart>[1];

it('[D71] a release of the agent is not started by its launcher while machine.db does not name it', async () => {
  const home = temporaryFolder();
  const [first, root] = [join(home, 'first'), join(home, 'packages/platform/agent/0.3.0')];
  mkdirSync(join(root), { recursive: true });
  writeFileSync(first, '');
  writeFileSync(join(root, 'meta.json'), '{"entrypoint":"modreg"}');
  writeFileSync(join(root, 'modreg'), `#!/bin/sh\n[ "$1" = version ]\n`, { mode: 0o755 });
  writeLauncher(home, first);
  const file = openMachineFile(':memory:');
  const update = new SelfUpdate(file, home, { program: first, version: '0.2.0' });
  const delivery = {
    action: { ...upgrade({ to: '0.3.0' }), id: '7' },
    terms: DEFAULT_TERMS,
    // From now on nothing can be noted.
    mayProceed: async () => await Promise.resolve({ mayProceed: true, closed: file.close() }),
  };
  const preparation = {
    ports: { prepared: async () => ({ ok: true, value: { version: '0.3.0', root } }) },
    site: { home, machineId: 'local', platform: 'linux/x64', environment: {} },
    runId: `test-${process.pid}`,
    onLine: () => undefined,
    stopping: new AbortController().signal,
  };
  // Casts: an installation reads only these members.
  const installed = update.install(delivery as never, preparation as never);
  await expect(installed).rejects.toThrow('":memory:": it was closed');
  expect(nextProgram(home)).toBeUndefined();
});

it('[A21] from which release the launcher went back is kept until it is reported', async () => {
  const home = temporaryFolder();
  const [first, root] = [join(home, 'first'), join(home, 'packages/0.3.0')];
  const program = join(root, 'modreg');
  mkdirSync(root, { recursive: true });
  for (const path of [first, program]) writeFileSync(path, '');
  writeLauncher(home, first);
  const reason = 'it was started 3 times, and never stayed up';
  writeFileSync(join(home, 'agent/failed'), `${program}\n${reason}\n`);
  const file = openMachineFile(':memory:');
  onTestFinished(() => file.close());
  const current = { version: '0.3.0', root };
  const activation = { phase: 'stable', current, previous: undefined, settled: undefined } as const;
  noteActivation(file, AGENT_ROW, { moduleId: moduleId('platform:agent'), activation });
  const update = new SelfUpdate(file, home, { program: first, version: '0.2.0' });
  const errors: string[] = [];
  const reported: object[] = [];
  const onError = (error: unknown): void => void errors.push(String(error));
  const follow = async (report: StartTerms['report']): Promise<void> => {
    const stopping = AbortSignal.abort();
    await followStart(update, { clock: systemClock, probationMs: 1, report, onError, stopping });
  };
  await follow(async () => await Promise.reject(new Error('the disk is full')));
  expect(errors).toEqual(['Error: the disk is full']);
  await follow(async (failure) => void (await Promise.resolve(reported.push(failure))));
  expect(reported).toEqual([{ version: '0.3.0', reason, running: '0.2.0' }]);
  expect(existsSync(join(home, 'agent/failed'))).toBe(false);
});

import { mkdirSync } from 'node:fs';
import { GAVE_UP, NOT_OPENED } from './agent-task.ts';
import { settledOn, upgradeCommand, upgradeFindings } from './kill-upgrades.ts';
import { runTraced, type Ended } from './run-traced.ts';
import type { Scene } from './scene.ts';
import { MODULE } from './upgrade-releases.ts';

const STATE_FILES = ['', '-wal', '-shm', '-journal', '-poller'];
const FOLDERS = ['downloads', 'staging', 'packages', 'packages/acme', `packages/acme/${MODULE}`];

/**
 * An agent of a machine on which nothing was installed: of two releases, it installs the newer one, which works.
 */
export function upgradeScene(address: string): Scene {
  const command = (folder: string, hours: number): readonly string[] => [
    // strace counts the calls of each thread.
    'env',
    'UV_THREADPOOL_SIZE=1',
    ...upgradeCommand([`${folder}/home`, address, `${hours}`, settledOn('1.0.1')]),
  ];
  return {
    name: 'upgrade',
    prepare: async (folder) => {
      mkdirSync(`${folder}/home`);
      await Promise.resolve();
    },
    command: (folder) => command(folder, 0),
    files: (folder) => [
      `${folder}/home`,
      ...STATE_FILES.map((suffix) => `${folder}/home/machine.db${suffix}`),
      ...FOLDERS.map((name) => `${folder}/home/${name}`),
    ],
    judge: async (folder, ended) => {
      const findings = endFindings(folder, ended);
      const next = await runTraced(command(folder, 2), undefined);
      if (next.exit !== 0 || next.stderr !== '') {
        findings.push(`the next agent ended with ${next.exit ?? next.signal}: ${next.stderr}`);
      }
      return [...findings, ...upgradeFindings(`${folder}/home`)];
    },
  };
}

/** What is wrong with the way in which an agent ended: it says what failed and where, and nothing else ends it. */
function endFindings(folder: string, { exit, signal, stderr }: Ended): string[] {
  if (signal === 'SIGKILL' && stderr === '') return [];
  const lines = stderr.split('\n').slice(0, -1);
  const unnamed = lines.filter((line) => !line.includes(folder));
  const expected: readonly (number | null)[] = [0, NOT_OPENED, GAVE_UP];
  return [
    ...(unnamed.length > 0 ? [`the agent says: ${stderr}`] : []),
    ...(expected.includes(exit) ? [] : [`the agent ended with ${exit ?? signal}: ${stderr}`]),
  ];
}

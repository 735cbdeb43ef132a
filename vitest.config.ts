import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { SLOWNESS } from './test/support/slowness.ts';

/** The slowest property takes 50 ms a case on a busy machine. */
const FOR_CASES = 100 * Number(process.env['MODREG_RUNS'] ?? 0);

/** They take the clock, timers and `fetch` away from the whole process, in which connections of earlier files may still need them. */
const APART = ['test/simulation/sealed-globals.test.ts', 'test/simulation/attacks/attacks.test.ts'];

/** Tests that need minutes: kills at many moments, archives of gigabytes, long properties, the simulator. `npm run test:long` */
const LONG = 'test/**/*.long.test.ts';

/** Where tests write: in memory if programs can run there and it has room, because each commit of a database waits for a disk. */
function folderOfTests(): string {
  const memory = '/dev/shm';
  const [, , , options = ''] =
    readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, place]) => place === memory) ?? [];
  const { bavail, bsize } = statfsSync(options === '' ? '/' : memory);
  const isUsable = options !== '' && !/noexec|nosuid/.test(options) && bavail * bsize > 2 ** 31;
  return isUsable ? memory : tmpdir();
}

const config: ViteUserConfig = defineConfig({
  test: {
    // Some tests wait for processes and sockets, so a core has more than one. Each worker loads and compiles the sources.
    maxWorkers: 2 * availableParallelism(),
    env: { TMPDIR: folderOfTests(), MODREG_SLOWNESS: String(SLOWNESS) },
    // Not on a terminal, only failures are worth their lines, once and at the end.
    reporters: [process.stdout.isTTY ? 'default' : 'minimal'],
    // A busy machine is no failure, and what hangs fails within a minute on an idle one.
    testTimeout: SLOWNESS * (60_000 + FOR_CASES),
    hookTimeout: SLOWNESS * 60_000,
    expect: { poll: { timeout: SLOWNESS * 30_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: APART, exclude: [...configDefaults.exclude, LONG] },
      },
      // Their work, not a wait, takes this long on a busy machine.
      {
        extends: true,
        test: { name: 'long', include: [LONG], testTimeout: SLOWNESS * (300_000 + FOR_CASES) },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          // They start NATS nodes: `npm run test:cluster`.
          exclude: [...configDefaults.exclude, ...APART, LONG, 'test/cluster/nodes/**'],
          // A process loads the same modules once for all its files. Each file leaves the process as it found it.
          isolate: false,
          setupFiles: ['test/support/left-as-found.ts'],
        },
      },
    ],
  },
});

export default config;

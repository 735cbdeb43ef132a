import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The slowest property takes 50 ms a case on a busy machine. */
const FOR_CASES = 100 * Number(process.env['MODREG_RUNS'] ?? 0);

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Many tests wait for processes and sockets: three workers share two cores well.
    maxWorkers: 3,
    // A busy machine is no failure, and what hangs fails within a minute.
    testTimeout: 60_000 + FOR_CASES,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});

export default config;

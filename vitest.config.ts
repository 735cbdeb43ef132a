import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Many tests wait for processes and sockets: two workers share two cores well.
    maxWorkers: 2,
    // A busy machine is no failure.
    testTimeout: 20_000,
  },
});

export default config;

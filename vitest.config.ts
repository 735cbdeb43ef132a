import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Many tests wait for processes and sockets: three workers share two cores well.
    maxWorkers: 3,
    // A busy machine is no failure.
    testTimeout: 20_000,
  },
});

export default config;

import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Benchmarks time the built files, as a user runs them.
    server: { deps: { external: [/\/dist\//] } },
    benchmark: { include: ['benchmarks/**/*.bench.ts'] },
  },
});

export default config;

import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { SLOWNESS } from '../../support/slowness.ts';
import { programs } from './programs.ts';

/** Without the programs, nothing is tested; with MODREG_REQUIRE_NATS=1, that is a failure. */
function filesToRun(): string[] {
  const found = programs();
  if (typeof found !== 'string') return ['test/cluster/nodes/*.test.ts'];
  if (process.env['MODREG_REQUIRE_NATS'] === '1') throw new Error(found);
  process.stderr.write(`skipped: ${found}\n`);
  return [];
}

const config: ViteUserConfig = defineConfig({
  test: {
    include: filesToRun(),
    passWithNoTests: true,
    // Each file has nodes that sync each message.
    maxWorkers: 1,
    env: { MODREG_SLOWNESS: String(SLOWNESS) },
    testTimeout: 120_000 * SLOWNESS,
    hookTimeout: 120_000 * SLOWNESS,
    expect: { poll: { timeout: 60_000 * SLOWNESS } },
  },
});

export default config;

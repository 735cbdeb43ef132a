import type { TestContext } from 'vitest';

/**
 * Skips the test, with `missing` as the reason, if this machine does not have what it needs.
 * With MODREG_REQUIRE_SERVICES=1, as `.ci/run` sets it, the test fails instead.
 */
export function needs({ skip }: TestContext, isThere: boolean, missing: string): void {
  if (isThere) return;
  if (process.env['MODREG_REQUIRE_SERVICES'] === '1') throw new Error(missing);
  skip(missing);
}

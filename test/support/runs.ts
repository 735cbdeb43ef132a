/** The number of cases of each property: `MODREG_RUNS`, 10,000 by default. */
export const RUNS: { readonly numRuns: number } = {
  numRuns: Number(process.env['MODREG_RUNS'] ?? 10_000),
};

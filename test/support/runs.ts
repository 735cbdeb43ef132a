/** Cases of each property; `MODREG_RUNS` asks for more. */
export const RUNS: { readonly numRuns: number } = {
  numRuns: Number(process.env['MODREG_RUNS'] ?? 10_000),
};

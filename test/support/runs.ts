/** The number of cases of a property: `MODREG_RUNS`, or `usual`. */
export function cases(usual: number): { readonly numRuns: number } {
  return { numRuns: Number(process.env['MODREG_RUNS'] ?? usual) };
}

export const RUNS: { readonly numRuns: number } = cases(10_000);

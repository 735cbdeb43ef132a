/** The number of cases of a property: `MODREG_RUNS`, or `usual`. */
export function cases(usual: number): { readonly numRuns: number } {
  return { numRuns: Number(process.env['MODREG_RUNS'] ?? usual) };
}

/** Planted bugs are looked for with twice as many (tools/plants), and CI has 2,000 to 10,000. */
export const RUNS: { readonly numRuns: number } = cases(500);

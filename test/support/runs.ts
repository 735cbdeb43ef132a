/** The number of cases of a property: `MODREG_RUNS`, or `usual`. */
export function cases(usual: number): { readonly numRuns: number } {
  return { numRuns: Number(process.env['MODREG_RUNS'] ?? usual) };
}

/** Twice as many as find every planted bug (tools/plants); CI runs 10,000. */
export const RUNS: { readonly numRuns: number } = cases(2000);

/** Runs a step of a test, and prints its seconds. */
export async function step(name: string, work: () => unknown): Promise<void> {
  const start = performance.now();
  await work();
  console.log(`${seconds(start).padStart(6)} s  ${name}`);
}

/** The seconds since `start`, a time of `performance.now()`. */
export function seconds(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

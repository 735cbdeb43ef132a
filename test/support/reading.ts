import type { DocumentResult } from '../../src/config/index.ts';

/** What was read; a test that hands over a bad document fails. */
export function value<T>(reading: DocumentResult<T>): T {
  if (reading.ok) return reading.value;
  throw new Error(reading.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}

import type { DocumentResult } from '../../src/config/index.ts';

/** The value of a document; throws if the document has errors. */
export function value<T>(reading: DocumentResult<T>): T {
  if (reading.ok) return reading.value;
  throw new Error(reading.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}

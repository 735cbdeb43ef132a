import { problem } from '../problem.ts';

/** Which revision a person edited, and what another person saved meanwhile. */
interface Stale {
  readonly known: number;
  readonly newest: number;
  /** What changed since, as lines of a difference. */
  readonly changes: readonly string[];
}

/** The refusal of an edit of another revision than the newest (D265, D439). */
export function staleConfig({ known, newest, changes }: Stale): Response {
  const detail = `this is based on revision ${known}, and the newest is ${newest}: nothing was saved`;
  return problem('stale-config', detail, { members: { newest, changes } });
}

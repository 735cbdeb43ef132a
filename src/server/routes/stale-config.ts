import { MOVED_FRAGMENT } from '../configs/compiled-documents.ts';
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

/** The refusal of documents that were compiled with a revision of a fragment that is the newest no longer (D451). */
export function movedFragment(newest: number): Response {
  const detail = `${MOVED_FRAGMENT}: nothing was saved; try again`;
  return problem('stale-config', detail, { members: { newest } });
}

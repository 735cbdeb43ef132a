import { excerpt } from '../core/text/quote.ts';
import type { CommandList } from '../registry/command-documents.ts';

/** What became of a command: `waits until …`, `done: …`, `refused: …`. */
export function outcomeOfCommand({
  state,
  detail,
  expires_at: end,
}: CommandList['commands'][number]): string {
  if (detail !== null) return `${state}: ${excerpt(detail, 1000)}`;
  return state === 'waiting'
    ? `waits until ${excerpt(end)}`
    : `${state}: the machine did not ask before ${excerpt(end)}`;
}

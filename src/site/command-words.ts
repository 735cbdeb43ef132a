import { excerpt } from '../core/text/quote.ts';
import type { CommandList } from '../registry/command-documents.ts';

type Command = CommandList['commands'][number];

/** What became of a command, and what else there is to say of that. */
export function partsOfOutcome({ state, detail, expires_at: end }: Command): {
  readonly state: 'waits' | Exclude<Command['state'], 'waiting'>;
  readonly more: string;
} {
  if (detail !== null) {
    return { state: state === 'waiting' ? 'waits' : state, more: excerpt(detail, 1000) };
  }
  if (state === 'waiting') return { state: 'waits', more: `until ${excerpt(end)}` };
  return { state, more: `the machine did not ask before ${excerpt(end)}` };
}

/** The keys of operators that signed a command, which the registry has checked (D396): `, signed by …`; empty if none did. */
export function signersOf({ signed }: Pick<Command, 'signed'>): string {
  return signed ? `, signed by ${keysIn(Object.keys(signed.signatures))}` : '';
}

/** The ids of keys in words. */
export function keysIn(keyIds: readonly string[]): string {
  return keyIds.map((id) => excerpt(id)).join(' and ');
}

/** What became of a command, in a line: `waits until …`, `done: …`, `refused: …`. */
export function outcomeOfCommand(command: Command): string {
  const { state, more } = partsOfOutcome(command);
  return state === 'waits' ? `${state} ${more}` : `${state}: ${more}`;
}

import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { recordUse } from './token-table.ts';
import type { StoredToken } from './token.ts';

/** How often the use of a token is recorded. */
const USE_EVERY_MS = 60_000;

/** Records that a request used a token, once a minute. Never throws because the file cannot be written. */
export function tokenUses(sql: Statements): (token: StoredToken, now: number) => void {
  /** When the use of each token was last recorded, or could not be. */
  const uses = new Map<string, number>();
  return (token, now) => {
    const recorded = uses.get(token.id) ?? token.lastUsedAt;
    if (recorded !== undefined && Math.abs(now - recorded) < USE_EVERY_MS) return;
    uses.set(token.id, now);
    try {
      recordUse(sql, token, now);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
    }
  };
}

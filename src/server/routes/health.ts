import type { Hono } from 'hono';
import { type DatabaseErrorKind, DatabaseError } from '../../sqlite/database-error.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import { HEALTH } from './module-route.ts';
import { problem } from '../problem.ts';
import type { RegistryOptions, Replica } from '../registry-options.ts';

/** How long a result is used, so that requests cannot make the registry look more often. */
const KEPT_MS = 1000;

/** Without the path, which is for the log. */
const DETAILS: Readonly<Record<DatabaseErrorKind, string>> = {
  missing: 'the registry file was replaced or removed',
  damaged: 'the registry file is damaged',
  unreadable: 'the registry file cannot be read',
  'later-schema': 'a later modreg has changed the registry file',
  locked: 'another process has locked the registry file',
  unwritable: 'the registry file cannot be written: the disk is full or read-only',
};

/** Why the registry cannot read or write its file; undefined if it can. Looks at most once a second. */
export type Health = () => DatabaseError | undefined;

export function healthOf(
  catalogue: Catalogue,
  { clock, log }: Pick<RegistryOptions, 'clock' | 'log'>,
): Health {
  let trouble: DatabaseError | undefined;
  let lookedAt: number | undefined;
  return () => {
    const now = clock.monotonic();
    if (lookedAt !== undefined && now - lookedAt < KEPT_MS) return trouble;
    const before = trouble?.kind;
    trouble = troubleOf(catalogue);
    // Later than `now`, if another process had locked the file.
    lookedAt = clock.monotonic();
    if (trouble && trouble.kind !== before) log?.({ kind: 'failed', error: trouble });
    return trouble;
  };
}

/** Adds the route for a load balancer or a service manager. It needs no token. */
export function addHealthRoute(app: Hono, health: Health, replica: Replica | undefined): void {
  app.get(HEALTH, (c) => {
    const trouble = health();
    const detail = trouble ? DETAILS[trouble.kind] : replica?.trouble();
    const headers = { 'cache-control': 'no-store' };
    if (detail === undefined) return c.json({ status: 'ok' }, 200, headers);
    const retryAfter = `${SERVER_LIMITS.retryAfter / 1000}`;
    const options = { headers: { ...headers, 'retry-after': retryAfter } };
    return problem('unhealthy', detail, options);
  });
}

function troubleOf(catalogue: Catalogue): DatabaseError | undefined {
  try {
    catalogue.sequence();
    catalogue.expectWritable();
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError) return error;
    throw error;
  }
}

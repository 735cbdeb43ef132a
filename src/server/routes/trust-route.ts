import type { Context, Hono } from 'hono';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { readNewTrust } from '../catalogue/published-trust.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import { problem } from '../problem.ts';
import { TRUST_SCOPE } from '../tokens/scope.ts';
import { tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { TRUST } from './module-route.ts';
import type { AppOptions } from './read-routes.ts';

/** Adds the route that stores the next version of the trust document (D164). */
export function addTrustRoute(
  app: Hono,
  catalogue: Catalogue,
  { write, ...options }: Pick<AppOptions, 'clock' | 'log'> & { readonly write: WriteChange },
): void {
  const audit = { catalogue, ...options };
  app.put(
    TRUST,
    answeringToken(tokenOf, audit, async (c, caller) => await trustAnswer(c, caller, write)),
  );
}

async function trustAnswer(
  c: Context,
  { token, changed }: Caller,
  write: WriteChange,
): Promise<Answer> {
  if (!token.scopes.includes(TRUST_SCOPE)) {
    return { kind: 'missing-scope', token, scope: TRUST_SCOPE };
  }
  const document = await jsonBody(c, readNewTrust);
  if (!document.ok) return document.error;
  const read = readTrustDocument(document.value);
  const stored = read.ok && (await write({ kind: 'trust', document: document.value }));
  if (!stored || !stored.ok) {
    const found = stored ? stored.error : `cannot be read: ${read.ok ? '' : read.error}`;
    const fault = `/document: the trust document ${found}`;
    return problem('bad-release', fault, { errors: [fault] });
  }
  const { version } = read.value;
  if (stored.value === 'done') changed({ kind: 'trust-stored', version });
  return c.json({ version, result: stored.value });
}

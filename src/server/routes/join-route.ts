import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { Result } from '../../core/index.ts';
import { joining } from '../../registry/fleet-documents.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { describe } from '../catalogue/schema-errors.ts';
import { problem } from '../problem.ts';
import { acceptInvitation } from '../tokens/invitation.ts';
import { joinScope } from '../tokens/scope.ts';
import { tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { JOIN } from './module-route.ts';
import type { AppOptions } from './read-routes.ts';

/** Adds the route with which a machine exchanges a code for its token (D194). */
export function addJoinRoute(
  app: Hono,
  catalogue: Catalogue,
  options: Pick<AppOptions, 'clock' | 'log'>,
): void {
  app.post(JOIN, answeringToken(tokenOf, { catalogue, ...options }, joinAnswer));
}

async function joinAnswer(c: Context, { catalogue, token, now, changed }: Caller): Promise<Answer> {
  const body = await jsonBody(c, readBody);
  if (!body.ok) return body.error;
  const { machine } = body.value;
  const scope = joinScope(machine);
  if (!token.scopes.includes(scope)) return { kind: 'missing-scope', token, scope };
  const joined = acceptInvitation(catalogue, token, machine, now);
  if (!joined.ok) return problem('bad-request', joined.error);
  const { tokenId, token: key, group } = joined.value;
  changed({ kind: 'machine-joined', machine });
  const credentials = { api_key_id: tokenId, api_key: key, part_id: machine, group };
  return c.json(credentials, 201, { 'cache-control': 'no-store' });
}

function readBody(json: unknown): Result<v.InferOutput<typeof joining>, readonly string[]> {
  const result = v.safeParse(joining, Array.isArray(json) ? null : json);
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, error: result.issues.map(describe) };
}

import type { Context, Hono } from 'hono';
import { quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { problem } from '../problem.ts';
import { ROLLOUT_ALL } from '../tokens/scope.ts';
import { authorOf, tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { RETIRED } from './module-route.ts';
import type { AppOptions } from './read-routes.ts';

/** Adds the route that retires a machine (D83). */
export function addRetireRoute(
  app: Hono,
  catalogue: Catalogue,
  { fleet, ...options }: Pick<AppOptions, 'clock' | 'log'> & { readonly fleet: FleetFile },
): void {
  app.put(
    RETIRED,
    answeringToken(
      tokenOf,
      { catalogue, ...options },
      async (c, caller) => await retireAnswer(c, caller, fleet),
    ),
  );
}

/** A machine has modules of any namespace, so that the scope of one does not suffice. */
async function retireAnswer(
  c: Context,
  { catalogue, token, now, changed }: Caller,
  fleet: FleetFile,
): Promise<Answer> {
  if (!token.scopes.includes(ROLLOUT_ALL)) {
    return { kind: 'missing-scope', token, scope: ROLLOUT_ALL };
  }
  const machine = c.req.param('id') ?? '';
  const by = authorOf(token);
  const retired = await fleet.retire({ machine, by });
  if (!retired) return problem('unknown-machine', `no machine has reported as ${quote(machine)}`);
  const noted = { kind: 'machine-retired', machine } as const;
  // The file of a front of a cluster changes only with the others, and a repetition is no change.
  const isNew = retired.at >= now && !catalogue.log.isOfFront();
  if (isNew) catalogue.configs.note({ ...noted, author: by, at: retired.at });
  changed(noted);
  return c.json({ id: machine, retired: { at: formatTime(retired.at), by: retired.by } });
}

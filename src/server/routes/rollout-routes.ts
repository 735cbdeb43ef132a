import type { Context, Hono } from 'hono';
import { parseVersion, type ModuleId } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type {
  NamedRollout,
  RolloutOfRelease,
  RolloutRefusal,
} from '../catalogue/catalogue-rollouts.ts';
import { startEvent } from '../catalogue/rollout-start.ts';
import type { NewRolloutEvent, StoredRollout } from '../catalogue/rollout-table.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { failuresOf } from '../fleet/rollout-machines.ts';
import { rolloutDocument, rolloutSummary } from '../rollout/rollout-document.ts';
import { readRolloutRequest, type RolloutRequest } from '../rollout/rollout-request.ts';
import { rolloutView, type RolloutView } from '../rollout/rollout-view.ts';
import { readToken, scopeRefusal, tokenOf } from '../tokens/bearer.ts';
import type { Caller } from '../tokens/caller.ts';
import { FLEET_READ } from '../tokens/scope.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { FLEET_ROLLOUTS, ROLLOUT, withModule } from './module-route.ts';
import { problem } from './problem.ts';
import type { AppOptions } from './read-routes.ts';

type Options = Pick<AppOptions, 'clock' | 'log'> & {
  readonly fleet: FleetFile;
  readonly write: WriteChange;
};

/** A release of a module in the address of a request. */
interface Named {
  readonly moduleId: ModuleId;
  readonly version: string;
}

/** Adds the routes of staged rollouts. */
export function addRolloutRoutes(app: Hono, catalogue: Catalogue, options: Options): void {
  const guards = { catalogue, ...options };
  app.post(
    ROLLOUT,
    answeringToken(tokenOf, guards, async (c, caller) =>
      withRelease(c, async (named) => await changeAnswer(c, caller, named, options)),
    ),
  );
  app.get(
    ROLLOUT,
    answeringToken(readToken, guards, async (c, caller) =>
      withRelease(c, async (named) => await readAnswer(c, caller, named, options)),
    ),
  );
  app.get(
    FLEET_ROLLOUTS,
    answeringToken(readToken, guards, (c, { token }) =>
      token.scopes.includes(FLEET_READ)
        ? c.json({ rollouts: catalogue.rollouts.all().map(rolloutSummary) })
        : { kind: 'missing-scope', token, scope: FLEET_READ },
    ),
  );
}

function withRelease<T>(c: Context, answer: (named: Named) => T): T | Response {
  return withModule(c, (moduleId) => {
    const version = parseVersion(c.req.param('version'));
    if (!version.ok) return problem('bad-request', version.error.message);
    return answer({ moduleId, version: version.value.text });
  });
}

async function readAnswer(
  c: Context,
  { catalogue, token, now }: Caller,
  named: Named,
  { fleet }: Options,
): Promise<Answer> {
  const refusal = scopeRefusal(token, 'rollout', namespaceOf(named.moduleId));
  // A client that changes a rollout reads it first, so it is told the scope that it needs for both.
  if (refusal && !token.scopes.includes(FLEET_READ)) return refusal;
  const stored = storedAt(catalogue, named);
  if (stored instanceof Response) return stored;
  return await document(c, fleet, { ...named, ...stored }, now);
}

function storedAt(catalogue: Catalogue, named: Named): RolloutOfRelease | Response {
  const { moduleId, version } = named;
  const found = catalogue.rollouts.of(moduleId, version);
  if (!found.ok) return refused(named, found.error, undefined);
  return found.value ?? problem('unknown-rollout', `${moduleId} ${version} is not in a rollout`);
}

async function document(
  c: Context,
  fleet: FleetFile,
  named: NamedRollout,
  now: number,
): Promise<Response> {
  const { moduleId, version } = named;
  const shown = await fleet.readInSlices(function* (sql) {
    const view = yield* rolloutView(sql, named, now);
    return rolloutDocument(view, failuresOf(sql, moduleId, version));
  });
  return c.json(shown);
}

async function changeAnswer(
  c: Context,
  caller: Caller,
  named: Named,
  options: Options,
): Promise<Answer> {
  const { catalogue, token, now } = caller;
  const { moduleId, version } = named;
  const namespace = namespaceOf(moduleId);
  const refusal = scopeRefusal(token, 'rollout', namespace);
  if (refusal) return refusal;
  const request = await jsonBody(c, readRolloutRequest);
  if (!request.ok) return request.error;
  const { value } = request;
  if (value.event === 'start') {
    // It unyanks the release.
    const missing = scopeRefusal(token, 'yank', namespace);
    if (missing) return missing;
    const platforms = catalogue.rollouts.platforms(moduleId, version);
    const event = startEvent(catalogue.machinesFor(moduleId, { version, platforms }), now);
    return await written(c, caller, options, { ...named, event, soakMs: value.soak_ms });
  }
  const stored = storedAt(catalogue, named);
  if (stored instanceof Response) return stored;
  const event = await eventOf(value, { ...named, ...stored }, options.fleet, now);
  return await written(c, caller, options, { ...named, event });
}

async function eventOf(
  request: Exclude<RolloutRequest, { event: 'start' }>,
  named: NamedRollout,
  fleet: FleetFile,
  at: number,
): Promise<NewRolloutEvent> {
  const { after } = request;
  const { rollout } = named;
  const viewed = async (): Promise<RolloutView> =>
    await fleet.readInSlices((sql) => rolloutView(sql, named, at));
  switch (request.event) {
    case 'halt': {
      const { failed, silent } = (await viewed()).tally;
      return { kind: 'halted', after, at, because: request.reason, failures: { failed, silent } };
    }
    case 'resume':
      return { kind: 'resumed', after, at, acknowledged: request.acknowledged };
    case 'raise': {
      const next = ROLLOUT_POLICY.steps.find((step) => step > rollout.percent);
      const percent = request.percent ?? next ?? 100;
      const { shareAt } = await viewed();
      return { kind: 'raised', after, at, percent, share: shareAt(percent) };
    }
    case 'retract':
      return { kind: 'retracted', after, at, because: request.reason };
  }
}

async function written(
  c: Context,
  { catalogue, now, changed }: Caller,
  { fleet, write }: Options,
  {
    event,
    soakMs,
    ...named
  }: Named & { readonly event: NewRolloutEvent; readonly soakMs?: number },
): Promise<Response> {
  const { moduleId, version } = named;
  const result = await write({ kind: 'rollout', moduleId, version, event, soakMs });
  if (!result.ok) {
    const found = catalogue.rollouts.of(moduleId, version);
    return refused(named, result.error, found.ok ? found.value : undefined);
  }
  if (event.kind !== 'completed') changed({ kind: `rollout-${event.kind}`, moduleId, version });
  return await document(c, fleet, { ...named, ...result.value }, now);
}

const CONFLICTS: Readonly<
  Record<Exclude<RolloutRefusal, 'unknown-module' | 'unknown-version'>, string>
> = {
  stale: 'the rollout has changed since it was read: read it again',
  'not-started': 'it is not in a rollout',
  'already-started': 'it is in a rollout already',
  'not-running': 'the rollout is halted: resume it first',
  'not-halted': 'the rollout is not halted',
  ended: 'the rollout has ended',
  'not-a-share': 'the share is not from 0 to 1',
  'share-falls': 'the step is lower than the last one, and a share never falls',
  'share-below-1': 'the rollout does not include all machines yet',
  'not-acknowledged': 'fewer failures are acknowledged than those for which it was halted',
  visible:
    'machines could already select it: a rollout begins with the publication, or with a yanked release',
};

function refused(
  { moduleId, version }: Named,
  refusal: RolloutRefusal,
  stored: StoredRollout | undefined,
): Response {
  if (refusal === 'unknown-module') {
    return problem(refusal, `nothing was ever published for ${moduleId}`);
  }
  if (refusal === 'unknown-version')
    return problem(refusal, `${moduleId} has no version ${version}`);
  const kind = refusal === 'stale' ? 'stale-rollout' : 'rollout-conflict';
  const sequence = stored?.rollout.sequence;
  const members: Record<string, number> = sequence === undefined ? {} : { sequence };
  return problem(kind, `${moduleId} ${version}: ${CONFLICTS[refusal]}`, { members });
}

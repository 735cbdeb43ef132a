import type { Context, Hono } from 'hono';
import { parseVersion, type ModuleId } from '../../core/index.ts';
import { isOpen } from '../../core/rollout/rollout.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type {
  NamedRollout,
  RolloutOfRelease,
  RolloutRefusal,
} from '../catalogue/catalogue-rollouts.ts';
import type { NewRolloutEvent } from '../catalogue/rollout-event.ts';
import type { StoredRollout } from '../catalogue/rollout-table.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { failuresOf } from '../fleet/rollout-machines.ts';
import {
  rolloutDocument,
  rolloutsDocument,
  type ListedRollout,
} from '../rollout/rollout-document.ts';
import { describeRefusal, eventFor } from '../rollout/rollout-change.ts';
import { emptyFirst, type FirstStepInSlices } from '../rollout/first-step.ts';
import { readRolloutRequest } from '../rollout/rollout-request.ts';
import { rolloutView } from '../rollout/rollout-view.ts';
import { authorOf, readToken, scopeRefusal, tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { FLEET_READ } from '../tokens/scope.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { FLEET_ROLLOUTS, ROLLOUT, withModule } from './module-route.ts';
import { problem } from '../problem.ts';
import type { AppOptions } from './read-routes.ts';

type Options = Pick<AppOptions, 'clock' | 'log'> & {
  readonly fleet: FleetFile;
  readonly write: WriteChange;
  readonly firstStep: FirstStepInSlices;
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
    answeringToken(readToken, guards, async (c, { token, now }) => {
      if (!token.scopes.includes(FLEET_READ))
        return { kind: 'missing-scope', token, scope: FLEET_READ };
      const { rollouts, damaged } = catalogue.rollouts.all();
      const listed: ListedRollout[] = [];
      for (const named of rollouts) {
        const view = isOpen(named.rollout)
          ? await options.fleet.readInSlices((sql) => rolloutView(sql, named, now))
          : undefined;
        listed.push(view ?? named);
      }
      return c.json(rolloutsDocument({ rollouts: listed, damaged }));
    }),
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
    const { first } = value;
    const empty = emptyFirst(options.fleet, first);
    if (empty !== undefined) return problem('rollout-conflict', empty);
    const platforms = catalogue.rollouts.platforms(moduleId, version);
    const event = await options.firstStep(moduleId, { version, platforms, first }, now);
    return await written(c, caller, options, { ...named, event, soakMs: value.soak_ms });
  }
  const stored = storedAt(catalogue, named);
  if (stored instanceof Response) return stored;
  const event = await eventFor(value, { ...named, ...stored }, options.fleet, now);
  if (!event.ok) return problem('rollout-conflict', event.error);
  return await written(c, caller, options, { ...named, event: event.value });
}

async function written(
  c: Context,
  { catalogue, token, now, changed }: Caller,
  { fleet, write }: Options,
  {
    event,
    soakMs,
    ...named
  }: Named & { readonly event: NewRolloutEvent; readonly soakMs?: number },
): Promise<Response> {
  const { moduleId, version } = named;
  const by = authorOf(token);
  const result = await write({ kind: 'rollout', moduleId, version, event, soakMs }, by);
  if (!result.ok) {
    const found = catalogue.rollouts.of(moduleId, version);
    return refused(named, result.error, found.ok ? found.value : undefined);
  }
  if (event.kind !== 'completed') changed({ kind: `rollout-${event.kind}`, moduleId, version });
  return await document(c, fleet, { ...named, ...result.value }, now);
}

function refused(
  named: Named,
  refusal: RolloutRefusal,
  stored: StoredRollout | undefined,
): Response {
  const detail = describeRefusal(named, refusal, stored?.rollout);
  if (refusal === 'unknown-module' || refusal === 'unknown-version')
    return problem(refusal, detail);
  const kind = refusal === 'stale' ? 'stale-rollout' : 'rollout-conflict';
  const sequence = stored?.rollout.sequence;
  const members: Record<string, number> = sequence === undefined ? {} : { sequence };
  return problem(kind, detail, { members });
}

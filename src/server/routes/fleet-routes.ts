import type { Context, Hono } from 'hono';
import { parseModuleId } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { fleetFailures } from '../fleet/fleet-failures.ts';
import { fleetCounts, fleetMachines, moduleStates } from '../fleet/fleet-queries.ts';
import { moduleOutcomes } from '../fleet/module-outcomes.ts';
import type { ListTerms } from '../fleet/machine-queries.ts';
import { UNHEARD } from '../fleet/presence.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { readReport } from '../fleet/report.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import { readToken } from './bearer.ts';
import {
  allowedGroup,
  FLEET_READ,
  machineScope,
  outcomesScope,
  type Scope,
} from '../tokens/scope.ts';
import type { StoredToken } from '../tokens/token.ts';
import type { MachineReport } from '../../registry/machine-report.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import {
  FLEET,
  FLEET_FAILURES,
  FLEET_MACHINES,
  FLEET_MODULE,
  FLEET_OUTCOMES,
  REPORTS,
  withModule,
} from './module-route.ts';
import { problem } from '../problem.ts';
import type { AppOptions } from './read-routes.ts';

const JSON_TYPE = { headers: { 'content-type': 'application/json' } };
const MACHINE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const MOST_MACHINES = 1000;

type Handler = (c: Context) => Promise<Response>;

/** Has a request answered if its token has one of the scopes that it needs; the first is named if it has none. */
function guardedBy(catalogue: Catalogue, options: Pick<AppOptions, 'clock' | 'log'>) {
  return (
    scopesOf: (c: Context) => readonly [Scope, ...Scope[]] | Response,
    answer: (c: Context, token: StoredToken) => Answer | Promise<Answer>,
  ): Handler =>
    answeringToken(readToken, { catalogue, ...options }, async (c, { token }) => {
      const scopes = scopesOf(c);
      if (scopes instanceof Response) return scopes;
      const isAllowed = scopes.some((scope) => token.scopes.includes(scope));
      if (!isAllowed) return { kind: 'missing-scope', token, scope: scopes[0] };
      return await answer(c, token);
    });
}

/** Adds the routes of machine reports, and those that read them. */
export function addFleetRoutes(
  app: Hono,
  catalogue: Catalogue,
  { fleet, ...options }: Pick<AppOptions, 'clock' | 'log'> & { readonly fleet: FleetFile },
): void {
  const guarded = guardedBy(catalogue, options);
  const reading = (answer: (c: Context) => Answer | Promise<Answer>): Handler =>
    guarded(() => [FLEET_READ], answer);
  const known = (): Known => {
    const now = options.clock.now();
    return { now, refusals: catalogue.configs.refusals(now) };
  };
  app.post(
    REPORTS,
    guarded(scopeOfMachine, async (c, { scopes }) => await reportAnswer(c, fleet, scopes)),
  );
  app.get(
    FLEET,
    reading(async (c) => await countsAnswer(c, fleet, known())),
  );
  app.get(
    FLEET_MACHINES,
    reading((c) => machinesAnswer(c, fleet, known())),
  );
  app.get(
    FLEET_FAILURES,
    guarded(scopesOfFailures, async (c) => await failuresAnswer(c, fleet, options.clock.now())),
  );
  app.get(
    FLEET_MODULE,
    reading((c) => moduleAnswer(c, fleet)),
  );
  app.get(
    FLEET_OUTCOMES,
    guarded(
      (c) => withModule(c, (moduleId) => [outcomesScope(namespaceOf(moduleId)), FLEET_READ]),
      async (c) => await outcomesAnswer(c, fleet, options.clock.now()),
    ),
  );
}

/** An author may read the failures of one namespace (D368). */
function scopesOfFailures(c: Context): readonly [Scope, ...Scope[]] | Response {
  const { namespace, module = '' } = c.req.query();
  if (namespace !== undefined && !parseModuleId(`${namespace}:x`).ok) {
    return problem('bad-request', 'namespace must be that of a module, such as acme');
  }
  const moduleId = parseModuleId(module);
  const only = namespace ?? (moduleId.ok ? namespaceOf(moduleId.value) : undefined);
  return only === undefined ? [FLEET_READ] : [outcomesScope(only), FLEET_READ];
}

/** The scope that the machine in the address needs: a token reports for one machine only. */
function scopeOfMachine(c: Context): readonly [Scope] | Response {
  const id = c.req.param('id') ?? '';
  if (MACHINE_ID.test(id)) return [machineScope(id)];
  return problem('bad-request', 'the address does not have the id of a machine');
}

async function reportAnswer(
  c: Context,
  fleet: FleetFile,
  scopes: readonly Scope[],
): Promise<Response> {
  const report = await jsonBody(c, readReport);
  if (!report.ok) return report.error;
  const bytes = Number(c.req.header('content-length') ?? SERVER_LIMITS.bodyBytes);
  const answer = await fleet.report(c.req.param('id') ?? '', inGroup(report.value, scopes), bytes);
  switch (answer.kind) {
    case 'known':
      return c.json({
        known_to: answer.knownTo,
        ...(answer.isOlderState && { older_state: true }),
      });
    case 'gap':
      return problem('gap', `outcomes after ${answer.knownTo} are missing: send them first`, {
        members: { known_to: answer.knownTo },
      });
    case 'duplicate':
      return problem('duplicate-machine', 'two processes report under this id; neither is counted');
  }
}

/** The report with the group that the token allows, which counts before what the machine says (D109). */
function inGroup(report: MachineReport, scopes: readonly Scope[]): MachineReport {
  const { state } = report;
  if (!state) return report;
  return { ...report, state: { ...state, group: allowedGroup(scopes, state.group) } };
}

/** What an answer depends on, besides what machines reported. */
type Known = Omit<ListTerms, 'limit'>;

async function countsAnswer(c: Context, fleet: FleetFile, known: Known): Promise<Response> {
  const { now, refusals } = known;
  return c.json(await fleet.readInSlices((sql) => fleetCounts(sql, now, refusals)));
}

function machinesAnswer(c: Context, fleet: FleetFile, known: Known): Response {
  const { now } = known;
  const { module, version, group, after = '', limit: limitText = '100' } = c.req.query();
  const asked = c.req.query();
  const limit = Number(limitText);
  if (!/^[1-9]\d{0,3}$/.test(limitText) || limit > MOST_MACHINES) {
    return problem('bad-request', `limit must be a number from 1 to ${MOST_MACHINES}`);
  }
  const condition = (['retired', 'failing', 'stuck'] as const).find((one) => asked[one] === 'true');
  const presence = UNHEARD.find((one) => asked[one] === 'true');
  const unheard = presence && { presence, now };
  const search = { module, version, group, condition, unheard, after };
  const page = fleet.read((sql) => fleetMachines(sql, search, { ...known, limit }));
  return sentWhole(c, JSON.stringify(page));
}

/** The longest that outcomes are kept, in seconds. */
const LONGEST_S = 90 * 86_400;

async function failuresAnswer(c: Context, fleet: FleetFile, now: number): Promise<Response> {
  const { namespace, module, version } = c.req.query();
  const since = askedSince(c, now, '86400');
  if (since instanceof Response) return since;
  const search = { namespace, module, version, since };
  const found = await fleet.readInSlices((sql) => fleetFailures(sql, search));
  return sentWhole(c, JSON.stringify(found));
}

async function outcomesAnswer(c: Context, fleet: FleetFile, now: number): Promise<Response> {
  return await withModule(c, async (moduleId) => {
    const since = askedSince(c, now, '2592000');
    if (since instanceof Response) return since;
    const search = { moduleId, version: c.req.query('version'), since };
    const found = await fleet.readInSlices((sql) => moduleOutcomes(sql, search));
    return sentWhole(c, JSON.stringify(found));
  });
}

/** The time since when outcomes are asked for, by `seconds` in the address. */
function askedSince(c: Context, now: number, byDefault: string): number | Response {
  const { seconds = byDefault } = c.req.query();
  const ago = Number(seconds);
  if (/^[1-9]\d{0,6}$/.test(seconds) && ago <= LONGEST_S) return now - ago * 1000;
  return problem('bad-request', `seconds must be a number from 1 to ${LONGEST_S}`);
}

async function moduleAnswer(c: Context, fleet: FleetFile): Promise<Response> {
  return await withModule(c, async (moduleId) => {
    const after = c.req.query('after') ?? '0';
    if (!/^\d{1,15}$/.test(after)) {
      return problem('bad-request', 'after must be next of an earlier response');
    }
    const from = Number(after);
    const states = await fleet.readInSlices((sql) => moduleStates(sql, moduleId, from));
    return sentWhole(c, states);
  });
}

/** A response that is sent at once, and so must not be larger than a connection may have unsent. */
function sentWhole(c: Context, text: string): Response {
  if (text.length <= SERVER_LIMITS.unsentPerConnection) return c.body(text, JSON_TYPE);
  const most = SERVER_LIMITS.unsentPerConnection;
  return problem('internal', `the answer has ${text.length} characters, and may have ${most}`);
}

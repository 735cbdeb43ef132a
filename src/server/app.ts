import { Hono } from 'hono';
import { addArtifactRoutes } from './routes/artifact-routes.ts';
import { addInstallRoutes } from './routes/install-routes.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { writeTo } from './catalogue/write-change.ts';
import type { ChangeFeed } from './catalogue/change-feed.ts';
import { contactNotes } from './fleet/contacts.ts';
import { FleetFile, fleetPath } from './fleet/fleet-file.ts';
import { firstStepAtOnce, firstStepInSlices } from './rollout/first-step.ts';
import { addCommandRoutes } from './routes/command-routes.ts';
import { addGroupCommandRoutes } from './routes/group-command-routes.ts';
import { addConfigRoutes } from './routes/config-routes.ts';
import { addFragmentRoutes } from './routes/fragment-routes.ts';
import { addSecretRoutes } from './routes/secret-routes.ts';
import { addFleetRoutes } from './routes/fleet-routes.ts';
import { addHealthRoute, healthOf } from './routes/health.ts';
import { addLogRoutes } from './routes/log-routes.ts';
import { logsPath, RegistryLogs } from './logs/registry-logs.ts';
import { addJoinRoute } from './routes/join-route.ts';
import {
  ARTIFACT,
  COMMAND_OUTCOMES,
  COMMANDS,
  FRAGMENT,
  FRAGMENTS,
  GROUP_COMMANDS,
  CONFIG,
  CONFIG_ANSWER,
  CONFIG_HISTORY,
  CONFIG_SIGNATURES,
  FLEET,
  FLEET_FAILURES,
  FLEET_LOGS,
  FLEET_MACHINES,
  FLEET_MODULE,
  FLEET_OUTCOMES,
  FLEET_ROLLOUTS,
  HEALTH,
  INSTALL_SH,
  JOIN,
  LOGS,
  METRICS,
  MODULE,
  NEWEST_AGENT,
  RELEASES,
  REPORTS,
  RETIRED,
  ROLLOUT,
  TRUST,
  UPLOAD,
  DEPRECATION,
  NOTES,
  YANK,
} from './routes/module-route.ts';
import { problem, problemOf } from './problem.ts';
import { refusalCount } from './limits/refusal-count.ts';
import type { WritingOptions } from './routes/of-machine.ts';
import { addMetricsRoute } from './routes/metrics-route.ts';
import { addReadRoutes, type AppOptions } from './routes/read-routes.ts';
import { addRetireRoute } from './routes/retire-route.ts';
import { addNotesRoutes } from './routes/notes-routes.ts';
import { addRolloutRoutes } from './routes/rollout-routes.ts';
import { addTrustRoute } from './routes/trust-route.ts';
import { addWriteRoutes } from './routes/write-routes.ts';

/** The methods that each address allows. */
const METHODS = [
  ['/v1/modules', 'GET'],
  [MODULE, 'GET'],
  ['/v1/changes', 'GET'],
  [TRUST, 'GET, PUT'],
  ['/v1/openapi.json', 'GET'],
  [HEALTH, 'GET'],
  [METRICS, 'GET'],
  [INSTALL_SH, 'GET'],
  [NEWEST_AGENT, 'GET'],
  [RELEASES, 'POST'],
  [YANK, 'PUT, DELETE'],
  [DEPRECATION, 'PUT, DELETE'],
  [NOTES, 'GET, PUT'],
  [ARTIFACT, 'GET'],
  [UPLOAD, 'PUT'],
  [REPORTS, 'POST'],
  [CONFIG, 'GET, PUT'],
  [CONFIG_HISTORY, 'GET'],
  [CONFIG_SIGNATURES, 'PUT'],
  [CONFIG_ANSWER, 'PUT'],
  [FRAGMENTS, 'GET'],
  [FRAGMENT, 'GET, PUT'],
  [COMMANDS, 'GET, PUT'],
  [COMMAND_OUTCOMES, 'PUT'],
  [GROUP_COMMANDS, 'GET, PUT'],
  [FLEET, 'GET'],
  [FLEET_FAILURES, 'GET'],
  [FLEET_MACHINES, 'GET'],
  [LOGS, 'POST'],
  [FLEET_LOGS, 'GET'],
  [FLEET_MODULE, 'GET'],
  [FLEET_OUTCOMES, 'GET'],
  [RETIRED, 'PUT'],
  [JOIN, 'POST'],
  [FLEET_ROLLOUTS, 'GET'],
  [ROLLOUT, 'GET, POST'],
] as const;

/** All addresses, for metrics. */
export const PATHS: readonly string[] = METHODS.map(([path]) => path);

/**
 * The registry's HTTP API as a Hono app: `app.fetch` answers a `Request` with a `Response`, with or without a
 * server. `GET /v1/openapi.json` describes it. Requests that change something need a bearer token of
 * `catalogue`. `feed` must watch the same catalogue.
 */
export function registryApp(catalogue: Catalogue, feed: ChangeFeed, options: AppOptions): Hono {
  const app = new Hono();
  const refused = refusalCount(options.log);
  addArtifactRoutes(app, catalogue, options);
  addInstallRoutes(app, catalogue, options);
  const write = options.replica?.write ?? writeTo(catalogue);
  const fleet =
    options.fleet ??
    new FleetFile(fleetPath(catalogue.path), () => options.clock.now(), {
      freeDisk: options.limits?.freeDisk,
    });
  const noteContact = contactNotes(catalogue, fleet, options.clock);
  addReadRoutes(app, catalogue, feed, { ...options, refused, noteContact });
  catalogue.firstStep = firstStepAtOnce(fleet);
  const firstStep = firstStepInSlices(fleet);
  addWriteRoutes(app, catalogue, { ...options, refused, write, firstStep, fleet });
  addNotesRoutes(app, catalogue, { ...options, write });
  addFleetRoutes(app, catalogue, { ...options, fleet });
  addRetireRoute(app, catalogue, { ...options, fleet });
  addMachineRoutes(app, catalogue, { ...options, fleet, write });
  const logs = options.logs ?? new RegistryLogs(logsPath(catalogue.path), options);
  addLogRoutes(app, catalogue, { ...options, logs });
  addJoinRoute(app, catalogue, options);
  addRolloutRoutes(app, catalogue, { ...options, fleet, write, firstStep });
  addTrustRoute(app, catalogue, { ...options, write });
  addHealthRoute(app, options.health ?? healthOf(catalogue, options), options.replica);
  const { metrics } = options;
  if (metrics) addMetricsRoute(app, catalogue, { ...options, metrics });
  const rest = notAnswered(METHODS.filter(([path]) => path !== METRICS || metrics));
  app.notFound(async ({ req }) => await rest.fetch(req.raw));
  app.onError((error, c) => {
    // A client that hung up makes reading fail, which is not an error of the registry.
    if (!c.req.raw.signal.aborted) options.log?.({ kind: 'failed', error });
    return problemOf(error);
  });
  return app;
}

/**
 * Answers what no route does. An app of its own: with a second handler for an address, Hono composes them, which takes 1 kB for each request
 * that waits.
 */
function notAnswered(methods: readonly (readonly [path: string, allow: string])[]): Hono {
  const app = new Hono();
  for (const [path, allow] of methods) {
    app.all(path, () => problem('method-not-allowed', `allowed: ${allow}`, { headers: { allow } }));
  }
  app.notFound(() => problem('unknown-address', 'GET /v1/openapi.json lists the addresses'));
  return app;
}

/** Adds the routes of what the registry serves to its machines, and has them do. */
function addMachineRoutes(
  app: Hono,
  catalogue: Catalogue,
  options: WritingOptions & { readonly fleet: FleetFile },
): void {
  addConfigRoutes(app, catalogue, options);
  addFragmentRoutes(app, catalogue, options);
  addSecretRoutes(app, catalogue, options);
  addCommandRoutes(app, catalogue, options);
  addGroupCommandRoutes(app, catalogue, options);
}

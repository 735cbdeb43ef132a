import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { OwnReleases } from '../../cluster/front.ts';
import { openFrontInTime } from '../../cluster/front-in-time.ts';
import type { FollowerEvent } from '../../cluster/follower.ts';
import { PackagesMissing, type ClusterPlace } from '../../cluster/nats/connection.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import { serveCommand, type Attach } from '../serve/serve-command.ts';
import type { ServeCommandOptions } from '../serve/serve-terms.ts';
import { ownVersion } from '../version.ts';
import { monitorsOf } from './monitors.ts';
import { secretsKeyIn } from './secrets-key.ts';
import type { SecretKey } from '../../server/configs/sealed-secrets.ts';
import type { World } from '../../base/world.ts';

export interface FleetServeOptions extends ServeCommandOptions {
  readonly nats?: string;
  readonly natsCreds?: string;
  readonly monitor?: string;
  readonly secretsKey?: string;
}

/** `modreg fleet serve`: serves a registry as one of the fronts of a cluster. */
export async function fleetServeCommand(
  options: FleetServeOptions,
  world: World,
): Promise<Outcome> {
  const place = clusterPlace(options, world);
  if (!place.ok) return failed(place.error);
  const monitors = monitorsOf(options.monitor, place.value);
  if (!monitors.ok) return failed(monitors.error);
  const secrets = secretsKeyIn(options.secretsKey);
  if (!secrets.ok) return failed(secrets.error);
  const addresses = monitors.value.map(({ href }) => href);
  const attach = attachTo(place.value, addresses, secrets.value);
  return await serveCommand(options, world, attach);
}

const SERVER = /^(?:nats|tls):\/\/[^\s/@]+:\d{1,5}$/;

function isNode(text: string): boolean {
  // Also the port must be one.
  return SERVER.test(text) && URL.canParse(text.replace(/^\w+/, 'http'));
}

/** Where the cluster is, by the options or the environment. */
export function clusterPlace(
  { nats, natsCreds: credentials }: Pick<FleetServeOptions, 'nats' | 'natsCreds'>,
  { environment }: Pick<World, 'environment'>,
): Result<ClusterPlace, Problem> {
  const text = nats ?? environment['MODREG_NATS'];
  if (text === undefined || text === '') {
    const message = 'no cluster is named: pass --nats, or set MODREG_NATS';
    return { ok: false, error: usage(message) };
  }
  const servers = text.split(',').map((one) => one.trim());
  // What it may contain besides, such as a password, is not repeated.
  const wrong = servers.findIndex((one) => !isNode(one));
  if (wrong === -1) return { ok: true, value: { servers, credentials } };
  const found = `address ${wrong + 1} of --nats is not one of a node, such as nats://10.0.0.1:4222`;
  return { ok: false, error: usage(`${found}; several are separated by commas`) };
}

const LEVELS = {
  stopped: 'error',
  held: 'error',
  mended: 'warn',
  unreachable: 'warn',
  following: 'info',
  refilled: 'info',
} as const;

function attachTo(
  place: ClusterPlace,
  monitors: readonly string[],
  secrets: SecretKey | undefined,
): Attach {
  return async (catalogue, { clock, log }) => {
    catalogue.configs.secrets.sealed.useKey(secrets);
    const onEvent = (event: FollowerEvent): void => {
      const { kind, ...fields } = event;
      log(LEVELS[kind], `stream-${kind}`, fields);
    };
    try {
      const options = { clock, onEvent, monitors, version: ownVersion() };
      return { ok: true, value: await openFrontInTime(catalogue, place, options) };
    } catch (error) {
      return { ok: false, error: frontProblem(error, catalogue.path, place) };
    }
  };
}

function frontProblem(error: unknown, path: string, place: ClusterPlace): Problem {
  if (error instanceof DatabaseError) throw error;
  if (error instanceof PackagesMissing) return usage(error.message);
  if (error instanceof OwnReleases) {
    const hint = 'modreg fleet import moves the releases of a single server to a cluster';
    return { ...usage(`${quote(path)}: ${error.message}`), hint };
  }
  const { servers } = place;
  const why = excerpt(error instanceof Error ? error.message : String(error));
  return {
    severity: 'error',
    kind: 'registry-unreachable',
    message: `the cluster at ${servers.join(', ')} cannot be used: ${why}`,
    hint: 'look at it with modreg fleet check',
  };
}

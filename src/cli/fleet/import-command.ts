import { excerpt, quote } from '../../core/text/quote.ts';
import {
  importCatalogue,
  type ImportResult,
  type ImportTerms,
} from '../../cluster/import-catalogue.ts';
import { connectTo, PackagesMissing, type ClusterPlace } from '../../cluster/nats/connection.ts';
import { releaseStream, removeReleaseStream } from '../../cluster/nats/release-stream.ts';
import { REPLICAS, untilAnswered } from '../../cluster/front.ts';
import { systemClock } from '../../registry/clock.ts';
import type { ReadableCatalogue } from '../../server/catalogue/readable-catalogue.ts';
import { TooLargeChange } from '../../server/catalogue/write-change.ts';
import { UnreadableChange } from '../../server/catalogue/readable-change.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import {
  databaseProblem,
  openCatalogue,
  type CatalogueOptions,
} from '../../site/catalogue-options.ts';
import { damagedRollout } from '../../site/damaged-rollout.ts';
import type { World } from '../../base/world.ts';
import { secretsKeyIn } from './secrets-key.ts';
import { clusterPlace, type FleetServeOptions } from './serve-command.ts';

export type FleetImportOptions = CatalogueOptions &
  AnswerOptions &
  Pick<FleetServeOptions, 'nats' | 'natsCreds' | 'secretsKey'> & { readonly replace?: true };

/** `modreg fleet import`: moves the catalogue of a single server to a cluster that is empty, or whose events it removes. */
export async function fleetImportCommand(
  options: FleetImportOptions,
  world: World,
): Promise<Outcome> {
  const place = clusterPlace(options, world);
  if (!place.ok) return failed(place.error);
  const secrets = secretsKeyIn(options.secretsKey);
  if (!secrets.ok) return failed(secrets.error);
  const catalogue = openCatalogue(options, world, { mode: 'read' });
  if (!catalogue.ok) return failed(catalogue.error);
  try {
    const { path, log, configs } = catalogue.value;
    const machines = configs.secrets.machines().length;
    if (machines > 0 && !secrets.value) return failed(keyMissing(path, machines));
    if (log.isOfFront()) {
      const message = `${quote(path)} belongs to a front of a cluster, and is there already`;
      return failed({ ...usage(message), hint: RESTORE });
    }
    const result = await importedTo(place.value, catalogue.value, {
      ...options,
      secrets: secrets.value,
      now: world.clock(),
    });
    return result.kind === 'imported'
      ? imported(catalogue.value, result, options)
      : notImported(result);
  } catch (error) {
    return clusterFailure(error, place.value);
  } finally {
    catalogue.value.close();
  }
}

/** Values would be lost (D403). */
function keyMissing(path: string, machines: number): Problem {
  const found = `${quote(path)} has secrets of ${countOf(machines, 'machine')}, and --secrets-key is missing; nothing was imported`;
  return usage(
    found,
    'fronts keep values sealed with the key in that file, the same on all fronts',
  );
}

const RESTORE =
  'to begin a new cluster with it: modreg registry backup, modreg registry restore, and import the restored file';

async function importedTo(
  place: ClusterPlace,
  catalogue: ReadableCatalogue,
  { replace, ...terms }: ImportTerms & { readonly replace?: true },
): Promise<ImportResult> {
  const connection = await connectTo(place, 'modreg fleet import');
  try {
    if (replace) await untilAnswered(() => removeReleaseStream(connection), systemClock);
    const options = { replicas: REPLICAS, clock: systemClock, isOfFront: false };
    const stream = await releaseStream(connection, options);
    await untilAnswered(stream.last, systemClock);
    return await importCatalogue(catalogue, stream, terms);
  } finally {
    await connection.close();
  }
}

type Imported = Extract<ImportResult, { kind: 'imported' }>;

function imported(
  catalogue: ReadableCatalogue,
  { events, halted }: Imported,
  { json }: FleetImportOptions,
): Outcome {
  const modules = catalogue.summaries();
  const releases = modules.reduce((sum, { count }) => sum + count, 0);
  const { rollouts: whole, damaged } = catalogue.rollouts.all();
  const rollouts = whole.length + damaged.length;
  const problems = damaged.map(({ found: row, ...named }) => damagedRollout(named, [row]));
  const tokens = catalogue.tokens().length;
  const found = { modules: modules.length, releases, rollouts, halted, tokens, events };
  if (json) {
    const answer = [jsonLine({ schema: 'modreg/fleet-import@1', ...found })];
    return { answer, notes: [], problems };
  }
  const what = [
    countOf(found.modules, 'module'),
    countOf(releases, 'release'),
    `${countOf(rollouts, 'rollout')}${halted === 0 ? '' : ` (${halted} halted)`}`,
    countOf(tokens, 'token'),
  ];
  return {
    answer: [`imported ${what.join(', ')} in ${countOf(events, 'event')}`],
    notes: [
      ...(halted === 0 ? [] : [HALTED]),
      'next: move the folder of uploaded files to where all fronts share it, and start them with new files',
    ],
    problems,
  };
}

const HALTED =
  'note: rollouts that were running are halted in the cluster: modreg rollout resume goes on with them, once its machines have reported there, within a day';

function notImported(result: Exclude<ImportResult, Imported>): Outcome {
  const hint =
    'if no front has changes that are needed: stop the fronts, and import again with --replace, which removes them';
  if (result.kind === 'changed') {
    const message = 'the file changed while it was imported: stop its server first';
    return failed({ ...usage(message), hint });
  }
  const found = countOf(result.events, 'event');
  const message = `the cluster has ${found} of its own: only an empty one takes a catalogue`;
  return failed({ ...usage(message), hint });
}

function clusterFailure(error: unknown, { servers }: ClusterPlace): Outcome {
  if (error instanceof PackagesMissing) return failed(usage(error.message));
  if (error instanceof Error && error.name === 'DatabaseError') {
    return failed(databaseProblem(error));
  }
  if (error instanceof TooLargeChange) {
    const message = `documents of a machine are too large for the cluster: ${error.message}`;
    const hint = 'shorten them, and import again; modreg fleet config set changes them';
    return failed({ severity: 'error', kind: 'too-large', message, hint });
  }
  if (error instanceof UnreadableChange) {
    const found = `an event of it could not be read again: ${error.message}`;
    return failed(databaseProblem(new DatabaseError('damaged', found)));
  }
  const why = excerpt(error instanceof Error ? error.message : String(error));
  return failed({
    severity: 'error',
    kind: 'registry-unreachable',
    message: `the cluster at ${servers.join(', ')} cannot be used: ${why}`,
    hint: 'look at it with modreg fleet check; the same command goes on where it was',
  });
}

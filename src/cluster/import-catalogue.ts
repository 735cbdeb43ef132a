import { createHash } from 'node:crypto';
import type { ReadableCatalogue } from '../server/catalogue/readable-catalogue.ts';
import type { ImportedRow } from '../server/catalogue/imported-rows.ts';
import { columnsOf, sealedBy, type SecretKey } from '../server/configs/sealed-secrets.ts';
import { encodeEvent, subjectOf, type FleetEvent } from './event.ts';
import type { EventStream } from './event-stream.ts';

export interface ImportTerms {
  readonly now: number;
  /** For values of secrets, which are left behind without it. */
  readonly secrets?: SecretKey | undefined;
}

/** What an import did. */
export type ImportResult =
  | {
      readonly kind: 'imported';
      readonly events: number;
      /** How many rollouts were running. They are halted in the cluster, and not in the catalogue. */
      readonly halted: number;
    }
  /** The stream has this many events of others, or another writer was faster. */
  | { readonly kind: 'not-empty'; readonly events: number }
  /** The catalogue changed meanwhile. */
  | { readonly kind: 'changed' };

/** Why no rollout is running after an import. */
const HALTED =
  'imported into a cluster: resume it once its machines have reported there, within a day';

/** The most characters of rows in an event: a node refuses a message above 1 MB. */
const MOST_CHARACTERS = 500_000;

/**
 * Appends a whole catalogue to an empty stream: history, generations, sequence numbers, rollouts, tokens and what machines are served (D400) stay. Rollouts that are
 * running are halted after that. An import that was interrupted goes on where it was. Rejects if the stream cannot be reached.
 */
export async function importCatalogue(
  catalogue: ReadableCatalogue,
  stream: EventStream,
  { now, secrets }: ImportTerms,
): Promise<ImportResult> {
  const halts = haltsOf(catalogue, now);
  const read = createHash('sha256');
  let last = 0;
  for (const event of eventsOf(catalogue, halts, secrets)) {
    const subject = subjectOf(event);
    const body = encodeEvent(event);
    const id = idOf(last + 1, event);
    read.update(id);
    const appended = await stream.append({ subject, id, body }, { last });
    const known = appended === undefined ? await stream.read(last + 1) : undefined;
    if (appended === undefined && known?.id !== id) {
      return { kind: 'not-empty', events: await stream.last() };
    }
    last += 1;
  }
  const found = await stream.last();
  if (found > last) return { kind: 'not-empty', events: found };
  // Whatever was changed meanwhile, the events would be others now (D400).
  const again = createHash('sha256');
  let place = 0;
  for (const event of eventsOf(catalogue, halts, secrets)) again.update(idOf(++place, event));
  if (again.digest('hex') !== read.digest('hex')) return { kind: 'changed' };
  return { kind: 'imported', events: last, halted: halts.length };
}

/** The same when the import is run again, at another time. */
function idOf(place: number, event: FleetEvent): string {
  const timeless =
    event.kind === 'rollout' ? { ...event, event: { ...event.event, at: 0 } } : event;
  return createHash('sha256')
    .update(`${place} ${encodeEvent(timeless)}`)
    .digest('hex');
}

/** The fronts know no machine yet, and the first one that reports must not be taken for all of them (T240). */
function haltsOf({ rollouts }: ReadableCatalogue, at: number): FleetEvent[] {
  const running = rollouts.all().rollouts.filter(({ rollout }) => rollout.status === 'running');
  return running.map(({ moduleId, version, rollout }) => {
    // The fronts know of no failure yet, and who resumes it must not have to name those that only the single server knew.
    const failures = { failed: 0, silent: 0 };
    const event = {
      kind: 'halted',
      after: rollout.sequence,
      at,
      because: HALTED,
      failures,
    } as const;
    return { kind: 'rollout', moduleId, version, event, soakMs: undefined };
  });
}

/** Values are sealed before they are rows (D403). */
function* rowsOf(
  { log, configs }: ReadableCatalogue,
  key: SecretKey | undefined,
): Generator<ImportedRow, undefined> {
  yield* log.rows();
  if (!key) return;
  for (const machine of configs.secrets.machines()) {
    for (const [name, secret] of Object.entries(configs.secrets.of(machine))) {
      const sealed =
        secret && sealedBy(key, { machine, name, places: secret.places }, secret.value);
      yield ['machine_secrets', ...columnsOf({ machine, name, secret: sealed })];
    }
  }
}

function* eventsOf(
  catalogue: ReadableCatalogue,
  halts: readonly FleetEvent[],
  secrets: SecretKey | undefined,
): Generator<FleetEvent, undefined> {
  yield { kind: 'begin', history: catalogue.history() };
  let rows: ImportedRow[] = [];
  let characters = 0;
  for (const row of rowsOf(catalogue, secrets)) {
    const length = JSON.stringify(row).length;
    if (rows.length > 0 && characters + length > MOST_CHARACTERS) {
      yield { kind: 'rows', rows };
      rows = [];
      characters = 0;
    }
    rows.push(row);
    characters += length;
  }
  yield { kind: 'rows', rows };
  yield* halts;
}

import { createHash } from 'node:crypto';
import type { Catalogue } from '../server/catalogue/catalogue.ts';
import type { ImportedRow } from '../server/catalogue/imported-rows.ts';
import { encodeEvent, subjectOf, type FleetEvent } from './event.ts';
import type { EventStream } from './event-stream.ts';

/** What an import did. */
export type ImportResult =
  | { readonly kind: 'imported'; readonly events: number }
  /** The stream has this many events of others, or another writer was faster. */
  | { readonly kind: 'not-empty'; readonly events: number }
  /** The catalogue changed meanwhile. */
  | { readonly kind: 'changed' };

/** The most characters of rows in an event: a node refuses a message above 1 MB. */
const MOST_CHARACTERS = 500_000;

/**
 * Appends a whole catalogue to an empty stream: history, generations, sequence numbers, rollouts and tokens stay. An import that was
 * interrupted goes on where it was. Rejects if the stream cannot be reached.
 */
export async function importCatalogue(
  catalogue: Catalogue,
  stream: EventStream,
): Promise<ImportResult> {
  const sequence = catalogue.sequence();
  let last = 0;
  for (const event of eventsOf(catalogue)) {
    const subject = subjectOf(event);
    const body = encodeEvent(event);
    const id = createHash('sha256')
      .update(`${last + 1} ${body}`)
      .digest('hex');
    const appended = await stream.append({ subject, id, body }, { last });
    const known = appended === undefined ? await stream.read(last + 1) : undefined;
    if (appended === undefined && known?.id !== id) {
      return { kind: 'not-empty', events: await stream.last() };
    }
    last += 1;
  }
  const found = await stream.last();
  if (found > last) return { kind: 'not-empty', events: found };
  if (catalogue.sequence() !== sequence) return { kind: 'changed' };
  return { kind: 'imported', events: last };
}

function* eventsOf(catalogue: Catalogue): Generator<FleetEvent, undefined> {
  yield { kind: 'begin', history: catalogue.history() };
  let rows: ImportedRow[] = [];
  let characters = 0;
  for (const row of catalogue.log.rows()) {
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
}

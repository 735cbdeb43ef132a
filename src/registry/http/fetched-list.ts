import { scheduler } from 'node:timers/promises';
import type { ListEntries } from '../formats/decoded-list.ts';
import { parseJson } from '../formats/json-text.ts';
import { packedListInSteps } from '../packed-records.ts';
import type { FetchedList } from '../remote-registry.ts';
import { addressed, withErrorContext } from './error-context.ts';
import type { Reply } from './exchange.ts';

/** Entity tags that are sent back. A longer one is ignored. */
const ETAG = /^(W\/)?"[!#-~]{1,200}"$/;

/** Reads the JSON of a response. Throws a RegistryError if it is not a list. */
export type ReadEntries = (json: unknown) => ListEntries;

/** Parses, decodes and packs a response of the registry `where`, in steps between which the event loop can run. */
export async function fetchedList(
  { body, headers, url }: Reply,
  where: string,
  entriesIn: ReadEntries,
): Promise<FetchedList> {
  const { text, digest, size } = body;
  const entries = await addressed(url, async () => {
    const json = withErrorContext(where, () => parseJson(text));
    await scheduler.yield();
    return withErrorContext(where, () => entriesIn(json));
  });
  const list = await inSteps(packedListInSteps(entries));
  const etag = headers.get('etag') ?? '';
  return { ...list, digest, size, etag: ETAG.test(etag) ? etag : undefined };
}

/** The result of `steps`. The event loop runs after each of them. */
export async function inSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await scheduler.yield();
  }
}

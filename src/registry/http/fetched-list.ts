import { scheduler } from 'node:timers/promises';
import type { DecodedList } from '../formats/decoded-list.ts';
import { parseJson } from '../formats/json-text.ts';
import type { FetchedList } from '../remote-registry.ts';
import { blaming } from './blame.ts';
import type { Reply } from './exchange.ts';

/** An entity tag that can be sent back as it came. One that is long is not worth a header of that length. */
const ETAG = /^(W\/)?"[!#-~]{1,200}"$/;

/** The list that `decode` makes of an answer of `where`. */
export async function fetchedList(
  { body, headers }: Reply,
  where: string,
  decode: (json: unknown) => DecodedList,
): Promise<FetchedList> {
  const { text, digest, size } = body;
  const json = blaming(where, () => parseJson(text));
  // Each of the two keeps everything else waiting.
  await scheduler.yield();
  const list = blaming(where, () => decode(json));
  const etag = headers.get('etag') ?? '';
  return { ...list, digest, size, etag: ETAG.test(etag) ? etag : undefined };
}

import { createHash } from 'node:crypto';
import { scheduler } from 'node:timers/promises';
import type { DecodedList } from '../formats/decoded-list.ts';
import { parseJson } from '../formats/json-text.ts';
import type { FetchedList } from '../remote-registry.ts';
import { blaming } from './blame.ts';
import type { Reply } from './exchange.ts';

/** What is sent back as it came: a longer tag, or another one, does not come from a cache's friend. */
const ETAG = /^(W\/)?"[!#-~]{1,200}"$/;

/** The list that `decode` makes of an answer of `where`. */
export async function fetchedList(
  { body, headers }: Reply,
  where: string,
  decode: (json: unknown) => DecodedList,
): Promise<FetchedList> {
  const digest = createHash('sha256').update(body).digest('hex');
  const json = blaming(where, () => parseJson(body));
  // Each of the two keeps everything else waiting.
  await scheduler.yield();
  const list = blaming(where, () => decode(json));
  const etag = headers.get('etag') ?? '';
  return { ...list, digest, size: body.length, etag: ETAG.test(etag) ? etag : undefined };
}

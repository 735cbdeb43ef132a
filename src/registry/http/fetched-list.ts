import { scheduler } from 'node:timers/promises';
import type { DecodedList } from '../formats/decoded-list.ts';
import { parseJson } from '../formats/json-text.ts';
import type { FetchedList } from '../remote-registry.ts';
import { withErrorContext } from './error-context.ts';
import type { Reply } from './exchange.ts';

/** An entity tag that can be sent back as it came. One that is long is not worth a header of that length. */
const ETAG = /^(W\/)?"[!#-~]{1,200}"$/;

/** What is made of the JSON of an answer, in steps between which something else may be done. */
export type Decode = (json: unknown) => Generator<undefined, DecodedList>;

/** What takes no longer than the answer took to parse. */
export function* atOnce(decode: () => DecodedList): ReturnType<Decode> {
  yield;
  return decode();
}

/** The list that `decode` makes of an answer of `where`. */
export async function fetchedList(
  { body, headers }: Reply,
  where: string,
  decode: Decode,
): Promise<FetchedList> {
  const { text, digest, size } = body;
  const json = withErrorContext(where, () => parseJson(text));
  const steps = decode(json);
  for (;;) {
    await scheduler.yield();
    const { done, value: list } = withErrorContext(where, () => steps.next());
    if (done !== true) continue;
    const etag = headers.get('etag') ?? '';
    return { ...list, digest, size, etag: ETAG.test(etag) ? etag : undefined };
  }
}

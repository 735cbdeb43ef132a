import { scheduler } from 'node:timers/promises';
import type { DecodedList } from '../formats/decoded-list.ts';
import { parseJson } from '../formats/json-text.ts';
import type { FetchedList } from '../remote-registry.ts';
import { withErrorContext } from './error-context.ts';
import type { Reply } from './exchange.ts';

/** Entity tags that are sent back. A longer one is ignored. */
const ETAG = /^(W\/)?"[!#-~]{1,200}"$/;

/** Decodes the JSON of a response in steps, between which the event loop can run. */
export type Decode = (json: unknown) => Generator<undefined, DecodedList>;

/** Decodes in a single step. Use it if decoding takes no longer than parsing. */
export function* atOnce(decode: () => DecodedList): ReturnType<Decode> {
  yield;
  return decode();
}

/** Parses and decodes a response of the registry `where`. */
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

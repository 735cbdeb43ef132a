import { machineIn } from '../tokens/scope.ts';
import { lapseOf, type StoredToken } from '../tokens/token.ts';
import type { CatalogueConfigs } from './catalogue-configs.ts';

/** Waits for the next change of what is served to one machine, beside what else its request waits for. */
export interface ConfigWait {
  /** Aborts at the change, and with the request. */
  readonly signal: AbortSignal;
  /** What is served now, if that is not what the machine knows; undefined if it is. */
  readonly news: () => string | undefined;
  readonly end: () => void;
}

/** A request that may be that of a machine which follows its documents. */
export interface ConfigQuestion {
  /** The tag of the documents that it knows; undefined if it follows none. */
  readonly known: string | undefined;
  readonly authorization: string | undefined;
  readonly signal: AbortSignal;
  readonly now: number;
}

/**
 * The wait of the machine whose token a request has (D267). Another request waits as before: nothing is news to it.
 */
export function configWait(
  configs: CatalogueConfigs,
  tokenWith: (text: string) => StoredToken | undefined,
  { known, authorization, signal, now }: ConfigQuestion,
): ConfigWait {
  const [, text] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const token = known === undefined || text === undefined ? undefined : tokenWith(text);
  const machine = token && !lapseOf(token, now) ? machineIn(token.scopes) : undefined;
  if (machine === undefined) return { signal, news: () => undefined, end: () => undefined };
  const woken = new AbortController();
  const news = (): string | undefined => {
    const tag = configs.tag(machine);
    return tag === known ? undefined : tag;
  };
  const end = configs.watch(machine, () => woken.abort());
  if (news() !== undefined) woken.abort();
  return { signal: AbortSignal.any([signal, woken.signal]), news, end };
}

import type { Catalogue } from '../catalogue/catalogue.ts';
import { machineIn } from '../tokens/scope.ts';
import { lapseOf } from '../tokens/token.ts';

/** Waits for the next change of what is served to one machine, beside what else its request waits for. */
export interface ConfigWait {
  /** Aborts at the change, and with the request. */
  readonly signal: AbortSignal;
  /** What is served now, if that is not what the machine knows; undefined if it is. */
  readonly news: () => string | undefined;
  readonly end: () => void;
}

/**
 * The wait of the machine whose token a request has, which knows the documents with the tag `known` (D267). Undefined for another request: it
 * waits as before.
 */
export function configWait(
  {
    configs,
    tokenWith,
  }: {
    readonly configs: Catalogue['configs'];
    readonly tokenWith: (text: string) => ReturnType<Catalogue['tokenWith']>;
  },
  {
    known,
    authorization,
    now,
  }: {
    readonly known: string | undefined;
    readonly authorization: string | undefined;
    readonly now: number;
  },
  request: AbortSignal,
): ConfigWait | undefined {
  const [, text] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const token = known === undefined || text === undefined ? undefined : tokenWith(text);
  const machine = token && !lapseOf(token, now) ? machineIn(token.scopes) : undefined;
  if (machine === undefined) return undefined;
  const woken = new AbortController();
  const news = (): string | undefined => {
    const tag = configs.tag(machine);
    return tag === known ? undefined : tag;
  };
  const leave = configs.watch(machine, () => woken.abort());
  if (news() !== undefined) woken.abort();
  return { signal: AbortSignal.any([request, woken.signal]), news, end: leave };
}

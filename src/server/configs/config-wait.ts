import { machineIn } from '../tokens/scope.ts';
import { lapseOf, type StoredToken } from '../tokens/token.ts';
import type { CatalogueConfigs } from './catalogue-configs.ts';

/** What is served to a machine that it does not know: the tag of documents, the number of its newest command. */
interface MachineNews {
  readonly config?: string;
  readonly commands?: number;
}

/** News that are no changes of modules. */
export interface OtherNews {
  readonly isThere: () => boolean;
  /** Calls `wake` at the news, until the result is called. */
  readonly watch: (wake: () => void) => () => void;
}

/** What is news to one machine, beside what else its request waits for. */
interface ConfigWait {
  /** What is served now that the machine does not know. */
  readonly news: () => MachineNews;
  /** Undefined for a request that waits for nothing else. */
  readonly other?: OtherNews;
}

/** A request that may be that of a machine which follows its site. */
export interface ConfigQuestion {
  /** The tag of the documents that it knows; undefined if it follows none. */
  readonly known: string | undefined;
  /** The highest number of a command that it has taken; undefined if it takes none. */
  readonly taken: number | undefined;
  readonly authorization: string | undefined;
  readonly now: () => number;
}

/**
 * The wait of the machine whose token a request has (D267, D296). Another request waits as before: nothing is news to it.
 */
export function configWait(
  configs: CatalogueConfigs,
  tokenWith: (text: string) => StoredToken | undefined,
  { known, taken, authorization, now }: ConfigQuestion,
): ConfigWait {
  const [, text] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const isAsked = known !== undefined || taken !== undefined;
  const token = isAsked && text !== undefined ? tokenWith(text) : undefined;
  const machine = token && !lapseOf(token, now()) ? machineIn(token.scopes) : undefined;
  if (machine === undefined) return { news: () => ({}) };
  const news = (): MachineNews => {
    const tag = known === undefined ? known : configs.tag(machine);
    const newest = taken === undefined ? taken : configs.commands.newestWaiting(machine, now());
    return {
      ...(tag !== known && tag !== undefined && { config: tag }),
      ...(newest !== undefined && newest > (taken ?? newest) && { commands: newest }),
    };
  };
  /** What ended the wait: a command to a group ends thousands at once, and none is read twice. */
  let ended: MachineNews | undefined;
  const watch: OtherNews['watch'] = (wake) =>
    configs.watch(machine, () => {
      const found = news();
      if (!isSome(found)) return;
      ended = found;
      wake();
    });
  return { news: () => ended ?? news(), other: { isThere: () => isSome(news()), watch } };
}

function isSome(news: MachineNews): boolean {
  return Object.keys(news).length > 0;
}

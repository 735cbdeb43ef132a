import type { RegistryRequest } from '../../src/registry/http/exchange.ts';
import type { Ledger } from './ledger.ts';
import type { Answer } from './simulated-registry.ts';

/*
 * What the network brought to the machine, whatever modreg made of it. Times are of the monotonic clock.
 */

/** The responses of one registry. */
export interface Heard {
  /** When each response arrived that can confirm a list, by the time on the wall clock. */
  readonly at: Map<number, number>;
  /** The responses of the current round with the list of a module, by module. */
  readonly lists: Map<string, HeardList[]>;
  /** The modules that each response of the feed in the current round names as changed. */
  feeds: { readonly at: number; readonly named: readonly string[] }[];
}

interface HeardList {
  readonly at: number;
  /** Whether the poller asked, and not another program. */
  readonly isOwn: boolean;
  /** The digest of the response body; undefined if the registry says that the list is unchanged. */
  readonly digest: string | undefined;
}

/** A response that reached the machine as the registry sent it. */
export interface Arrival {
  readonly request: Pick<RegistryRequest, 'etag' | 'waitMs'>;
  readonly answer: Answer;
  readonly digest: string;
  readonly isOwn: boolean;
}

export function noteArrival(
  ledger: Ledger,
  address: string,
  { request, answer, digest, isOwn }: Arrival,
  { elapsed, wall }: { readonly elapsed: number; readonly wall: number },
): void {
  const { about, status } = answer;
  // A feed that waited for a change confirms nothing.
  if (!about || (request.waitMs ?? 0) > 0) return;
  const isUnchanged = status === 304 && request.etag !== undefined;
  if (status !== 200 && !isUnchanged) return;
  const heard = heardFrom(ledger, address);
  heard.at.set(wall, elapsed);
  if (typeof about !== 'string') {
    if (isOwn) heard.feeds.push({ at: elapsed, named: about });
    return;
  }
  const responses = heard.lists.get(about) ?? [];
  heard.lists.set(about, responses);
  responses.push({ at: elapsed, isOwn, digest: isUnchanged ? undefined : digest });
}

/** A round begins: what was heard before confirms nothing now. */
export function beginRound(ledger: Ledger, address: string): void {
  const heard = heardFrom(ledger, address);
  heard.lists.clear();
  heard.feeds = [];
}

/** Whether the registry sent this list in the round, or said that the known one is unchanged. */
export function isSent(ledger: Ledger, address: string, moduleId: string, digest: string): boolean {
  const responses = heardFrom(ledger, address).lists.get(moduleId) ?? [];
  return responses.some((one) => one.isOwn && (one.digest === undefined || one.digest === digest));
}

/** When the registry first confirmed the list in the round; undefined if it did not. */
export function confirmation(
  ledger: Ledger,
  address: string,
  moduleId: string,
  digest: string,
): number | undefined {
  const { lists, feeds } = heardFrom(ledger, address);
  const times = [
    ...(lists.get(moduleId) ?? [])
      .filter((one) => one.digest === undefined || one.digest === digest)
      .map(({ at }) => at),
    ...feeds.filter(({ named }) => !named.includes(moduleId)).map(({ at }) => at),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

export function heardFrom({ heard }: Ledger, address: string): Heard {
  const known = heard.get(address) ?? { at: new Map(), lists: new Map(), feeds: [] };
  heard.set(address, known);
  return known;
}

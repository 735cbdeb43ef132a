import { networkFetch } from '../registry/http/network.ts';
import type { World } from './world.ts';

/** By environment: the connections of a process are shared. */
const KNOWN = new WeakMap<World['environment'], typeof globalThis.fetch>();

/** The `fetch` of a command, which uses the proxies and authorities of its environment (D113, D114). */
export function fetchIn({ environment }: Pick<World, 'environment'>): typeof globalThis.fetch {
  const known = KNOWN.get(environment) ?? networkFetch(environment);
  KNOWN.set(environment, known);
  return known;
}

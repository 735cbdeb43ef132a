import { accessSync, constants } from 'node:fs';
import { RegistryError, type ListResult, type OpenRegistry } from '../../registry/index.ts';
import type { ModuleId } from '../../core/index.ts';
import { DEFAULT_TERMS } from '../../core/machine/update-policy.ts';
import { excerpt } from '../../core/text/quote.ts';
import { noRetries } from '../../registry/retry-budget.ts';
import type { SavedLists } from '../../registry/saved-lists.ts';
import type { Problem } from '../problem.ts';
import { commandRegistries, type CommandRegistries } from '../registry/command-registries.ts';
import { noRegistry, type RegistryOptions } from '../registry/registry-choice.ts';
import { unsavedLists } from '../registry/unsaved-lists.ts';
import type { World } from '../world.ts';
import { connectTo, type Connection } from './connection.ts';
import type { WantedList } from './wanted-lists.ts';

/** What a registry answered. */
export interface RegistryFacts {
  /** Its address for a person, escaped. */
  readonly from: string;
  /** The key of its saved lists; undefined for a folder or a file. */
  readonly key: string | undefined;
  readonly url: URL | undefined;
  readonly hasToken: boolean;
  readonly wanted: readonly WantedList[];
  /** The result for each module; undefined if they took too long. */
  readonly lists: ReadonlyMap<ModuleId, ListResult> | undefined;
  /** Why the registry cannot be used, if no list was wanted of it. */
  readonly failure: RegistryError | undefined;
  readonly tookMs: number;
  readonly connection: Connection | undefined;
}

export interface RegistriesFacts {
  readonly registries: readonly RegistryFacts[];
  /** Why a registry cannot be opened: its address, or that none is named. */
  readonly problems: readonly Problem[];
  /** Whether the machine needs a list of any registry. */
  readonly isWanted: boolean;
  /** How far the clock of each registry is ahead of this machine's, by its address. */
  readonly ahead: ReadonlyMap<string, number>;
}

/** What a person waits for a dead registry. A poller waits longer. */
const LIMITS = {
  answerMs: 4000,
  idleMs: 3000,
  totalMs: 7000,
  slowAfterMs: 3000,
  retryWithinMs: 0,
} as const;
const DEADLINE_MS = 8000;

/** Where machine.db cannot be used. It is not opened again: that would write to it. */
const NOTHING_SAVED: SavedLists = {
  read: () => undefined,
  firstSeen: () => undefined,
  stamp: () => undefined,
  version: () => 0,
  save: () => undefined,
  replace: () => undefined,
  confirm: () => undefined,
};

/** Reads the wanted lists of each registry, all registries at once. Saves nothing. */
export async function registryFacts(
  wanted: readonly WantedList[],
  {
    saved,
    machinePath,
    ...named
  }: RegistryOptions & {
    readonly saved: SavedLists | undefined;
    readonly machinePath: string | undefined;
  },
  world: World,
): Promise<RegistriesFacts> {
  const dates = new Map<string, number>();
  const options = {
    ...named,
    json: true as const,
    limits: LIMITS,
    isUnsaved: true as const,
    fetch: datesNoting(dates, world),
    ...(machinePath === undefined ? {} : { machinePath }),
    saved: unsavedLists(saved ?? NOTHING_SAVED),
  };
  const registries = commandRegistries(options, world);
  const problems = new Map<string, Problem>();
  const groups = new Map<OpenRegistry, WantedList[]>();
  const add = (terms: WantedList['terms'], list: readonly WantedList[]): void => {
    const opened = registries.open(terms);
    const problem = opened.ok ? (opened.value ? undefined : noRegistry(world)) : opened.error;
    if (problem) problems.set(problem.message, problem);
    if (!opened.ok || !opened.value) return;
    groups.set(opened.value, [...(groups.get(opened.value) ?? []), ...list]);
  };
  for (const list of wanted) add(list.terms, [list]);
  if (wanted.length === 0) add(DEFAULT_TERMS, []);
  const facts = Array.from(
    groups,
    async ([registry, list]) => await factsOf(registry, list, registries),
  );
  const found = await Promise.all(facts);
  registries.close();
  const ahead = new Map(
    found.flatMap(({ from, url }) => {
      const ms = url && dates.get(url.origin);
      return ms === undefined ? [] : [[from, ms] as const];
    }),
  );
  return {
    registries: found,
    problems: [...problems.values()],
    isWanted: wanted.length > 0,
    ahead,
  };
}

async function factsOf(
  registry: OpenRegistry,
  wanted: readonly WantedList[],
  registries: CommandRegistries,
): Promise<RegistryFacts> {
  const { address, remote } = registry;
  const url = 'url' in address ? address.url : undefined;
  const began = performance.now();
  const reading = readWithin(registry, wanted, registries).then((read) => {
    return { ...read, tookMs: performance.now() - began };
  });
  const [read, connection] = await Promise.all([reading, url && connectTo(url)]);
  return {
    from: 'url' in address ? (remote?.from ?? '') : excerpt(address.path),
    key: remote?.address,
    url,
    hasToken: url !== undefined && registries.tokenFor(url) !== undefined,
    wanted,
    connection,
    ...read,
  };
}

async function readWithin(
  registry: OpenRegistry,
  wanted: readonly WantedList[],
  registries: CommandRegistries,
): Promise<Pick<RegistryFacts, 'lists' | 'failure'>> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const ids = [...new Set(wanted.map(({ moduleId }) => moduleId))];
  try {
    if (ids.length === 0) await ask(registry, signal);
    const lists = await registries.readAll(registry, ids, signal);
    return { lists, failure: undefined };
  } catch (error) {
    if (error instanceof RegistryError) return { lists: new Map(), failure: error };
    if (signal.aborted) return { lists: undefined, failure: undefined };
    throw error;
  }
}

/** Asks a registry of which no module is known for something small. npm and OCI registries have nothing of that kind. */
async function ask({ address, remote }: OpenRegistry, signal: AbortSignal): Promise<void> {
  if ('url' in address) {
    await remote?.modules?.('modreg', { budget: noRetries(), signal });
    return;
  }
  try {
    accessSync(address.path, constants.R_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new RegistryError('unreadable-file', `${excerpt(address.path)} cannot be read (${code})`);
  }
}

/** A `fetch` that notes how far the clock of each origin is ahead, by the Date of its responses. */
function datesNoting(dates: Map<string, number>, world: World): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { origin } = new URL(input instanceof Request ? input.url : input);
    const date = Date.parse(response.headers.get('date') ?? '');
    const age = Number(response.headers.get('age') ?? 0) * 1000;
    if (Number.isFinite(date + age)) dates.set(origin, date + age - world.clock());
    return response;
  };
}

import { hasMinimumAge } from '../../core/machine/update-policy.ts';
import type { Eligibility } from '../../core/index.ts';
import type { OpenRegistry } from '../../registries/open-registries.ts';
import type { SavedLists } from '../../registry/saved-lists.ts';
import { fetchIn } from '../../base/network.ts';
import { addressOf, sendingWith } from '../../registry/http/network.ts';
import type { Problem } from '../../base/problem.ts';
import { commandRegistries, type CommandRegistries } from '../../host/command-registries.ts';
import { noRegistry, type RegistryOptions } from '../../host/registry-choice.ts';
import { unsavedLists } from '../../host/unsaved-lists.ts';
import type { World } from '../../base/world.ts';
import { probe, type RegistryFacts } from './probe-registry.ts';
import { placeOf, type Place } from './registry-fixes.ts';
import type { WantedList, WantedLists } from './wanted-lists.ts';

export interface RegistriesFacts {
  readonly registries: readonly RegistryFacts[];
  /** Why a registry cannot be opened: its address, or that none is named. */
  readonly problems: readonly Problem[];
  /** Where the address of each is written. */
  readonly place: Place;
  /** Whether the machine needs a list of any registry; undefined if its documents cannot be used. */
  readonly isWanted: boolean | undefined;
  /** Why saved lists could not be used. */
  readonly warnings: readonly Problem[];
  /** How far the clock of each registry is ahead of this machine's, by its address. */
  readonly ahead: ReadonlyMap<string, number>;
  /** What is wrong with this machine's clock for a module with a minimum age; undefined if nothing is known to be. */
  readonly clock?: Eligibility['clock'];
}

/** What a person waits for a dead registry. A poller waits longer. */
const LIMITS = {
  answerMs: 4000,
  idleMs: 3000,
  totalMs: 7000,
  slowAfterMs: 3000,
  retryWithinMs: 0,
} as const;

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

type ProbeOptions = RegistryOptions & {
  readonly saved: SavedLists | undefined;
  readonly machinePath: string | undefined;
};

/** Reads the wanted lists of each registry, all registries at once. Saves nothing. */
export async function registryFacts(
  wanted: WantedLists,
  { saved, machinePath, ...named }: ProbeOptions,
  world: World,
): Promise<RegistriesFacts> {
  const dates = new Map<string, number>();
  const requests = { limits: LIMITS, fetch: datesNoting(dates, world) };
  const options = {
    ...named,
    json: true as const,
    requests,
    ...(machinePath === undefined ? {} : { machinePath }),
    saved: unsavedLists(saved ?? NOTHING_SAVED),
  };
  const registries = commandRegistries(options, world);
  const place = placeOf(named, world);
  const { groups, problems } = grouped(wanted, registries, world);
  const found = await Promise.all(
    Array.from(
      groups,
      async ([registry, list]) => await probe(registry, list, { registries, world, place }),
    ),
  );
  registries.close();
  const clock = Array.from(groups)
    .filter(([, lists]) => lists.some(({ terms }) => hasMinimumAge(terms.minimumAge)))
    .map(([registry]) => registry.clockFault?.())
    .find((fault) => fault !== undefined);
  return {
    registries: found,
    problems,
    place,
    warnings: registries.warnings,
    isWanted: wanted.lists.length > 0 || (wanted.isUnknown ? undefined : false),
    ahead: aheadIn(dates, found),
    clock,
  };
}

/** How far the clocks of registries are ahead, by their addresses. `dates` are by origin. */
function aheadIn(
  dates: ReadonlyMap<string, number>,
  found: readonly RegistryFacts[],
): RegistriesFacts['ahead'] {
  return new Map(
    found.flatMap(({ from, url }) => {
      const ms = url && dates.get(url.origin);
      return ms === undefined ? [] : [[from, ms] as const];
    }),
  );
}

interface Grouped {
  readonly groups: ReadonlyMap<OpenRegistry, readonly WantedList[]>;
  readonly problems: readonly Problem[];
}

/** The lists by their registry. If none is wanted, the registry that is named otherwise has none. */
function grouped(
  { lists: wanted, otherwise }: WantedLists,
  registries: CommandRegistries,
  world: World,
): Grouped {
  const problems = new Map<string, Problem>();
  const groups = new Map<OpenRegistry, WantedList[]>();
  const add = (terms: WantedList['terms'], lists: readonly WantedList[]): void => {
    const opened = registries.open(terms);
    if (opened.ok && opened.value) {
      groups.set(opened.value, [...(groups.get(opened.value) ?? []), ...lists]);
      return;
    }
    const problem = opened.ok ? noRegistry(world) : opened.error;
    problems.set(problem.message, problem);
  };
  for (const list of wanted) add(list.terms, [list]);
  if (wanted.length === 0) add(otherwise, []);
  return { groups, problems: [...problems.values()] };
}

/** A `fetch` that notes how far the clock of each origin is ahead, by the Date of its responses. */
function datesNoting(dates: Map<string, number>, world: World): typeof globalThis.fetch {
  const send = fetchIn(world);
  return sendingWith(send, async (input, init) => {
    const response = await send(input, init);
    const { origin } = new URL(addressOf(input));
    const date = Date.parse(response.headers.get('date') ?? '');
    const ms = date + ageIn(response.headers) - world.clock();
    if (!Number.isNaN(ms)) dates.set(origin, ms);
    return response;
  });
}

/** How long a cache has kept the response, in milliseconds. */
function ageIn(headers: Headers): number {
  const [seconds = 0] = /^\d{1,9}$/.exec(headers.get('age') ?? '') ?? [];
  return Number(seconds) * 1000;
}

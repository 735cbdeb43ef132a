import type { Result } from '../core/index.ts';
import { firstFew } from '../core/text/few.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { namedRegistry } from '../host/registry-choice.ts';
import type { FleetClient } from '../registry/fleet-client.ts';
import { isJsonObject, type JsonObject } from '../registry/formats/json-object.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { withFleet, type FleetOptions } from './fleet-options.ts';
import { withReadRegistry } from './remote-lists.ts';

/** The names in a question about a fleet. */
export interface AskedNames {
  readonly machine?: string | undefined;
  readonly group?: string | undefined;
  /** The id of a module. */
  readonly moduleId?: string | undefined;
  /** The name of a module entry. */
  readonly entry?: string | undefined;
}

/** The names that a registry knows. */
type Known = Readonly<Record<keyof AskedNames, Set<string>>>;

const OF_PAGE = 1000;
/** A larger fleet is not read to say that a name is unknown. */
const MOST_PAGES = 10;
const NAMED = 5;

/**
 * A warning for each of these names that the registry does not know. For an answer that is empty (D486): otherwise a misspelt name looks
 * like a machine that sent no lines, or a module that never failed. Empty if the caller may not read what machines reported.
 */
export async function unknownNames(
  asked: AskedNames,
  options: FleetOptions,
  world: World,
): Promise<Problem[]> {
  if (Object.values(asked).every((one) => one === undefined)) return [];
  const known: Known = {
    machine: new Set(),
    group: new Set(),
    moduleId: new Set(),
    entry: new Set(),
  };
  const read = await withFleet(options, world, async (client) => await readNames(client, known));
  if (!read.ok || read.value === 'too-many') return [];
  const { moduleId } = asked;
  const isUnlisted =
    moduleId !== undefined &&
    !known.moduleId.has(moduleId) &&
    !(await readModules(known.moduleId, options, world));
  return Object.entries(WORDS).flatMap(([kind, words]) => {
    // A cast: Object.entries forgets the keys.
    const of = kind as keyof AskedNames;
    const name = asked[of];
    if (name === undefined || known[of].has(name) || (of === 'moduleId' && isUnlisted)) return [];
    return [warning(name, known[of], words)];
  });
}

/** What is said of a name, and of those that are known. */
interface Words {
  readonly unknown: (name: string) => string;
  readonly known: string;
}

const WORDS: Readonly<Record<keyof AskedNames, Words>> = {
  machine: { unknown: (name) => `no machine has reported as ${name}`, known: 'machines' },
  group: { unknown: (name) => `no machine has reported the group ${name}`, known: 'groups' },
  moduleId: {
    unknown: (name) => `no machine has reported ${name}, and it is not published here`,
    known: 'modules',
  },
  entry: { unknown: (name) => `no machine has a module entry ${name}`, known: 'entries' },
};

function warning(name: string, known: ReadonlySet<string>, words: Words): Problem {
  const suggestion = nearestWord(name, known);
  const few = firstFew(
    [...known].toSorted().map((one) => excerpt(one)),
    NAMED,
  ).join(', ');
  return {
    severity: 'warning',
    kind: 'unknown-reference',
    message: words.unknown(quote(name)),
    suggestion: suggestion && excerpt(suggestion),
    hint: few === '' ? 'no machine has reported yet' : `${words.known} here: ${few}`,
  };
}

/** Adds the names that machines reported, also those that are retired. */
async function readNames(
  client: FleetClient,
  known: Known,
): Promise<Result<'all' | 'too-many', Problem>> {
  for (const retired of ['false', 'true']) {
    let after: unknown = '';
    for (let page = 0; typeof after === 'string'; page++) {
      if (page === MOST_PAGES) return { ok: true, value: 'too-many' };
      const query = new URLSearchParams({ after, limit: `${OF_PAGE}`, retired });
      const { machines, next } = await client.read(`/machines?${query.toString()}`);
      for (const one of objectsIn(machines)) note(one, known);
      after = next;
    }
  }
  return { ok: true, value: 'all' };
}

function note({ id, group, modules }: JsonObject, known: Known): void {
  known.machine.add(String(id));
  if (typeof group === 'string') known.group.add(group);
  for (const { module_id: moduleId, name } of objectsIn(modules)) {
    known.moduleId.add(String(moduleId));
    known.entry.add(String(name));
  }
}

/** Adds the modules that are published. Returns false if the registry does not list them. */
async function readModules(
  known: Set<string>,
  options: FleetOptions,
  world: World,
): Promise<boolean> {
  const registry = namedRegistry(options, world);
  if (registry === undefined) return false;
  const read = await withReadRegistry({ registry }, world, async ({ registry: opened }) => {
    const ids = await opened.remote?.modules?.(undefined, { budget: retryBudget() });
    return { ok: true, value: ids };
  });
  for (const id of (read.ok && read.value) || []) known.add(id);
  return read.ok && read.value !== undefined;
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

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
import { withCatalogue } from './catalogue-options.ts';
import { withFleet, type FleetOptions } from './fleet-options.ts';
import { withReadRegistry, type ReadOptions } from './remote-lists.ts';

/** The names in a question about a fleet. */
export interface AskedNames {
  readonly machine?: string | undefined;
  readonly group?: string | undefined;
  /** The id of a module. */
  readonly moduleId?: string | undefined;
  readonly namespace?: string | undefined;
  /** The name of a module entry. */
  readonly entry?: string | undefined;
}

/** The names that a registry knows. */
type Known = Readonly<Record<keyof AskedNames, Set<string>>>;

const OF_PAGE = 1000;
/** A larger fleet is not read to say that a name is unknown. */
const MOST_PAGES = 10;
const NAMED = 5;
const READ = { mode: 'read', hasAddress: true } as const;

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
    namespace: new Set(),
    entry: new Set(),
  };
  const read = await withFleet(options, world, async (client) => await readNames(client, known));
  if (!read.ok || read.value === 'too-many') return [];
  const { moduleId, namespace } = asked;
  const isOfModules = moduleId !== undefined || namespace !== undefined;
  const registry = isOfModules ? namedRegistry(options, world) : undefined;
  const published = registry === undefined ? undefined : await modulesAt(registry, world);
  for (const id of published ?? []) known.moduleId.add(id);
  for (const id of known.moduleId) known.namespace.add(namespaceIn(id));
  return Object.entries(WORDS).flatMap(([kind, words]) => {
    // A cast: Object.entries forgets the keys.
    const of = kind as keyof AskedNames;
    const name = asked[of];
    const isUnlisted = published === undefined && (of === 'moduleId' || of === 'namespace');
    if (name === undefined || known[of].has(name) || isUnlisted) return [];
    return [warning(words.unknown(quote(name)), { name, known: known[of], words })];
  });
}

/** A warning that the registry has no module of this namespace, and which ones it has (D486). */
export async function unknownNamespace(
  name: string,
  options: ReadOptions,
  world: World,
): Promise<Problem[]> {
  const ids = await modulesOf(options, world);
  if (!ids) return [];
  const known = new Set(ids.map(namespaceIn));
  const message = `this registry has no namespace ${quote(name)}`;
  return [warning(message, { name, known, words: WORDS.namespace })];
}

/** What is said of a name, of those that are known, and where none is. */
interface Words {
  readonly unknown: (name: string) => string;
  readonly known: string;
  readonly none: string;
}

const WORDS: Readonly<Record<keyof AskedNames, Words>> = {
  machine: {
    unknown: (name) => `no machine has reported as ${name}`,
    known: 'machines',
    none: 'no machine has reported yet',
  },
  group: {
    unknown: (name) => `no machine has reported the group ${name}`,
    known: 'groups',
    none: 'no machine has reported a group',
  },
  moduleId: {
    unknown: (name) => `no machine has reported ${name}, and it is not published here`,
    known: 'modules',
    none: 'no module is published here',
  },
  namespace: {
    unknown: (name) => `no module of ${name} is reported or published here`,
    known: 'namespaces',
    none: 'no module is published here',
  },
  entry: {
    unknown: (name) => `no machine has a module entry ${name}`,
    known: 'entries',
    none: 'no machine has reported a module entry',
  },
};

function warning(
  message: string,
  {
    name,
    known,
    words,
  }: { readonly name: string; readonly known: ReadonlySet<string>; readonly words: Words },
): Problem {
  const suggestion = nearestWord(name, known);
  const few = firstFew(
    [...known].toSorted().map((one) => excerpt(one)),
    NAMED,
  ).join(', ');
  return {
    severity: 'warning',
    kind: 'unknown-reference',
    message,
    suggestion: suggestion && excerpt(suggestion),
    hint: few === '' ? words.none : `${words.known} here: ${few}`,
  };
}

/** The namespace of a module id, also of one that a machine reported. */
function namespaceIn(moduleId: string): string {
  return moduleId.split(':', 1)[0] ?? '';
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

/** The modules of a registry at an address or in a file; undefined if it does not list them. */
async function modulesOf(
  options: ReadOptions,
  world: World,
): Promise<readonly string[] | undefined> {
  if (options.registry !== undefined) return await modulesAt(options.registry, world);
  const read = withCatalogue(options, world, READ, (catalogue) => {
    return { ok: true, value: catalogue.modules() };
  });
  return read.ok ? read.value : undefined;
}

async function modulesAt(registry: string, world: World): Promise<readonly string[] | undefined> {
  const read = await withReadRegistry({ registry }, world, async ({ registry: opened }) => {
    const value = await opened.remote?.modules?.(undefined, { budget: retryBudget() });
    return { ok: true, value };
  });
  return read.ok ? read.value : undefined;
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

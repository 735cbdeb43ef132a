import type { Node } from 'jsonc-parser';
import { jsonPointer, type Path } from '../core/text/json-pointer.ts';
import { quote } from '../core/text/quote.ts';

/** Another version is another release of the same module. All else decides which program gets a secret, and what it does with it. */
const FREE: ReadonlySet<string> = new Set(['version']);
/** The lists whose entries start programs, or are given to them. Other secrets say themselves what they are for. */
const LISTS: ReadonlySet<string> = new Set(['modules', 'components']);

/** What decides who gets the secrets of an entry: the text of each, by its words for a message. */
type Terms = ReadonlyMap<string, string>;

/**
 * Returns a function that says what decides who gets the secret at a path, and differs between two documents of limited depth;
 * undefined if nothing does (T281). Both have `•••` instead of the secrets that are the same.
 */
export function changedReceivers(before: Node, after: Node): (path: Path) => string | undefined {
  const [old, fresh] = [termsIn(before), termsIn(after)];
  const found = new Map<string, string | undefined>();
  return (path) => {
    const entry = jsonPointer(path.slice(0, 2));
    if (!found.has(entry)) found.set(entry, difference(old.get(entry), fresh.get(entry)));
    return found.get(entry);
  };
}

function difference(before: Terms = new Map(), after: Terms = new Map()): string | undefined {
  const all = [...before.keys(), ...after.keys()];
  return all.find((words) => before.get(words) !== after.get(words));
}

/** The terms of all entries, by their pointers. */
function termsIn(root: Node): ReadonlyMap<string, Terms> {
  const entries = fieldsOf(root).flatMap(([list, { children = [] }]) =>
    LISTS.has(list) ? children.map((entry, index) => ({ path: [list, index], entry })) : [],
  );
  const programs = Map.groupBy(
    entries.filter(({ path }) => path[0] === 'modules'),
    ({ entry }) => String(valueOf(entry, 'module_id')),
  );
  return new Map(
    entries.map(({ path, entry }) => {
      const moduleId = /^[^:]+:[^:]+/.exec(String(valueOf(entry, 'model')))?.[0] ?? '';
      const provided = programs.get(moduleId)?.map((one) => textOfTerms(fixedIn(one.entry)));
      return [
        jsonPointer(path),
        new Map([...fixedIn(entry), ['the module of its model', provided?.join('; ') ?? '']]),
      ];
    }),
  );
}

function fixedIn(entry: Node): Terms {
  const fixed = fieldsOf(entry).filter(([name]) => !FREE.has(name));
  const texts = Map.groupBy(fixed, ([name]) => quote(name));
  return new Map([...texts].map(([words, all]) => [words, all.map(([, v]) => textOf(v)).join()]));
}

function textOfTerms(terms: Terms): string {
  return Array.from(terms, (term) => JSON.stringify(term))
    .toSorted()
    .join();
}

function fieldsOf({ type, children = [] }: Node): (readonly [name: string, value: Node])[] {
  if (type !== 'object') return [];
  return children.flatMap(({ children: [key, value] = [] }) =>
    key && value ? [[String(key.value), value] as const] : [],
  );
}

function valueOf(entry: Node, name: string): unknown {
  return fieldsOf(entry).find(([one]) => one === name)?.[1].value;
}

/** The same for the same value, however its fields are ordered and spaced. */
function textOf(node: Node): string {
  if (node.type === 'array') return `[${(node.children ?? []).map(textOf).join()}]`;
  if (node.type !== 'object') return JSON.stringify(node.value);
  const texts = fieldsOf(node).map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`);
  return `{${texts.toSorted().join()}}`;
}

import { applyEdits, modify, type JSONPath } from 'jsonc-parser';
import type { ModuleId } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import type { Result } from '../core/text/result.ts';
import { writtenEntries, type WrittenEntry } from './module-version.ts';
import { inserted, newEntry, newModule } from './new-module.ts';
import { withoutModule } from './removed-module.ts';
import { readJson } from './text/json-document.ts';

/** A machine config and the policy beside it, as texts. */
export interface DocumentTexts {
  readonly config: string;
  /** Undefined if there is none. */
  readonly policy: string | undefined;
}

/** A list of a policy whose entries an edit adds and removes. */
type PolicyList = 'maintenance' | 'blackout';

/** One edit of the documents of a machine (D416). */
export type DocumentEdit =
  | {
      readonly kind: 'add';
      readonly moduleId: ModuleId;
      readonly name: string;
      /** A constraint. */
      readonly version: string;
    }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'append'; readonly to: PolicyList; readonly entry: object }
  /** `entry` is the JSON of the entry that a person saw. */
  | { readonly kind: 'drop'; readonly from: PolicyList; readonly entry: string }
  /** A duration. */
  | { readonly kind: 'age'; readonly age: string };

/** What the edits of documents can be about. */
export interface Editable {
  readonly modules: readonly WrittenEntry[];
  readonly maintenance: readonly object[];
  readonly blackout: readonly object[];
  /** As written; undefined if the policy has none. */
  readonly age: string | undefined;
}

/** What can be edited in documents that are JSON. */
export function editableIn({ config, policy }: DocumentTexts): Editable {
  const terms = Object(readJson(policy ?? '{}').value);
  const { minimum_release_age: age } = terms;
  return {
    modules: writtenEntries(config),
    maintenance: listIn(terms, 'maintenance'),
    blackout: listIn(terms, 'blackout'),
    age: typeof age === 'string' ? age : undefined,
  };
}

function listIn(terms: Readonly<Record<string, unknown>>, name: PolicyList): readonly object[] {
  const { [name]: list } = terms;
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** The documents after an edit: nothing else in them changes. The error is why it is none of them. */
export function edited(texts: DocumentTexts, edit: DocumentEdit): Result<DocumentTexts, string> {
  switch (edit.kind) {
    case 'add':
      return added(texts, edit);
    case 'remove':
      return removed(texts, edit.name);
    case 'append': {
      const { policy } = texts;
      const isFirst = policy === undefined || editableIn(texts)[edit.to].length === 0;
      if (isFirst) return { ok: true, value: withTerm(texts, [edit.to], [edit.entry]) };
      const insertions = newEntry(policy, [edit.to], edit.entry);
      return { ok: true, value: { ...texts, policy: inserted(policy, insertions) } };
    }
    case 'drop':
      return dropped(texts, edit);
    case 'age':
      return { ok: true, value: withTerm(texts, ['minimum_release_age'], edit.age) };
  }
}

function added(
  texts: DocumentTexts,
  entry: DocumentEdit & { readonly kind: 'add' },
): Result<DocumentTexts, string> {
  const known = writtenEntries(texts.config);
  const same = known.find(({ name }) => name === entry.name);
  const other = known.find(({ moduleId }) => moduleId === entry.moduleId);
  if (other) return wrong(`${entry.moduleId} has the entry ${quote(other.name)} already`);
  if (same) return wrong(`the name ${quote(same.name)} is that of ${same.moduleId}`);
  const config = inserted(texts.config, newModule(texts.config, entry));
  return { ok: true, value: { ...texts, config } };
}

function removed(texts: DocumentTexts, named: string): Result<DocumentTexts, string> {
  const place = Object(readJson(texts.config).value).modules?.findIndex?.(
    (entry: unknown) => Object(entry).name === named,
  );
  if (!(place >= 0)) return wrong(`the machine config has no module entry ${quote(named)}`);
  return { ok: true, value: { ...texts, config: withoutModule(texts.config, place) } };
}

function dropped(
  texts: DocumentTexts,
  { from, entry }: DocumentEdit & { readonly kind: 'drop' },
): Result<DocumentTexts, string> {
  const list = editableIn(texts)[from];
  const place = list.findIndex((one) => JSON.stringify(one) === entry);
  if (place === -1) return wrong(`the policy has no such entry of ${from} any more`);
  // An empty list would be another term than none.
  const path = list.length === 1 ? [from] : [from, place];
  return { ok: true, value: withTerm(texts, path, undefined) };
}

function wrong(message: string): Result<never, string> {
  return { ok: false, error: message };
}

/** The policy with a term at `path`; undefined removes it. */
function withTerm(
  { config, policy = '{}\n' }: DocumentTexts,
  path: JSONPath,
  value: unknown,
): DocumentTexts {
  const eol = /\r\n|\n|\r/.exec(policy)?.[0] ?? '\n';
  const formattingOptions = { tabSize: 2, insertSpaces: true, eol };
  const edits = modify(policy, path, value, { formattingOptions });
  return { config, policy: applyEdits(policy, edits) };
}

import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import type { ServedConfig, ServedRefusal } from '../../core/trust/served-config.ts';
import { readJson } from '../text/json-document.ts';
import { checkedServed, valueOf } from './checked-served.ts';
import { differing, isObject, objectAt, type JsonObject } from './json.ts';
import { mergedPolicy } from './merged.ts';

/** The documents of a machine as texts. */
export type ConfigTexts = Pick<ServedConfig, 'config' | 'policy'>;

/**
 * The documents that a machine gets whose own are `own`, and which uses `fragments` in this order: of entries with the same name the last
 * one, and the terms of each over those before it, the own ones last (D329). Without fragments, its own as they are.
 */
export function compiledOf(
  own: ConfigTexts,
  fragments: readonly string[],
): Result<ConfigTexts, ServedRefusal> {
  const texts = fragments.length === 0 ? { ok: true as const, value: own } : joined(own, fragments);
  if (!texts.ok) return texts;
  const checked = checkedServed(texts.value);
  return checked.ok ? texts : checked;
}

function joined(
  own: ConfigTexts,
  fragments: readonly string[],
): Result<ConfigTexts, ServedRefusal> {
  const fault =
    notJson('the machine config', own.config) ?? notJson('the policy', own.policy ?? '{}');
  if (fault !== undefined) return { ok: false, error: { code: 'malformed', detail: fault } };
  const config = valueOf(own.config);
  const parts = fragments.map(valueOf);
  const entries = [...parts, config].flatMap(({ modules }) =>
    Array.isArray(modules) ? modules : [],
  );
  const policies = [
    ...parts.map((part) => part['policy']),
    own.policy === undefined ? undefined : valueOf(own.policy),
  ].filter(isObject);
  const policy = policies.reduce(mergedPolicy, {});
  return {
    ok: true,
    value: {
      config: written({ ...config, modules: lastByName(entries) }),
      policy: policies.length === 0 ? undefined : written(policy),
    },
  };
}

/** Each entry where one with its name is first. What has no name is kept, for the check. */
function lastByName(entries: readonly unknown[]): readonly unknown[] {
  const found = new Map<unknown, unknown>();
  for (const entry of entries) found.set(nameOf(entry) ?? entry, entry);
  return [...found.values()];
}

function nameOf(entry: unknown): string | undefined {
  const name = isObject(entry) ? entry['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function written(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function notJson(which: string, text: string): string | undefined {
  const { value, findings } = readJson(text);
  if (findings.length > 0) return `${which} is not JSON that can be used`;
  if (!isObject(value)) return `${which} is not an object`;
  const { modules = [] } = value;
  return Array.isArray(modules) ? undefined : `${which}: /modules is not a list`;
}

const PARTS: ReadonlySet<string> = new Set(['modules', 'policy']);

/** What is wrong with a fragment: it has modules and terms of a policy, which a site may set (D260). */
export function fragmentFault(text: string): string | undefined {
  const fault = notJson('the fragment', text);
  if (fault !== undefined) return fault;
  const value = valueOf(text);
  const other = Object.keys(value).find((key) => !PARTS.has(key));
  if (other !== undefined) {
    return `the fragment has ${excerpt(other)}, expected modules and policy alone`;
  }
  if ('policy' in value && !isObject(value['policy']))
    return 'the fragment: /policy is not an object';
  const { modules = [], policy } = value;
  const checked = checkedServed({
    config: JSON.stringify({ modules }),
    policy: isObject(policy) ? JSON.stringify(policy) : undefined,
  });
  return checked.ok ? undefined : `${checked.error.code}: ${checked.error.detail}`;
}

/** What differs between two documents of a machine, a line each: entries with their versions, and places. */
export function changesBetween(before: ConfigTexts, after: ConfigTexts): string[] {
  const [from, to] = [valueOf(before.config), valueOf(after.config)];
  const [one, other] = [entriesIn(from), entriesIn(to)];
  const modules = differing(one, other).flatMap((name) => {
    const label = excerpt(name);
    if (!Object.hasOwn(other, name)) return [`${label} is removed`];
    const version = versionIn(other, name);
    if (!Object.hasOwn(one, name)) return [`${label} ${version} is added`];
    const earlier = versionIn(one, name);
    const { version: _from, ...old } = objectAt(one, name);
    const { version: _to, ...now } = objectAt(other, name);
    const others = valueChanges(label, old, now);
    return earlier === version ? others : [`${label} ${earlier} → ${version}`].concat(others);
  });
  const { modules: _one, ...config } = from;
  const { modules: _other, ...next } = to;
  return [
    ...modules,
    ...valueChanges('', config, next),
    ...valueChanges('/policy', valueOf(before.policy ?? ''), valueOf(after.policy ?? '')),
  ];
}

/** A value in a line is cut at so many characters. */
const LONGEST_VALUE = 300;

/** What differs between two values, a line for each place, with both values (D455). Lists are compared as a whole. */
function valueChanges(place: string, before: unknown, after: unknown): string[] {
  if (isObject(before) && isObject(after)) {
    return differing(before, after).flatMap((key) =>
      valueChanges(`${place}/${excerpt(key)}`, before[key], after[key]),
    );
  }
  const [from, to] = [before, after].map((value) =>
    value === undefined ? '' : excerpt(JSON.stringify(value), LONGEST_VALUE),
  );
  if (before === undefined) return [`${place} ${to} is added`];
  return [after === undefined ? `${place} ${from} is removed` : `${place} ${from} → ${to}`];
}

function entriesIn({ modules }: JsonObject): JsonObject {
  const list = Array.isArray(modules) ? modules : [];
  return Object.fromEntries(list.map((entry) => [nameOf(entry) ?? '', entry]));
}

function versionIn(entries: JsonObject, name: string): string {
  const { version = '' } = objectAt(entries, name);
  return excerpt(typeof version === 'string' ? version : '');
}

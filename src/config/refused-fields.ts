import { jsonPointer } from '../core/text/json-pointer.ts';
import type { UnknownField } from '../core/machine/machine.ts';
import type { CheckContext } from './check-context.ts';
import { NEWER_VERSIONS, type DocumentKind } from './document-kind.ts';
import type { Finding } from './fault.ts';

/** The findings of a check, and the fields that hold every replacement. */
interface RefusedFields {
  readonly findings: readonly Finding[];
  /** Undefined if there are none. */
  readonly unknownFields: readonly UnknownField[] | undefined;
}

/**
 * Refuses the unknown fields of a policy and of an agent configuration: what they ask for may be a protection (D240). Of a machine
 * config, one that is probably its `agent` or its `modules`, without which no module would run. Those of a module entry and of a
 * component are for others to read.
 */
export function refusedFields(
  kind: DocumentKind,
  value: unknown,
  findings: readonly Finding[],
  { unknownFields = 'error' }: CheckContext,
): RefusedFields {
  const isRefused = (finding: Finding): boolean =>
    finding.kind === 'unknown-field' &&
    (kind !== 'machine' || isOfAgent(finding) || isModules(finding, value));
  const refused = findings.filter(isRefused);
  const hold = refused.map(({ path, suggest }): UnknownField => {
    return { path: jsonPointer(path), suggestion: suggest?.() };
  });
  return {
    findings: findings.map((finding) => {
      if (!isRefused(finding)) return finding;
      const hint = kind === 'policy' ? undefined : OLDER.get(finding.path.at(-1));
      return { ...finding, hint, isRefused: unknownFields === 'error' };
    }),
    unknownFields: hold.length > 0 ? hold : undefined,
  };
}

/** Whether a field of a machine config is in its agent configuration, or its name is probably that of it. */
function isOfAgent({ path: [first, ...rest], suggest }: Finding): boolean {
  return first === 'agent' || (rest.length === 0 && suggest?.() === 'agent');
}

/** Whether a field of a machine config that has no `modules` is probably that (D315). */
function isModules({ path, suggest }: Finding, value: unknown): boolean {
  return path.length === 1 && suggest?.() === 'modules' && !Object.hasOwn(Object(value), 'modules');
}

/** What the older format has in place of a field of the newer one. */
const OLDER: ReadonlyMap<unknown, string> = new Map([
  [
    NEWER_VERSIONS,
    'a newer format names versions there; in this one, pin_version, pin_url and release_channel of platform-agent and platform-server do',
  ],
]);

/** A document that was read, with the fields that it was read without. */
export function withUnknown<T extends object>(
  document: T,
  unknownFields: RefusedFields['unknownFields'],
): T & Partial<Pick<RefusedFields, 'unknownFields'>> {
  return unknownFields ? { ...document, unknownFields } : document;
}

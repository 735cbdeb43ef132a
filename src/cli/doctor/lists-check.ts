import { isTooOld } from '../../core/releases/list-age.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { RegistryError, RegistryErrorKind } from '../../registry/registry-error.ts';
import type { SavedListTime } from '../../store/saved-lists-table.ts';
import { countOf } from '../../base/count.ts';
import { findingsOf, firstFindings, type Finding } from './finding.ts';
import { failuresOf, isOfRegistry } from './registry-check.ts';
import type { RegistryFacts } from './probe-registry.ts';
import type { RegistriesFacts } from './registry-facts.ts';

const { ok, info, warning, error } = findingsOf('lists');

export interface ListFacts extends Pick<RegistriesFacts, 'registries' | 'warnings'> {
  /** What machine.db has saved. */
  readonly saved: readonly SavedListTime[];
  readonly now: number;
}

/** Whether the wanted lists are accepted, and how long the saved ones may be used without their registries. */
export function checkLists(facts: ListFacts): Finding[] {
  const stuck = facts.registries.flatMap((registry) =>
    Array.from(failuresOf(registry)).flatMap(([moduleId, failure]) =>
      isOfRegistry(failure) ? [] : [refused(moduleId, failure)],
    ),
  );
  const unusable = facts.warnings.map(({ message }) =>
    warning(message, 'restart the agent or poller, which reads the list again'),
  );
  return [
    ...unusable,
    ...firstFindings(stuck, 'modreg plan machine.json shows all'),
    ...ageFindings(facts),
  ];
}

function refused(moduleId: string, { kind, message, hint, suggestion }: RegistryError): Finding {
  const nearest = suggestion === undefined ? undefined : `did you mean ${suggestion}?`;
  const fix =
    FIXES[kind]?.(moduleId) ?? nearest ?? hint ?? `modreg resolve ${moduleId} latest --explain`;
  return error(message, fix);
}

const FIXES: Partial<Record<RegistryErrorKind, (moduleId: string) => string>> = {
  'registry-regressed': accepting,
  'registry-implausible': accepting,
  'list-too-large': () =>
    'docs/registry.md#network-requests-and-limits has the limits of a response',
};

function accepting(moduleId: string): string {
  return `find out why (docs/a-registry-was-restored.md), then modreg accept ${moduleId}`;
}

interface Age {
  readonly moduleId: string;
  readonly confirmedAt: number;
  readonly maxIndexAgeMs: number;
}

function ageFindings({ registries, saved, now }: ListFacts): Finding[] {
  const online = registries.filter(({ key }) => key !== undefined);
  if (online.every(({ wanted }) => wanted.length === 0)) return [];
  const ages = online.flatMap(({ key, wanted }) => agesOf(key, wanted, saved));
  const [oldest] = ages.toSorted((a, b) => a.confirmedAt - b.confirmedAt);
  if (!oldest) {
    return [info('no list is saved yet; the first round of the agent or poller saves them')];
  }
  const count = countOf(ages.length, 'saved list');
  const tooOld = ages.filter((age) => isTooOld(age.confirmedAt, now, age.maxIndexAgeMs));
  const [first] = tooOld.toSorted((a, b) => a.confirmedAt - b.confirmedAt);
  if (!first) return [ok(`${count}; the oldest, of ${described(oldest, now)}`)];
  const found = `${tooOld.length} of ${count} cannot be used without a registry; that of ${described(first, now)}`;
  return [
    warning(
      found,
      'start the agent or poller, which confirms them; or raise max_index_age in the policy',
    ),
  ];
}

function agesOf(
  key: string | undefined,
  wanted: RegistryFacts['wanted'],
  saved: ListFacts['saved'],
): Age[] {
  const limits = new Map<string, number>(
    wanted.map(({ moduleId, terms }) => [moduleId, terms.maxIndexAgeMs]),
  );
  return saved.flatMap(({ address, moduleId, confirmedAt }) => {
    const maxIndexAgeMs = limits.get(moduleId);
    return address === key && maxIndexAgeMs !== undefined
      ? [{ moduleId, confirmedAt, maxIndexAgeMs }]
      : [];
  });
}

function described({ moduleId, confirmedAt, maxIndexAgeMs }: Age, now: number): string {
  const ago =
    confirmedAt > now
      ? `by a clock ${describeDuration(confirmedAt - now)} ahead`
      : `${describeDuration(now - confirmedAt)} ago`;
  return `${excerpt(moduleId)}, was confirmed ${ago} (max_index_age ${describeDuration(maxIndexAgeMs)})`;
}

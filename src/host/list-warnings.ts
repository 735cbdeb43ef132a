import type { ReleaseList } from '../registry/registry.ts';
import {
  describeDeprecated,
  describeMisfit,
  describeYanked,
  rolloutWords,
} from '../core/explanation/words.ts';
import type { ModuleId, ReleaseIndex, Resolution } from '../core/index.ts';
import { bypassedRollout } from '../core/releases/rollout-refusal.ts';
import { quote } from '../core/text/quote.ts';
import { textOf } from '../core/text/time-words.ts';
import type { WarningKind } from '../base/codes.ts';
import type { Problem } from '../base/problem.ts';

const NAMED = 3;

/** A warning for each group of entries and parts of the list that could not be read. */
export function listWarnings(
  moduleId: ModuleId,
  list: ReleaseList,
  index: ReleaseIndex,
): Problem[] {
  return [...ignoredEntries(moduleId, index), ...droppedParts(moduleId, list)];
}

/** The warnings that a release is yanked or deprecated, or that a pin to it bypasses its rollout. */
export function releaseWarnings(
  moduleId: ModuleId,
  { release, input }: Resolution & { readonly kind: 'resolved' },
): Problem[] {
  const { version, yanked, deprecated } = release;
  const bypassed = bypassedRollout(input, release);
  const subject = `${moduleId} ${version.text}`;
  return [
    ...(yanked === undefined
      ? []
      : [warning('yanked', `${subject} is ${describeYanked(yanked)}; a pin may still name it`)]),
    ...(deprecated === undefined
      ? []
      : [warning('deprecated', `${subject} is ${describeDeprecated(deprecated)}`)]),
    ...(bypassed
      ? [
          warning(
            'rollout-bypassed',
            `the pin bypasses the rollout of ${subject}: ${textOf(rolloutWords(bypassed))}`,
          ),
        ]
      : []),
  ];
}

function warning(kind: WarningKind, message: string): Problem {
  return { severity: 'warning', kind, message };
}

function ignoredEntries(moduleId: ModuleId, index: ReleaseIndex): Problem[] {
  const unreadable = index.unreadable();
  if (unreadable.length === 0) return [];
  const named = unreadable
    .slice(0, NAMED)
    .map((error) => `${quote(error.text)} (${describeMisfit(error)})`);
  const rest = unreadable.length > NAMED ? ', …' : '';
  const count = `${unreadable.length} of ${index.published} entries`;
  const message = `ignored ${count} of ${moduleId}, not a version: ${named.join(', ')}${rest}`;
  return [warning('ignored-entries', message)];
}

function droppedParts(moduleId: ModuleId, { dropped }: ReleaseList): Problem[] {
  const [first] = dropped;
  if (first === undefined) return [];
  const parts = dropped.length === 1 ? '1 part' : `${dropped.length} parts`;
  const because = dropped.slice(0, NAMED);
  // A line without a place in the list is about how the list was read.
  const isOfList = dropped.every((line) => line.startsWith('/'));
  const message = isOfList
    ? `ignored ${parts} of the list of ${moduleId}`
    : `the list of ${moduleId} was not read as usual`;
  return [{ ...warning('ignored-entries', message), because }];
}

import {
  parsePlatform,
  type DecideInput,
  type DigestChange,
  type ReleaseIndex,
  type Window,
} from '../core/index.ts';
import type { Blackout } from '../core/decision/timing-policies.ts';
import type { UpgradeRequest } from '../core/decision/upgrade-request.ts';
import { MOST_BLACKOUTS } from '../core/machine/document-limits.ts';
import { isTime } from '../core/text/rfc3339.ts';
import { haveSameAnswers, isAsked, isMachine, withMachine } from './machine-answers.ts';
import { areVerdicts, haveSameVerdicts, isTrust, withTrust } from './trust-verdicts.ts';
import { originOf } from '../registry/list-origin.ts';
import {
  areRefused,
  isBranch,
  isConstraint,
  isMinimumAge,
  isUnknownField,
  isVersion,
} from './release-terms-shapes.ts';
import { isRequester, isRestartRequest, isSkippedFloor } from './request-shapes.ts';
import {
  anyOf,
  isFlag,
  isMapOf,
  isNumber,
  isText,
  isWords,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Shape,
} from './shape.ts';

/*
 * The facts of a decision: its DecideInput as JSON, without the release list, which is saved elsewhere. The code is
 * generic: a new field of DecideInput needs a line in SHAPES and nothing else, as long as it contains only objects,
 * arrays, maps, sets and single values. A value that JSON lacks is an object with one key that begins with `$`.
 */

/** The rules of a maintenance window. */
export type WindowRules = NonNullable<Window['windows']>;

const areRules = listOf(objectOf({ start: isText, durationMs: isNumber, timeZone: isText }));

/** Whether parsed rules have the fields of such rules. Their patterns and time zones may still be wrong. */
export function areWindowRules(rules: unknown): rules is WindowRules {
  return areRules(rules);
}

/** What the facts do not contain, or cannot contain as data. */
export interface OtherParts {
  readonly index: ReleaseIndex;
  /** The window with these rules; they may be damaged. Undefined if there are none: another program computed it. */
  readonly windowOf: (rules: unknown) => Window;
}

/** The facts of the decision with this input, as the text of a JSON object. */
export function encodeFacts(input: DecideInput): string {
  return JSON.stringify(input, (_key, value: unknown) => encoded(value));
}

function encoded(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) };
  // The message of an error is not one of its enumerable properties.
  if (value instanceof Error) return Object.assign({}, value, { message: value.message });
  if (value instanceof Map) return { $map: [...value] };
  if (value instanceof Set) return { $set: [...value] };
  if (isIndex(value)) return { $index: value.published };
  return isWindow(value) ? { $windows: value.windows ?? null } : value;
}

/** The input that `encodeFacts` encoded, from its parsed JSON, or the name of the first field that is damaged. */
export function decodeFacts(
  facts: unknown,
  parts: OtherParts,
): { readonly input: DecideInput } | { readonly damaged: string } {
  const input = decoded(facts, parts);
  if (typeof input !== 'object' || input === null) return { damaged: 'the whole' };
  const fields = input as Readonly<Record<string, unknown>>;
  const damaged = Object.entries(SHAPES).find(([name, shape]) => !shape(fields[name]));
  if (damaged) return { damaged: damaged[0] };
  // The shapes were checked.
  return { input: withTrust(withMachine(input as DecideInput)) };
}

/** The rules of the maintenance windows in parsed facts, which may be damaged; undefined if they have none. */
export function windowRulesIn(facts: unknown): unknown {
  const { timing } = Object(facts) as { readonly timing?: unknown };
  const { window } = Object(timing) as { readonly window?: unknown };
  const { $windows } = Object(window) as { readonly $windows?: unknown };
  return $windows ?? undefined;
}

/** The time zone of the first maintenance window, else of the first blackout, in parsed facts; undefined if they have none. */
export function timeZoneIn(facts: unknown): string | undefined {
  const { timing } = Object(facts) as { readonly timing?: unknown };
  const { blackouts } = Object(timing) as { readonly blackouts?: unknown };
  const all = [windowRulesIn(facts), blackouts].filter((list) => Array.isArray(list)).flat();
  const [first]: readonly unknown[] = all;
  const { timeZone } = Object(first) as { readonly timeZone?: unknown };
  return typeof timeZone === 'string' ? timeZone : undefined;
}

function decoded(value: unknown, parts: OtherParts): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => decoded(one, parts));
  const entries = Object.entries(value);
  const [[key, content] = ['', undefined]] = entries;
  if (key === '$index') return parts.index;
  if (key === '$windows') return parts.windowOf(content ?? undefined);
  if (key === '$number') return Number(content);
  const inner = entries.map(([name, one]) => [name, decoded(one, parts)] as const);
  const items: unknown = inner[0]?.[1];
  if (key === '$map' && isListOfPairs(items)) return new Map(items as [unknown, unknown][]);
  if (key === '$set' && Array.isArray(items)) return new Set(items);
  return Object.fromEntries(inner);
}

/**
 * Whether two inputs have the same facts. The times of the decision, of the list and of the first list are not compared. Lists are equal if they have the
 * same origin, windows if they have the same rules.
 */
export function haveSameFacts(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (isMachine(one) || isMachine(other)) return haveSameAnswers(one, other);
  if (isTrust(one) || isTrust(other)) return haveSameVerdicts(one, other);
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) {
    return typeof one === 'function' && typeof other === 'function';
  }
  if (isIndex(one)) return isIndex(other) && hasSameOrigin(one, other);
  if (one instanceof Map || one instanceof Set) {
    if (!(other instanceof Map || other instanceof Set)) return false;
    return haveSameFacts([...one], [...other]);
  }
  const [fields, others] = [one, other] as Readonly<Record<string, unknown>>[];
  for (const key of Object.keys(one)) {
    if (!MOMENTS.has(key) && !haveSameFacts(fields?.[key], others?.[key])) return false;
  }
  return Object.keys(other).every((key) => key in one || others?.[key] === undefined);
}

/** A list that keeps no history was first read just now, and each round confirms the others. */
const MOMENTS: ReadonlySet<string> = new Set(['now', 'since', 'readAt', 'aheadMs', 'certainAt']);

function hasSameOrigin(one: ReleaseIndex, other: ReleaseIndex): boolean {
  const [first, second] = [originOf(one), originOf(other)];
  // A list without an origin cannot be recorded, so only what the facts say about it counts.
  return first ? haveSameFacts(first, second) : !second && one.published === other.published;
}

function isIndex(value: unknown): value is ReleaseIndex {
  return typeof value === 'object' && value !== null && 'candidates' in value;
}

function isWindow(value: unknown): value is Window {
  return typeof value === 'object' && value !== null && 'nextOpening' in value;
}

const isListOfPairs = listOf((pair) => Array.isArray(pair) && pair.length === 2);

const isSetOfTexts: Shape = (value) => value instanceof Set && [...value].every(isText);
const isSpan = objectOf({ after: isNumber, at: isNumber });
const isMoment: Shape = (value) => typeof value === 'number' && isTime(value);
const isDigestChange = objectOf<keyof DigestChange>({
  platform: isText,
  first: isText,
  now: optional(isText),
});
const isBlackout = objectOf<keyof Blackout>({
  from: isMoment,
  until: isMoment,
  timeZone: isText,
  reason: optional(isText),
});

/** A machine can report more than its policy may have (T335). */
const areBlackouts: Shape = (value) =>
  Array.isArray(value) && value.length <= MOST_BLACKOUTS && value.every(isBlackout);

/** The fields of a decoded input. */
const SHAPES: Readonly<Record<keyof DecideInput, Shape>> = {
  requirement: anyOf(
    isConstraint,
    objectOf({ kind: oneOf('pin-url'), url: isText, shadowed: optional(isVersion) }),
    objectOf({ kind: oneOf('local', 'disabled') }),
  ),
  list: anyOf(
    objectOf({ error: objectOf({ kind: isText, message: isText, words: optional(isWords) }) }),
    objectOf({
      index: isIndex,
      changedDigests: optional(isMapOf(isDigestChange)),
      firstSeen: optional(objectOf({ since: isNumber, added: isMapOf(isSpan) })),
      trust: optional(objectOf({ verdicts: areVerdicts })),
      stale: optional(
        objectOf({ confirmedAt: isNumber, message: isText, words: optional(isWords) }),
      ),
      readAt: optional(isNumber),
      clock: optional(
        anyOf(
          objectOf({ kind: oneOf('wrong'), aheadMs: isNumber }),
          objectOf({ kind: oneOf('unsynchronized', 'distrusted'), certainAt: optional(isNumber) }),
        ),
      ),
    }),
  ),
  deployed: anyOf(
    objectOf({ kind: oneOf('version'), version: isVersion }),
    objectOf({ kind: oneOf('url'), url: isText }),
    objectOf({ kind: oneOf('other'), text: isText }),
    objectOf({ kind: oneOf('none', 'unknown') }),
  ),
  previous: optional(isVersion),
  failed: optional(isVersion),
  quarantine: listOf(
    objectOf({
      version: isText,
      branch: optional(isBranch),
      digest: optional(isText),
      until: optional(isNumber),
      reason: optional(isText),
      retry: optional(isNumber),
      byOperator: optional(oneOf(true)),
      failedIn: optional(isText),
      undecided: optional(objectOf({ sameAs: optional(isText), isWaiting: isFlag })),
      rolledBack: optional(
        objectOf({
          from: isVersion,
          to: optional(isVersion),
          requester: optional(isRequester),
          refused: optional(isSetOfTexts),
        }),
      ),
    }),
  ),
  skippedFloors: optional(listOf(isSkippedFloor)),
  eligibility: objectOf({
    now: isMoment,
    platform: (value) => parsePlatform(value).ok,
    machineId: optional(isText),
    group: optional(isText),
    notAfter: optional(isNumber),
    minimumAge: optional(isMinimumAge),
    refuse: optional(areRefused),
    artifactRules: optional(objectOf({ requireDigest: isFlag, allowHttp: listOf(isText) })),
    machine: optional(objectOf({ asked: isAsked })),
  }),
  maxIndexAgeMs: isNumber,
  allowDowngrade: isFlag,
  onYank: optional(oneOf('keep', 'replace')),
  restartRequest: optional(isRestartRequest),
  upgradeRequest: optional(
    objectOf<keyof UpgradeRequest>({
      requestedAt: isNumber,
      by: isText,
      because: optional(isText),
      from: optional(isText),
      to: isText,
      despite: listOf(objectOf({ by: isText, said: optional(isText) })),
    }),
  ),
  timing: objectOf({
    window: optional(isWindow),
    blackouts: optional(areBlackouts),
    answer: optional(isText),
    vetoes: optional(
      listOf(objectOf({ by: isText, said: optional(isText), isOverridable: isFlag })),
    ),
    isServerBusy: isFlag,
    restarts: listOf(isNumber),
    restartCooldownMs: isNumber,
    restartCeiling: isNumber,
    longestHoldEnd: optional(isNumber),
    unknownFields: optional(listOf(isUnknownField)),
    operatorHolds: optional(
      listOf(
        objectOf({
          of: oneOf('machine', 'target'),
          by: isText,
          because: isText,
          since: isNumber,
          until: optional(isNumber),
          endsAt: optional(isNumber),
        }),
      ),
    ),
  }),
};

import * as v from 'valibot';
import { parseModuleId, type ModuleId, type Result } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import { quote } from '../core/text/quote.ts';
import { EARLIEST_TIME, formatTime, isWritable, LATEST_TIME } from '../core/text/rfc3339.ts';
import type { CatalogueChange } from '../server/catalogue/catalogue-change.ts';
import { MACHINE_TABLES, type ImportedRow } from '../server/catalogue/imported-rows.ts';
import { readRelease, releaseAsJson } from '../server/catalogue/published-release.ts';
import { signatures } from '../server/catalogue/published-signatures.ts';
import { UnreadableChange } from '../server/catalogue/readable-change.ts';
import { notesText } from '../server/catalogue/release-notes.ts';
import { eventSoak, rolloutEvent, startedEvent } from '../server/catalogue/rollout-event.ts';
import { describe } from '../server/catalogue/schema-errors.ts';
import type { MachineChanges } from '../server/configs/machine-change.ts';
import { isOfMachines, MACHINE_EVENTS, MACHINE_SCHEMA } from './machine-event.ts';
import { packed, unpacked } from './packed-event.ts';

/** Of the events that every front understands. */
export const SCHEMA = 1;
/** Of the events that fronts of modreg 0.2 do not understand. */
const LATER_SCHEMA = 2;
/** The last that this program understands. */
export const LATEST_SCHEMA: number = MACHINE_SCHEMA;

/** What an event of the stream says. */
export type FleetEvent =
  /** The first one. All fronts take the history from it. */
  | { readonly kind: 'begin'; readonly history: string }
  /** Rows of another catalogue: a part of a single server that moves to the cluster, or tokens of a front. */
  | { readonly kind: 'rows'; readonly rows: readonly ImportedRow[] }
  | CatalogueChange;

/** Why an event cannot be applied. `later`: a later modreg wrote it. */
export interface EventError {
  readonly kind: 'later' | 'malformed';
  readonly message: string;
}

/** All subjects of the stream. */
export const SUBJECTS = ['modreg.fleet', 'modreg.release.>'] as const;

/** The subject of an event: those of one module have one of their own, on which writers agree who is first. */
export function subjectOf(event: FleetEvent): string {
  if (!('moduleId' in event)) return SUBJECTS[0];
  return `modreg.release.${namespaceOf(event.moduleId)}.${nameOf(event.moduleId)}`;
}

/** The module that events with this subject are about; undefined if they may be about any. */
export function moduleOf(subject: string): ModuleId | undefined {
  const id = parseModuleId(subject.replace(/^modreg\.release\.([^.:]+)\.([^.]+)$/, '$1:$2'));
  return id.ok ? id.value : undefined;
}

/**
 * An event as JSON. It is read again first: what is in the stream stays there, and no front could go on behind an event that it
 * cannot read (T257). Throws an UnreadableChange or a TooLargeChange.
 */
export function encodeEvent(event: FleetEvent): string {
  const schema = schemaOf(event);
  const isOfMachine = schema === MACHINE_SCHEMA;
  // What earlier fronts read is written as it always was.
  const text = JSON.stringify({ schema, ...fieldsOf(event) }, isOfMachine ? orNull : undefined);
  const read = readEvent(parsed(text));
  if (!read.ok) throw new UnreadableChange(read.error.message);
  return isOfMachine ? packed(text) : text;
}

function orNull(_key: string, value: unknown): unknown {
  return value ?? null;
}

/** The schema that a front has to know: without a floor, signatures, a deprecation, a trust document (D167) or what machines are served, it must not go on. */
export function schemaOf(event: FleetEvent): number {
  if (isOfMachines(event)) return MACHINE_SCHEMA;
  const isOfMachine =
    event.kind === 'rows' && event.rows.some(([table]) => MACHINE_TABLES.has(table));
  if (isOfMachine) return MACHINE_SCHEMA;
  return isLater(event) ? LATER_SCHEMA : SCHEMA;
}

const LATER_TABLES: ReadonlySet<string> = new Set(['trust_documents', 'release_notes']);

function isLater(event: Exclude<FleetEvent, { readonly kind: keyof MachineChanges }>): boolean {
  switch (event.kind) {
    case 'publish': {
      const { floor, signatures: signed, yankSignatures } = event.release;
      return (floor ?? signed ?? yankSignatures) !== undefined;
    }
    case 'yank':
      return event.signatures !== undefined;
    case 'rows':
      return event.rows.some(([table]) => LATER_TABLES.has(table));
    case 'deprecate':
    case 'notes':
    case 'trust':
      return true;
    case 'begin':
    case 'rollout':
      return false;
  }
}

function fieldsOf(event: FleetEvent): object {
  if (event.kind === 'config') {
    // Its writer has compared them with all events before it, and appends it as the next one only (D451). Earlier fronts do not know them.
    const { compiledWith: _compiledWith, ...rest } = event;
    return rest;
  }
  if (event.kind !== 'publish') return event;
  return { ...event, release: JSON.parse(releaseAsJson(event.release)) as unknown };
}

const time = v.pipe(
  v.number(),
  v.integer(),
  v.check(isWritable, 'expected a time of the years 0 to 9999'),
);
const moduleId = v.pipe(
  v.string(),
  v.rawTransform<string, ModuleId>(({ dataset, addIssue, NEVER }) => {
    const id = parseModuleId(dataset.value);
    if (id.ok) return id.value;
    addIssue({ message: id.error.message });
    return NEVER;
  }),
);

const release = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const read = readRelease(dataset.value);
    if (read.ok) return read.value;
    addIssue({ message: read.error.join('; ') });
    return NEVER;
  }),
);

const schema = v.picklist([SCHEMA, LATER_SCHEMA]);
const event = v.variant('kind', [
  v.strictObject({ schema, kind: v.literal('begin'), history: v.pipe(v.string(), v.nonEmpty()) }),
  v.strictObject({
    schema: v.picklist([SCHEMA, LATER_SCHEMA, MACHINE_SCHEMA]),
    kind: v.literal('rows'),
    rows: v.array(
      v.tupleWithRest(
        [v.string()],
        v.nullable(v.union([v.string(), v.pipe(v.number(), v.safeInteger())])),
      ),
    ),
  }),
  v.strictObject({
    schema,
    kind: v.literal('publish'),
    moduleId,
    release,
    start: v.optional(startedEvent),
    now: time,
  }),
  v.strictObject({
    schema,
    kind: v.literal('yank'),
    moduleId,
    version: v.string(),
    reason: v.nullable(v.string()),
    now: time,
    signatures: v.optional(signatures),
  }),
  v.strictObject({
    schema: v.literal(LATER_SCHEMA),
    kind: v.literal('deprecate'),
    moduleId,
    version: v.string(),
    reason: v.nullable(v.string()),
    now: time,
  }),
  v.strictObject({
    schema: v.literal(LATER_SCHEMA),
    kind: v.literal('notes'),
    moduleId,
    version: v.string(),
    notes: notesText,
  }),
  v.strictObject({
    schema,
    kind: v.literal('rollout'),
    moduleId,
    version: v.string(),
    event: rolloutEvent,
    soakMs: eventSoak,
  }),
  v.strictObject({
    schema: v.literal(LATER_SCHEMA),
    kind: v.literal('trust'),
    document: v.string(),
  }),
  ...MACHINE_EVENTS,
]);

/** An event that was read, and what was changed in it to do so; undefined if nothing was. */
export interface DecodedEvent {
  readonly event: FleetEvent;
  readonly mended: string | undefined;
}

/** Reads what `encodeEvent` wrote, also that of an earlier modreg. */
export function decodeEvent(text: string): Result<DecodedEvent, EventError> {
  const json = unpacked(parsed(text));
  const late = v.safeParse(publicationOutOfRange, json);
  const read = readEvent(late.success ? late.output : json);
  if (!read.ok) return read;
  const mended = late.success
    ? `its publish time became ${late.output.release.published_at}`
    : undefined;
  return { ok: true, value: { event: read.value, mended } };
}

/**
 * A release with a publish time that RFC 3339 cannot write. An earlier modreg accepted such times, and wrote them with a year of six
 * digits. The nearest time takes its place (T258).
 */
const publicationOutOfRange = v.looseObject({
  release: v.looseObject({
    published_at: v.pipe(
      v.string(),
      v.regex(/^[+-]\d{6}-/),
      v.transform((text) => formatTime(text.startsWith('-') ? EARLIEST_TIME : LATEST_TIME)),
    ),
  }),
});

function readEvent(json: unknown): Result<FleetEvent, EventError> {
  const written = v.safeParse(v.looseObject({ schema: v.number() }), json);
  if (written.success && written.output.schema > LATEST_SCHEMA) {
    const found = `it has schema ${written.output.schema}, and this modreg understands ${LATEST_SCHEMA}`;
    return { ok: false, error: { kind: 'later', message: found } };
  }
  const result = v.safeParse(event, json);
  if (result.success) return { ok: true, value: eventOf(result.output) };
  const [issue] = result.issues;
  return { ok: false, error: { kind: 'malformed', message: quote(describe(issue)) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eventOf(found: v.InferOutput<typeof event>): FleetEvent {
  switch (found.kind) {
    case 'begin':
      return { kind: found.kind, history: found.history };
    case 'rows':
      return { kind: found.kind, rows: found.rows };
    case 'publish': {
      const { kind, moduleId: id, release: published, start: first, now } = found;
      return { kind, moduleId: id, release: published, start: first, now };
    }
    case 'yank':
    case 'config':
    case 'config-signatures':
    case 'fragment':
    case 'commands':
    case 'secret':
    case 'heard': {
      const { schema: _, ...rest } = found;
      return rest;
    }
    case 'deprecate': {
      const { kind, moduleId: id, version, reason, now } = found;
      return { kind, moduleId: id, version, reason, now };
    }
    case 'notes': {
      const { kind, moduleId: id, version, notes } = found;
      return { kind, moduleId: id, version, notes };
    }
    case 'trust':
      return { kind: found.kind, document: found.document };
    case 'rollout': {
      const { kind, moduleId: id, version, event: one, soakMs } = found;
      return { kind, moduleId: id, version, event: one, soakMs };
    }
  }
}

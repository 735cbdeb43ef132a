import type { Result } from '../../core/index.ts';
import { isJsonObject, type JsonObject } from '../../registry/formats/json-object.ts';

/** A record of a log as a machine sends it. */
export interface ReceivedRecord {
  /** The same each time that it is sent. */
  readonly uid: Uint8Array;
  /** In milliseconds since the epoch; undefined if it has no time. */
  readonly at: number | undefined;
  /** Its place in LOG_LEVELS. */
  readonly severity: number;
  readonly module: string | undefined;
  readonly version: string | undefined;
  readonly event: string | undefined;
  readonly text: string;
}

/** The records of a request, and how many of them cannot be stored. */
export interface ReceivedLogs {
  readonly records: readonly ReceivedRecord[];
  readonly rejected: number;
  /** What is wrong with the first of those. */
  readonly why: string | undefined;
}

/** Bounds of a record, in characters. The agent cuts a line after 16,384. */
const LONGEST_TEXT = 65_536;
const LONGEST_ATTRIBUTE = 256;
const MOST_ATTRIBUTES = 64;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Their longest is in the year 5138, which can be written. */
const NANOSECONDS = /^\d{1,20}$/;
/** The severity numbers of OpenTelemetry from which a record is a warning, and an error. */
const WARN = 13;
const ERROR = 17;

/**
 * Reads an ExportLogsServiceRequest of OTLP in JSON. What it says of its source is passed over: the token says which machine sends. The
 * error says where the request has another form. A record that cannot be stored is counted, and the others are taken (D305).
 */
export function readLogs(json: unknown): Result<ReceivedLogs, string> {
  const found = recordsIn(json);
  if (!found.ok) return found;
  const records: ReceivedRecord[] = [];
  let [rejected, why]: [number, string | undefined] = [0, undefined];
  for (const [path, one] of found.value) {
    const read = readRecord(one);
    if (read.ok) records.push(read.value);
    else {
      rejected += 1;
      why ??= `${path}${read.error}`;
    }
  }
  return { ok: true, value: { records, rejected, why } };
}

type Placed = readonly [path: string, value: unknown];

/** The records of all scopes of all resources, each with its JSON pointer. */
function recordsIn(json: unknown): Result<readonly Placed[], string> {
  let level: Result<readonly Placed[], string> = { ok: true, value: [['', json]] };
  for (const name of ['resourceLogs', 'scopeLogs', 'logRecords']) {
    if (level.ok) level = membersOf(level.value, name);
  }
  return level;
}

/** The items of the lists `name` of `values`. A list that is absent is empty, as in Protobuf. */
function membersOf(values: readonly Placed[], name: string): Result<readonly Placed[], string> {
  const items: Placed[] = [];
  for (const [path, value] of values) {
    if (!isJsonObject(value)) return wrong(path || 'the body', 'expected an object');
    const list = value[name] ?? [];
    if (!Array.isArray(list)) return wrong(`${path}/${name}`, 'expected a list');
    for (const [place, item] of list.entries()) items.push([`${path}/${name}/${place}`, item]);
  }
  return { ok: true, value: items };
}

function wrong(path: string, text: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error: `${path}: ${text}` };
}

function readRecord(json: unknown): Result<ReceivedRecord, string> {
  if (!isJsonObject(json)) return wrong('', 'expected an object');
  const { body, severityNumber } = json;
  const text = isJsonObject(body) ? body['stringValue'] : undefined;
  if (typeof text !== 'string') return wrong('/body', 'expected a stringValue');
  if (text.length > LONGEST_TEXT) return wrong('/body', tooLong(text, LONGEST_TEXT));
  const named = attributesIn(json);
  if (!named.ok) return named;
  const {
    'log.record.uid': uid = '',
    'modreg.module': module,
    'modreg.version': version,
  } = named.value;
  if (!UUID.test(uid)) return wrong('/attributes', 'expected a UUID as log.record.uid');
  const at = timeIn(json);
  if (!at.ok) return at;
  const { event } = named.value;
  const severity = severityOf(Number(severityNumber ?? 0));
  const id = Buffer.from(uid.replaceAll('-', ''), 'hex');
  return { ok: true, value: { uid: id, at: at.value, severity, module, version, event, text } };
}

function tooLong(text: string, most: number): string {
  return `it has ${text.length} characters, and may have ${most}`;
}

const ATTRIBUTES = new Set(['log.record.uid', 'modreg.module', 'modreg.version']);

/** The attributes that are stored, and the name of the event. Others are passed over. */
function attributesIn({
  attributes = [],
  eventName,
}: JsonObject): Result<Readonly<Record<string, string | undefined>>, string> {
  if (!Array.isArray(attributes) || attributes.length > MOST_ATTRIBUTES) {
    return wrong('/attributes', `expected a list of at most ${MOST_ATTRIBUTES}`);
  }
  const values: Record<string, string | undefined> = {};
  if (typeof eventName === 'string' && eventName !== '') values['event'] = eventName;
  for (const one of attributes) {
    const { key, value } = Object(one) as JsonObject;
    if (typeof key !== 'string' || !ATTRIBUTES.has(key)) continue;
    const found = isJsonObject(value) ? value['stringValue'] : undefined;
    if (typeof found !== 'string') return wrong('/attributes', `expected a stringValue of ${key}`);
    values[key] = found;
  }
  for (const [name, value = ''] of Object.entries(values)) {
    if (value.length > LONGEST_ATTRIBUTE) {
      return wrong(`/${name}`, tooLong(value, LONGEST_ATTRIBUTE));
    }
  }
  return { ok: true, value: values };
}

/** In OTLP, 0 is no time. */
function timeIn({
  timeUnixNano,
  observedTimeUnixNano,
}: JsonObject): Result<number | undefined, string> {
  for (const value of [timeUnixNano, observedTimeUnixNano]) {
    const digits = typeof value === 'number' || typeof value === 'string' ? `${value}` : '0';
    if (!NANOSECONDS.test(digits)) return wrong('/timeUnixNano', 'expected whole nanoseconds');
    const nanoseconds = BigInt(digits);
    if (nanoseconds > 0n) return { ok: true, value: Number(nanoseconds / 1_000_000n) };
  }
  return { ok: true, value: undefined };
}

function severityOf(number: number): number {
  if (number >= ERROR) return 2;
  return number >= WARN ? 1 : 0;
}

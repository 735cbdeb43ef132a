import type { ReleaseRecord, Result } from '../../core/index.ts';
import { parsePlainJson } from '../../config/text/plain-json.ts';
import { excerpt, escapeUnprintableInJson } from '../../core/text/quote.ts';
import { formatTime, isTime, parseTime } from '../../core/text/rfc3339.ts';
import { isReleaseRecord } from '../../store/release-shape.ts';
import { isText, listOf, objectOf, oneOf, optional, type Shape } from '../../store/shape.ts';
import type { ListOrigin } from '../../registry/list-origin.ts';
import type { DecisionOutcome } from './outcome.ts';

/** A decision with its complete input, as a file of the schema `modreg/record@1` contains it. */
export interface DecisionRecord {
  /** The version of the modreg that wrote the file. */
  readonly modreg: string;
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly moduleId: string;
  /** In milliseconds since the epoch. */
  readonly since: number;
  readonly platform: string;
  readonly outcome: DecisionOutcome;
  /** The parsed JSON of the facts. */
  readonly facts: unknown;
  readonly list: ListOrigin | undefined;
  readonly records: readonly ReleaseRecord[];
}

const SCHEMA = 'modreg/record@1';

/** The text of the file. */
export function recordDocument({
  outcome,
  moduleId,
  since,
  records,
  list,
  ...rest
}: DecisionRecord): string {
  const { modreg, kind, name, platform, facts } = rest;
  const document = {
    schema: SCHEMA,
    modreg,
    kind,
    name,
    module_id: moduleId,
    since: formatTime(since),
    platform,
    decision: outcome,
    facts,
    list: { ...list, records },
  };
  return `${escapeUnprintableInJson(JSON.stringify(document))}\n`;
}

const LIMITS = { deepest: 50, mostValues: 10_000_000, forbiddenKeys: new Set(['__proto__']) };

/** The fields of the file. */
const SHAPES: Readonly<Record<string, Shape>> = {
  modreg: isText,
  kind: oneOf('module', 'subsystem'),
  name: isText,
  module_id: isText,
  since: (value) => parseTime(value).ok,
  platform: isText,
  decision: objectOf<keyof DecisionOutcome>({
    decision: isText,
    target: optional(isText),
    reason: isText,
  }),
  facts: (value) => typeof value === 'object' && value !== null && isTime(nowIn(value)),
  list: objectOf({
    address: optional(isText),
    digest: optional(isText),
    records: listOf(isReleaseRecord),
  }),
};

function nowIn(facts: object): number {
  const { eligibility } = facts as { readonly eligibility?: { readonly now?: unknown } };
  return Number(eligibility?.now);
}

/** Parses the text of a record. The error says what was found and what was expected. */
export function readRecord(text: string): Result<DecisionRecord, string> {
  const json = parsePlainJson(text, LIMITS);
  if (!json) return { ok: false, error: `it is not the JSON of a record: ${syntaxError(text)}` };
  const fields = Object(json.value) as Readonly<Record<string, unknown>>;
  const { schema } = fields;
  if (schema !== SCHEMA) {
    const found = typeof schema === 'string' ? `"${excerpt(schema)}"` : 'missing';
    return { ok: false, error: `its schema is ${found}, expected "${SCHEMA}"` };
  }
  const damaged = Object.entries(SHAPES).find(([name, shape]) => !shape(fields[name]));
  if (damaged) return { ok: false, error: `its field ${damaged[0]} is missing or damaged` };
  const {
    module_id: moduleId,
    since,
    decision: outcome,
    list,
    ...rest
    // A cast: SHAPES, above, has checked each field.
  } = fields as unknown as {
    readonly module_id: string;
    readonly since: string;
    readonly decision: DecisionOutcome;
    readonly list: Partial<ListOrigin> & Pick<DecisionRecord, 'records'>;
  } & Pick<DecisionRecord, 'modreg' | 'kind' | 'name' | 'platform' | 'facts'>;
  const { address, digest, records } = list;
  const origin = address !== undefined && digest !== undefined ? { address, digest } : undefined;
  const time = parseTime(since);
  const value = { ...rest, moduleId, outcome, records, list: origin };
  return { ok: true, value: { ...value, since: time.ok ? time.value : 0 } };
}

function syntaxError(text: string): string {
  try {
    JSON.parse(text);
    return 'it has a key twice, or is nested too deeply';
  } catch (error) {
    return excerpt(String(error));
  }
}

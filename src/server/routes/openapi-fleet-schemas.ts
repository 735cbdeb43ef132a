import { LARGEST_NUMBER, MOST_FACTS } from '../../registry/machine-report.ts';
import { ref } from './openapi-ref.ts';

const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const COUNT = { type: 'integer', minimum: 0 };
const NUMBER = { ...COUNT, maximum: LARGEST_NUMBER };
const TIME = { type: 'string', format: 'date-time' };
const KIND = { enum: ['module', 'subsystem'] };

type Properties = Readonly<Record<string, object>>;

const object = (properties: Properties, optional: Properties = {}): object => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});
const list = (items: object): object => ({ type: 'array', items });

const decision = {
  module_id: ref('ModuleId'),
  constraint: TEXT_OR_NULL,
  deployed: { type: 'string', description: 'A version, none or unknown' },
  target: TEXT_OR_NULL,
  decision: { type: 'string', description: 'One word, such as up-to-date, hold or stuck' },
  reason: { ...TEXT_OR_NULL, description: 'Why it is stuck, with … in the place of each time' },
  stops: list(TEXT),
};
const because = {
  ...object({ code: TEXT, facts: { ...list(TEXT), maxItems: MOST_FACTS } }),
  description: 'The reason as data: two with the same code and facts are the same',
};
const facts = {
  type: ['object', 'null'],
  description: 'What the decision depends on, besides the time and the release list',
};

/** What is stored of a module. */
function readable(properties: Properties): object {
  const unreadable = {
    type: 'string',
    description: 'Why the registry cannot read all of it; what it cannot read is null',
  };
  return object(properties, { because, unreadable });
}

/** The schemas of machine reports. A report may have further fields, which are ignored. */
export const FLEET_SCHEMAS: object = {
  ReportedState: object({
    number: { ...NUMBER, description: 'Higher than that of each earlier state' },
    at: TIME,
    modreg: TEXT,
    platform: TEXT,
    modules: list(object({ kind: KIND, name: TEXT, ...decision, facts }, { because })),
  }),
  ReportedOutcome: object({
    number: NUMBER,
    at: TIME,
    action: { type: 'string', description: 'The id of the action' },
    kind: KIND,
    name: TEXT,
    module_id: ref('ModuleId'),
    direction: TEXT,
    from: TEXT_OR_NULL,
    to: TEXT,
    result: { enum: ['done', 'failed', 'withdrawn'] },
    reason: TEXT_OR_NULL,
  }),
  MachineReport: {
    type: 'object',
    required: ['queue', 'instance', 'after', 'to', 'outcomes'],
    properties: {
      queue: { type: 'string', description: 'Random. The numbers belong to this queue' },
      instance: { type: 'string', description: 'Random for each process' },
      after: { ...NUMBER, description: 'The number before the first outcome' },
      to: {
        ...NUMBER,
        description: 'The last number. One that has no outcome was dropped by the machine',
      },
      state: { oneOf: [ref('ReportedState'), { type: 'null' }] },
      outcomes: { ...list(ref('ReportedOutcome')), maxItems: 512 },
    },
  },
  Known: object({ known_to: COUNT }),
  FleetCounts: object({
    machines: COUNT,
    seen_in_24h: COUNT,
    duplicates: COUNT,
    missing_outcomes: COUNT,
    modules: list(
      object({ module_id: ref('ModuleId'), deployed: TEXT, decision: TEXT, machines: COUNT }),
    ),
    modules_left_out: {
      ...COUNT,
      description: 'Counts of modules beyond 2,000, those of the fewest machines',
    },
    outcomes_in_24h: list(
      object({ module_id: ref('ModuleId'), version: TEXT, result: TEXT, outcomes: COUNT }),
    ),
    outcomes_left_out: {
      ...COUNT,
      description: 'Counts of outcomes beyond 2,000, the rarest ones',
    },
  }),
  FleetMachines: object({
    machines: list(
      object({
        id: TEXT,
        seen_at: TIME,
        platform: TEXT_OR_NULL,
        modreg: TEXT_OR_NULL,
        is_duplicate: { type: 'boolean' },
        missing_outcomes: COUNT,
        modules: list(readable({ name: TEXT, ...decision })),
      }),
    ),
    next: { ...TEXT_OR_NULL, description: 'The value of after for the next page' },
  }),
  FleetModule: object({
    module_id: ref('ModuleId'),
    states: list(
      object({ state: readable({ platform: TEXT, ...decision, facts }), machines: list(TEXT) }),
    ),
    next: { type: ['integer', 'null'], description: 'The value of after for the next page' },
  }),
};

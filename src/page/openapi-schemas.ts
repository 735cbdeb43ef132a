import { CONSTRAINTS } from '../core/version/constraint.ts';
import { ref } from '../server/routes/openapi-parts.ts';

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const NUMBER = { type: 'integer' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const TIME = { type: 'string', format: 'date-time' };
const TIME_OR_NULL = { type: ['string', 'null'], format: 'date-time' };

/** An object whose fields are all there, and no others. */
function fields(properties: Readonly<Record<string, object>>): object {
  return {
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
    properties,
  };
}

const list = (items: object): object => ({ type: 'array', items });
const document = (schema: string, properties: Readonly<Record<string, object>>): object =>
  fields({ schema: { const: `modreg/${schema}@1` }, ...properties });
/** The document of a command, which the command line describes. */
const ofCommand = (schema: string): object => ({
  type: 'object',
  required: ['schema'],
  properties: { schema: { const: `modreg/${schema}@1` } },
});

const CHANGE_OR_NULL = {
  anyOf: [
    fields({ at: TIME, because: TEXT, decision: TEXT, target: TEXT_OR_NULL }),
    { type: 'null' },
  ],
};
const HOLD = {
  kind: { enum: ['machine', 'module', 'subsystem'] },
  name: TEXT_OR_NULL,
  by: TEXT,
  reason: TEXT,
  since: TIME,
  until: TIME_OR_NULL,
  ends_at: TIME_OR_NULL,
};
const AFTERWARDS = { anyOf: [fields({ decision: TEXT, reason: TEXT }), { type: 'null' }] };
const check = { errors: NUMBER, warnings: NUMBER, findings: list(ref('Finding')) };

/** The schemas of the OpenAPI document of the page. */
export const PAGE_SCHEMAS: Readonly<Record<string, object>> = {
  Machine: document('machine', { plan: ofCommand('plan'), status: ofCommand('status') }),
  Explanation: ofCommand('resolve'),
  History: document('history', {
    decisions: list(
      fields({
        at: TIME,
        name: TEXT,
        event: TEXT,
        reason: TEXT,
        causes: list(TEXT),
        decision: TEXT,
        deployed: TEXT,
        target: TEXT_OR_NULL,
      }),
    ),
  }),
  Logs: document('logs', {
    records: list(
      fields({
        id: NUMBER,
        at: TIME,
        level: TEXT,
        module: TEXT_OR_NULL,
        version: TEXT_OR_NULL,
        event: TEXT_OR_NULL,
        text: TEXT,
      }),
    ),
    dropped: { anyOf: [fields({ count: NUMBER, newest_at: TIME }), { type: 'null' }] },
  }),
  Restart: document('restart', {
    name: TEXT,
    module_id: TEXT,
    requested_at: TIME,
    immediate: FLAG,
    decision: TEXT_OR_NULL,
    direction: TEXT_OR_NULL,
    reason: TEXT_OR_NULL,
    held_by: list({
      ...fields({ reason: TEXT, until: TIME_OR_NULL }),
      properties: {
        reason: TEXT,
        until: TIME_OR_NULL,
        of: { enum: ['machine', 'target'] },
        by: TEXT,
        because: TEXT,
      },
    }),
    until: TIME_OR_NULL,
    afterwards: AFTERWARDS,
    next_change: CHANGE_OR_NULL,
    list_known: FLAG,
    first: TEXT_OR_NULL,
  }),
  RestartCancelled: document('restart-cancel', { name: TEXT, module_id: TEXT }),
  Rollback: document('rollback', {
    name: TEXT,
    module_id: TEXT,
    from: TEXT,
    to: TEXT,
    refused: { anyOf: [list(TEXT), { type: 'null' }] },
    until: TIME_OR_NULL,
    afterwards: AFTERWARDS,
    next_change: CHANGE_OR_NULL,
    first: TEXT_OR_NULL,
    waits_for: TEXT_OR_NULL,
    replaces: { anyOf: [fields({ to: TEXT_OR_NULL, until: TIME_OR_NULL }), { type: 'null' }] },
  }),
  Quarantine: document('quarantine', {
    quarantine: list(
      fields({
        module_id: TEXT,
        version: TEXT,
        digest: TEXT_OR_NULL,
        since: TIME,
        until: TIME_OR_NULL,
        reason: TEXT,
        rolled_back: FLAG,
        rolled_back_to: TEXT_OR_NULL,
        refused: { anyOf: [list(TEXT), { type: 'null' }] },
        failed_in: {
          anyOf: [
            list(fields({ name: TEXT, undecided: FLAG, same_as: TEXT_OR_NULL })),
            { type: 'null' },
          ],
        },
      }),
    ),
  }),
  Quarantined: document('quarantine-add', {
    module_id: TEXT,
    version: TEXT,
    until: TIME_OR_NULL,
    reason: TEXT,
    decisions: list(fields({ name: TEXT, decision: TEXT, target: TEXT_OR_NULL, reason: TEXT })),
  }),
  Holds: document('holds', { holds: list(fields(HOLD)) }),
  Hold: document('hold', {
    ...HOLD,
    replaced: { anyOf: [fields(HOLD), { type: 'null' }] },
    delivered: list(TEXT),
  }),
  Unhold: document('unhold', {
    ...HOLD,
    still_held_by: { anyOf: [fields(HOLD), { type: 'null' }] },
  }),
  Upgrade: document('upgrade', {
    name: TEXT,
    module_id: TEXT,
    from: TEXT_OR_NULL,
    to: TEXT_OR_NULL,
    decision: TEXT,
    direction: TEXT_OR_NULL,
    reason: TEXT,
    unreachable: {
      anyOf: [fields({ message: TEXT, confirmed_at: TIME_OR_NULL }), { type: 'null' }],
    },
    held_by: list(fields({ reason: TEXT, until: TIME_OR_NULL })),
    next_change: CHANGE_OR_NULL,
    now: TEXT_OR_NULL,
    request: {
      anyOf: [
        fields({
          requested_at: TIME,
          by: TEXT,
          reason: TEXT_OR_NULL,
          from: TEXT_OR_NULL,
          to: TEXT,
          despite: list(fields({ module: TEXT, said: TEXT_OR_NULL })),
          until: TIME,
        }),
        { type: 'null' },
      ],
    },
    round: { enum: ['made', 'not_yet', 'nobody_polls', null] },
    first: TEXT_OR_NULL,
  }),
  Lifted: document('quarantine-lift', { module_id: TEXT, version: TEXT }),
  Outcome: fields({
    decision: TEXT,
    direction: TEXT_OR_NULL,
    target: TEXT_OR_NULL,
    reason: TEXT,
    next_change: TEXT_OR_NULL,
    new_major: FLAG,
    stops: list(fields({ component: TEXT, module_id: TEXT_OR_NULL, depends_on: list(TEXT) })),
    shares: list(TEXT),
  }),
  VersionChoices: document('version-choices', {
    name: TEXT,
    module_id: TEXT,
    deployed: TEXT,
    constraint: TEXT,
    now: ref('Outcome'),
    choices: list(
      fields({
        type: { enum: Object.keys(CONSTRAINTS) },
        constraint: TEXT,
        current: FLAG,
        outcome: ref('Outcome'),
        check: fields(check),
        line: TEXT,
      }),
    ),
  }),
  Finding: fields({
    severity: { enum: ['error', 'warning'] },
    code: TEXT,
    line: NUMBER,
    column: NUMBER,
    path: { type: 'string', description: 'A JSON Pointer' },
    message: TEXT,
  }),
  Config: document('config', {
    file: TEXT,
    text: { type: 'string', description: 'With "•••" instead of each secret' },
  }),
  ConfigCheck: document('config-check', {
    ...check,
    changes: {
      description: 'The decisions that differ; null if they are not known',
      anyOf: [
        list(
          fields({
            kind: { enum: ['module', 'subsystem'] },
            name: TEXT,
            before: TEXT_OR_NULL,
            after: TEXT_OR_NULL,
          }),
        ),
        { type: 'null' },
      ],
    },
    problems: list(ref('PageProblem')),
  }),
  ConfigSaved: document('config-saved', { changed: FLAG, lines: list(TEXT) }),
  Session: fields({ token: TEXT, expires_at: TIME }),
  PageProblem: {
    type: 'object',
    required: ['code', 'message'],
    additionalProperties: false,
    properties: { code: TEXT, message: TEXT, because: list(TEXT), hint: TEXT },
  },
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    additionalProperties: false,
    description: 'RFC 9457',
    properties: {
      type: { type: 'string', pattern: '^urn:modreg:[a-z0-9-]+$' },
      title: TEXT,
      status: NUMBER,
      detail: TEXT,
      problems: list(ref('PageProblem')),
    },
  },
};

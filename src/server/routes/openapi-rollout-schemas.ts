import { ref } from './openapi-ref.ts';

const COUNT = { type: 'integer', minimum: 0 };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const SHARE = { type: 'number', minimum: 0, maximum: 1 };
const PERCENT = { type: 'number', minimum: 0, maximum: 100 };

const object = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

const SOAK = {
  type: 'integer',
  minimum: 0,
  maximum: 2_592_000_000,
  description: 'How long each step lasts at least. An hour by default',
};

/** The field of a release to publish. */
export const NEW_ROLLOUT: object = {
  type: ['object', 'null'],
  additionalProperties: false,
  description: 'Publishes the release into a staged rollout, at its first step',
  properties: { soak_ms: SOAK },
};

const failures = object({ failed: COUNT, silent: COUNT });
const summary = {
  module_id: ref('ModuleId'),
  version: { type: 'string' },
  status: { enum: ['running', 'halted', 'completed', 'retracted'] },
  sequence: { ...COUNT, description: 'The last event: the value of after for the next one' },
  percent: PERCENT,
  share: SHARE,
  because: { ...TEXT_OR_NULL, description: 'Why it is halted or retracted' },
  yanked: { ...TEXT_OR_NULL, description: 'Why the release is yanked, empty without a reason' },
  soak_ms: COUNT,
  started_at: { type: 'string', format: 'date-time' },
};

const change = (event: string, properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  required: [
    'event',
    ...Object.keys(properties).filter((name) => name === 'after' || name === 'acknowledged'),
  ],
  additionalProperties: false,
  properties: { event: { const: event }, ...properties },
});
const REASON = { type: 'string', maxLength: 1000 };

/** The schemas of staged rollouts. */
export const ROLLOUT_SCHEMAS: object = {
  ListedRollout: {
    type: 'object',
    required: ['salt', 'percent', 'share'],
    additionalProperties: false,
    description: 'Which machines may install the release; absent: all',
    properties: {
      salt: { type: 'string' },
      percent: PERCENT,
      share: { ...SHARE, description: 'The machines whose cohort is below it are included' },
      halted: { type: 'string', description: 'Why it is halted; absent if it is not' },
    },
  },
  RolloutSummary: object(summary),
  DamagedRollout: {
    ...object({ module_id: ref('ModuleId'), version: { type: 'string' } }),
    description: 'A rollout of which a row of the catalogue is damaged. It does nothing any more',
  },
  Rollout: object({
    ...summary,
    soaked_ms: { ...COUNT, description: 'How long the step has lasted, while the registry ran' },
    included: {
      ...COUNT,
      description: 'The machines of the step, of those that may get the release',
    },
    machines: object({
      waiting: COUNT,
      installing: COUNT,
      healthy: COUNT,
      failed: COUNT,
      silent: COUNT,
    }),
    seen: failures,
    acknowledged: failures,
    failures: {
      type: 'array',
      maxItems: 20,
      items: object({
        machine: { type: 'string' },
        reason: TEXT_OR_NULL,
        counted: {
          type: 'boolean',
          description: 'Whether it counts as failed: it is in the step, and not pinned',
        },
      }),
    },
    next: {
      type: 'object',
      required: ['step'],
      additionalProperties: false,
      description: 'What the registry does next by itself, and why',
      properties: {
        step: { enum: ['wait', 'raise', 'halt', 'complete'] },
        reason: { type: 'string' },
        left_ms: COUNT,
        healthy: COUNT,
        needed: COUNT,
        percent: PERCENT,
      },
    },
  }),
  RolloutChange: {
    oneOf: [
      change('start', { soak_ms: SOAK }),
      change('halt', { after: COUNT, reason: REASON }),
      change('resume', { after: COUNT, acknowledged: failures }),
      change('raise', { after: COUNT, percent: PERCENT }),
      change('retract', { after: COUNT, reason: REASON }),
    ],
  },
};

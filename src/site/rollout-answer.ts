import { isNumber, isText, listOf, objectOf, optional, type Shape } from '../store/shape.ts';

/** A rollout as the registry describes it. */
export interface RolloutAnswer {
  readonly module_id: string;
  readonly version: string;
  readonly status: string;
  readonly sequence: number;
  readonly percent: number;
  /** It includes the machines whose cohort is below. */
  readonly share: number;
  readonly because: string | null;
  /** Why the release is yanked; null if it is not, absent in an answer of modreg 0.2.0. */
  readonly yanked?: string | null;
  readonly soak_ms: number;
  readonly included: number;
  readonly machines: Readonly<
    Record<'waiting' | 'installing' | 'healthy' | 'failed' | 'silent', number>
  >;
  readonly failures: readonly {
    readonly machine: string;
    readonly reason: string | null;
    /** False for a machine that is not in the step; absent in an answer of modreg 0.2.0. */
    readonly counted?: boolean;
  }[];
  readonly next: {
    readonly step: string;
    readonly reason?: string;
    readonly left_ms?: number;
    readonly healthy?: number;
    readonly needed?: number;
    readonly percent?: number;
  };
}

const isBoolean: Shape = (value) => typeof value === 'boolean';
const isTextOrNull: Shape = (value) => value === null || isText(value);

const ANSWER = objectOf<keyof RolloutAnswer>({
  module_id: isText,
  version: isText,
  status: isText,
  sequence: isNumber,
  percent: isNumber,
  share: isNumber,
  because: isTextOrNull,
  yanked: optional(isTextOrNull),
  soak_ms: isNumber,
  included: isNumber,
  machines: objectOf<keyof RolloutAnswer['machines']>({
    waiting: isNumber,
    installing: isNumber,
    healthy: isNumber,
    failed: isNumber,
    silent: isNumber,
  }),
  failures: listOf(
    objectOf<keyof RolloutAnswer['failures'][number]>({
      machine: isText,
      reason: isTextOrNull,
      counted: optional(isBoolean),
    }),
  ),
  next: objectOf<keyof RolloutAnswer['next']>({
    step: isText,
    reason: optional(isText),
    left_ms: optional(isNumber),
    healthy: optional(isNumber),
    needed: optional(isNumber),
    percent: optional(isNumber),
  }),
});

/** Whether `value` has each field of a RolloutAnswer. */
export function isRolloutAnswer(value: unknown): value is RolloutAnswer {
  return ANSWER(value);
}

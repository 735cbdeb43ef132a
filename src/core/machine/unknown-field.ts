import type { Timing } from '../decision/timing-policies.ts';
import type { Machine, UnknownField } from './machine.ts';
import type { UpdatePolicy } from './update-policy.ts';

/** The unknown fields of a policy and an agent configuration, for a decision; undefined if there are none (D240). */
export function unknownFieldsOf({
  machine,
  policy,
}: {
  readonly machine: Machine;
  readonly policy: UpdatePolicy;
}): Timing['unknownFields'] {
  const found = [
    ...firstOf('policy', policy.unknownFields),
    ...firstOf('agent', machine.agent.unknownFields),
  ];
  return found.length > 0 ? found : undefined;
}

function firstOf(
  of: 'policy' | 'agent',
  [first, ...more]: readonly UnknownField[] = [],
): NonNullable<Timing['unknownFields']> {
  return first ? [{ of, ...first, more: more.length }] : [];
}

import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { PlanDocuments } from './plan-documents.ts';

type Read = () => Result<PlanDocuments, Problem[]>;

/**
 * Reads documents for a process that runs modules. Those with unknown fields are not used while earlier ones without errors are known:
 * what is deployed runs by these, and every replacement is held until the fields are known or gone (D241).
 */
export function holdingReader(read: Read, earlier: PlanDocuments | undefined): Read {
  let last = earlier;
  return () => {
    const now = read();
    if (!now.ok) return now;
    const { unknown } = now.value;
    if (unknown.length === 0) last = now.value;
    return unknown.length > 0 && last ? { ok: true, value: heldBy(now.value, last) } : now;
  };
}

/** The documents of before, with the unknown fields of those of now. */
function heldBy({ machine, policy, unknown }: PlanDocuments, last: PlanDocuments): PlanDocuments {
  const agent = { ...last.machine.agent, unknownFields: machine.agent.unknownFields };
  return {
    ...last,
    machine: { ...last.machine, agent },
    policy: { ...last.policy, unknownFields: policy.unknownFields },
    unknown,
    isEarlier: true,
  };
}

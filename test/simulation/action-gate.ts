import type { JudgeContext } from './judge-context.ts';
import { keyOf, type Target } from './ledger.ts';

const STARTS_WITHIN_MS = 600_000;
const MOST_STARTS = 5;

/** The row that forbids every action now, and why; undefined when actions are allowed. */
export function gateReason(
  { ledger, moment, suspected }: JudgeContext,
  target?: Target,
): [row: string, why: string] | undefined {
  const { wall } = moment();
  const recent = ledger.starts.filter((at) => Math.abs(wall - at) < STARTS_WITHIN_MS);
  const isSuspected = target !== undefined && suspected().has(keyOf(target));
  if (recent.length >= MOST_STARTS && !isSuspected)
    return ['T57', `${recent.length} starts within ten minutes`];
  if (!ledger.isBlank || ledger.hasPlanned) return undefined;
  // On a new machine it is enough that the agent says what is deployed. (D73)
  if (ledger.isNew && ledger.known.size > 0) return undefined;
  return ['T53', 'the memory was blank, and it acts in its first plan'];
}

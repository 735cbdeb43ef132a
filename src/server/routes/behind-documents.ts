import { problem } from '../problem.ts';
import type { AskedOfMachine } from './of-machine.ts';

/** How long a machine waits for a revision that another front has served to it. */
const BEHIND_MS = 2000;

/**
 * The answer to a machine that knows a higher revision than this front has, after the front had time to learn of it: it would refuse a lower
 * one. Undefined if the front has it, and if the cluster has lost it (T672). `known` has the tag of what the machine knows.
 */
export async function behindAnswer(
  known: string | undefined,
  asked: AskedOfMachine,
): Promise<Response | undefined> {
  const { catalogue, machine, replica, clock } = asked;
  const since = clock.monotonic();
  const revision = Number(/^"(\d{1,10})\./.exec(known ?? '')?.[1] ?? 0);
  const newest = (): number => Number.parseInt(catalogue.configs.tag(machine) || '0', 10);
  if (!replica || newest() >= revision) return undefined;
  await nextDocuments(asked);
  if (newest() >= revision || replica.isConfirmed(since)) return undefined;
  const detail = `this front has revision ${newest()} of ${machine}, and the machine revision ${revision}`;
  return problem('behind', detail, { headers: { 'retry-after': '1' } });
}

/** Resolves when something else is served to the machine, or after a while. */
async function nextDocuments({ catalogue, machine, clock }: AskedOfMachine): Promise<void> {
  const woken = new AbortController();
  const leave = catalogue.configs.watch(machine, () => woken.abort());
  await clock.sleep(BEHIND_MS, woken.signal).catch(() => undefined);
  leave();
}

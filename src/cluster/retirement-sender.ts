import { randomUUID } from 'node:crypto';
import type { Clock } from '../registry/clock.ts';
import type { FleetFile, RetireMachine } from '../server/fleet/fleet-file.ts';
import { retirementOf } from '../server/fleet/retirement.ts';
import { appended, LONGEST_WAIT_MS, unavailable } from './batch-sender.ts';
import { encodeBatch, type ReportBatch } from './report-batch.ts';
import type { ReportStream } from './report-stream.ts';

/** The retirements of this front that wait until it has taken their messages, by the ids of these. */
export type Retiring = Map<string, Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>>;

interface Parts {
  readonly fleet: Pick<FleetFile, 'read'>;
  readonly stream: Pick<ReportStream, 'append'>;
  readonly clock: Clock;
}

/** Retires machines at all fronts (D83). A machine that is retired already stays as it is, so that a retirement may be repeated. */
export function retirementSender(
  { fleet, stream, clock }: Parts,
  retiring: Retiring,
): RetireMachine {
  return async (retirement) => {
    const known = (): ReturnType<typeof retirementOf> =>
      fleet.read((sql) => retirementOf(sql, retirement.machine));
    const before = known();
    if (before !== 'in-use') return before;
    const at = clock.now();
    const message = { id: randomUUID(), at, reports: [], retirements: [retirement] };
    await takenHere(message, { stream, retiring, clock });
    const after = known();
    // A report that followed in the stream has brought it back.
    return after === 'in-use' ? { ...retirement, at } : after;
  };
}

/** Appends a message, and resolves once this front has taken it. */
async function takenHere(
  batch: ReportBatch,
  { stream, retiring, clock }: Omit<Parts, 'fleet'> & { readonly retiring: Retiring },
): Promise<void> {
  const { id } = batch;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  retiring.set(id, { resolve, reject });
  const over = new AbortController();
  const late = clock.sleep(LONGEST_WAIT_MS, over.signal).then(() => reject(unavailable(undefined)));
  late.catch(() => undefined);
  // The wait may end first, while the message is still being appended.
  appended(stream, { id, message: encodeBatch(batch) }, clock).catch((error: unknown) =>
    reject(unavailable(error)),
  );
  try {
    await promise;
  } finally {
    over.abort();
    retiring.delete(id);
  }
}

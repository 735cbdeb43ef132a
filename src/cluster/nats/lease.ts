import { randomUUID } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../registry/clock.ts';

/** Which front raises rollouts. A front that was stopped for longer may still believe that it does: its events are then refused. */
export interface Lease {
  /** Whether this front had it a moment ago. */
  readonly isHeld: () => boolean;
  readonly stop: () => Promise<void>;
}

const BUCKET = 'modreg_lease';
const KEY = 'controller';
const LEASE_MS = 5000;
const RENEW_MS = 1500;

/** JetStream's code for a renewal that another front was faster with. */
const WRONG_LAST_SEQUENCE = 10_071;

interface LeaseOptions {
  readonly clock: Clock;
  /** Of the bucket. */
  readonly replicas: number;
}

/** The result takes the lease whenever nobody has it, renews it while `isFit`, and gives it up otherwise. */
export async function leaseOf(
  connection: NatsConnection,
  { clock, replicas }: LeaseOptions,
): Promise<(isFit: () => boolean) => Lease> {
  const { Kvm } = await import('@nats-io/kv');
  const { JetStreamApiError } = await import('@nats-io/jetstream');
  const manager = new Kvm(connection);
  const open = async (): Promise<KV> =>
    await manager.create(BUCKET, { ttl: LEASE_MS, replicas, history: 1 });
  const isTaken = (error: unknown): boolean =>
    error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
  return (isFit) => leaseIn({ open, isTaken }, isFit, clock);
}

interface Bucket {
  /** Creates it if it does not exist. */
  readonly open: () => Promise<Pick<KV, 'create' | 'update' | 'delete'>>;
  /** Whether another front was faster. */
  readonly isTaken: (error: unknown) => boolean;
}

/** The lease in a bucket. It counts from before the request for it, which may arrive at once and be answered late. */
export function leaseIn({ open, isTaken }: Bucket, isFit: () => boolean, clock: Clock): Lease {
  const own = randomUUID();
  const stopping = new AbortController();
  let bucket: Awaited<ReturnType<Bucket['open']>> | undefined;
  let revision: number | undefined;
  let heldUntil = -Infinity;
  const renew = async (): Promise<void> => {
    const began = clock.monotonic();
    bucket ??= await open();
    revision = await (revision === undefined
      ? bucket.create(KEY, own)
      : bucket.update(KEY, own, revision));
    heldUntil = began + LEASE_MS;
  };
  const giveUp = async (): Promise<void> => {
    heldUntil = -Infinity;
    // Another front may have taken it meanwhile.
    if (revision !== undefined) await bucket?.delete(KEY, { previousSeq: revision });
    revision = undefined;
  };
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await (isFit() ? renew() : giveUp()).catch((error: unknown) => {
        revision = undefined;
        // There is no leader, or the bucket was lost, and is created again.
        if (!isTaken(error)) bucket = undefined;
      });
      await clock.sleep(RENEW_MS, stopping.signal).catch(() => undefined);
    }
  };
  const ended = keep();
  return {
    isHeld: () => clock.monotonic() < heldUntil,
    async stop() {
      stopping.abort();
      await ended;
      await giveUp().catch(() => undefined);
    },
  };
}

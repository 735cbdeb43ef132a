import { randomUUID } from 'node:crypto';
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

/** Takes the lease whenever nobody has it, and renews it. */
export async function lease(
  connection: NatsConnection,
  { clock, replicas }: { readonly clock: Clock; readonly replicas: number },
): Promise<Lease> {
  const { Kvm } = await import('@nats-io/kv');
  const manager = new Kvm(connection);
  const own = randomUUID();
  const stopping = new AbortController();
  let bucket: Awaited<ReturnType<typeof manager.create>> | undefined;
  let revision: number | undefined;
  let heldUntil = -Infinity;
  const renew = async (): Promise<void> => {
    const began = clock.monotonic();
    bucket ??= await manager.create(BUCKET, { ttl: LEASE_MS, replicas, history: 1 });
    revision =
      revision === undefined
        ? await bucket.create(KEY, own)
        : await bucket.update(KEY, own, revision);
    heldUntil = began + LEASE_MS;
  };
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Another front has it, or there is no leader.
      await renew().catch(() => (revision = undefined));
      await clock.sleep(RENEW_MS, stopping.signal).catch(() => undefined);
    }
  };
  const ended = keep();
  return {
    isHeld: () => clock.monotonic() < heldUntil,
    async stop() {
      stopping.abort();
      await ended;
      if (revision !== undefined) await bucket?.delete(KEY).catch(() => undefined);
    },
  };
}

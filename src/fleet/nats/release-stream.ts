import type { StoredMsg, StreamConfig } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LoggedEvent } from '../../server/catalogue/change-log.ts';
import type { EventStream, Expectation } from '../event-stream.ts';
import { SUBJECTS } from '../event.ts';

/** The stream with all events of a cluster. */
const STREAM = 'RELEASES';

const ID = 'modreg-id';
/** How long a node may take to answer. An append that waits for a slow disk takes up to a second. */
const ANSWER_MS = 3000;
/** Codes of JetStream: an append to a stream that is not as expected, and no such stream. */
const WRONG_LAST_SEQUENCE = 10_071;
const NOT_FOUND = 10_059;

/** What `modreg fleet check` compares as well. */
export const SETTINGS: Partial<StreamConfig> & { readonly name: string } = {
  name: STREAM,
  subjects: [...SUBJECTS],
  storage: 'file',
  retention: 'limits',
  discard: 'new',
  max_age: 0,
  max_msgs: -1,
  max_bytes: -1,
  deny_delete: true,
  deny_purge: true,
  // Any node that has an event answers, so that reading needs no leader.
  allow_direct: true,
};

/** The stream of a cluster, which is created with `replicas` replicas if it does not exist. */
export async function releaseStream(
  connection: NatsConnection,
  replicas: number,
): Promise<EventStream> {
  const { jetstream, jetstreamManager, JetStreamApiError } = await import('@nats-io/jetstream');
  const manager = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
  const client = jetstream(connection, { timeout: ANSWER_MS });
  const isRefusal = (error: unknown, code: number): boolean =>
    error instanceof JetStreamApiError && error.code === code;
  return {
    read: async (seq) => eventIn(await manager.direct.getMessage(STREAM, { seq })),
    readAtLeader: async (seq) => eventIn(await manager.streams.getMessage(STREAM, { seq })),
    async last() {
      const { state } = await manager.streams.info(STREAM).catch(async (error: unknown) => {
        if (!isRefusal(error, NOT_FOUND)) throw error;
        return await manager.streams.add({ ...SETTINGS, num_replicas: replicas });
      });
      return state.last_seq;
    },
    async lastOf(subject) {
      const found = await manager.streams.getMessage(STREAM, { last_by_subj: subject });
      return found?.seq ?? 0;
    },
    async append({ subject, id, body }, expected) {
      try {
        const { seq } = await client.publish(subject, body, {
          msgID: id,
          headers: await idHeader(id),
          expect: { streamName: STREAM, ...expectationOf(expected) },
        });
        return seq;
      } catch (error) {
        if (isRefusal(error, WRONG_LAST_SEQUENCE)) return undefined;
        throw error;
      }
    },
    onNews: newsOf(connection),
  };
}

/** What is published to a subject of the stream reaches those who subscribe to it as well, before the stream has it. */
function newsOf(connection: NatsConnection): EventStream['onNews'] {
  return (wake) => {
    const subscriptions = SUBJECTS.map((subject) =>
      connection.subscribe(subject, { callback: () => wake() }),
    );
    return () => {
      for (const one of subscriptions) one.unsubscribe();
    };
  };
}

async function idHeader(id: string): Promise<import('@nats-io/transport-node').MsgHdrs> {
  const { headers } = await import('@nats-io/transport-node');
  const all = headers();
  all.set(ID, id);
  return all;
}

function expectationOf(expected: Expectation): {
  readonly lastSubjectSequence?: number;
  readonly lastSequence?: number;
} {
  return 'last' in expected
    ? { lastSequence: expected.last }
    : { lastSubjectSequence: expected.lastOfSubject };
}

function eventIn(found: StoredMsg | null): LoggedEvent | undefined {
  if (!found) return undefined;
  const { seq: sequence, subject, header } = found;
  return { sequence, subject, id: header.get(ID), body: found.string() };
}

import type { StoredMsg, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../registry/clock.ts';
import type { LoggedEvent } from '../../server/catalogue/change-log.ts';
import type { EventStream, Expectation } from '../event-stream.ts';
import { SUBJECTS } from '../event.ts';
import { isMissing, streamInfo } from './stream-info.ts';

/** The stream with all events of a cluster. */
export const STREAM = 'RELEASES';

const ID = 'modreg-id';
/** How long a node may take to answer. An append that waits for a slow disk takes up to a second. */
const ANSWER_MS = 3000;
/** JetStream's code for an append to a stream that is not as expected. */
const WRONG_LAST_SEQUENCE = 10_071;
/** So long after a stream was created again, each front that runs has reached it, and filled in what it knows. */
const FILLING_MS = 10_000;

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

interface StreamOptions {
  /** Of a stream that does not exist, and is created. */
  readonly replicas: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether the caller is a front with events of this cluster, so that a stream that was just created is not the first one. */
  readonly isOfFront: boolean;
}

/** The stream of a cluster. */
export async function releaseStream(
  connection: NatsConnection,
  { replicas, clock, isOfFront }: StreamOptions,
): Promise<EventStream> {
  const { jetstream, jetstreamManager, JetStreamApiError } = await import('@nats-io/jetstream');
  const manager = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
  const client = jetstream(connection, { timeout: ANSWER_MS });
  const creation = creations(clock, isOfFront);
  return {
    read: async (seq) => eventIn(await manager.direct.getMessage(STREAM, { seq })),
    readAtLeader: async (seq) => eventIn(await manager.streams.getMessage(STREAM, { seq })),
    async last() {
      const found = await streamInfo(manager, { ...SETTINGS, num_replicas: replicas });
      creation.see(found.info, found.isOwn);
      return found.info.state.last_seq;
    },
    created: creation.created,
    isFilling: creation.isAgain,
    isOfAnother: creation.isOfAnother,
    async lastOf(subject) {
      const found = await manager.streams.getMessage(STREAM, { last_by_subj: subject });
      return found?.seq ?? 0;
    },
    async append({ subject, id, body }, expected) {
      try {
        // Without an id for JetStream, which takes one that it has refused for a duplicate: what is expected lets an event in once.
        const { seq } = await client.publish(subject, body, {
          headers: await idHeader(id),
          expect: { streamName: STREAM, ...expectationOf(expected) },
        });
        return seq;
      } catch (error) {
        const isRefused = error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
        if (isRefused) return undefined;
        throw error;
      }
    },
    onNews: newsOf(connection),
  };
}

/** Removes the stream with all its events, if there is one. */
export async function removeReleaseStream(connection: NatsConnection): Promise<void> {
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const { streams } = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
  await streams.delete(STREAM).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** Notices that a stream was created again. */
function creations(
  clock: Pick<Clock, 'monotonic'>,
  isOfFront: boolean,
): Pick<EventStream, 'created'> & {
  readonly see: (info: StreamInfo, isOwn: boolean) => void;
  readonly isAgain: () => boolean;
  readonly isOfAnother: () => boolean;
} {
  let known: string | undefined;
  let again = -Infinity;
  let ofAnother = -Infinity;
  const isRecent = (time: number): boolean => clock.monotonic() - time < FILLING_MS;
  return {
    created: () => known,
    see({ created, ts = created }, isOwn) {
      if (created === known) return;
      const time = clock.monotonic() - Math.max(0, Date.parse(ts) - Date.parse(created));
      if (isOfFront || known !== undefined) again = time;
      if (!isOwn) ofAnother = time;
      known = created;
    },
    isAgain: () => isRecent(again),
    isOfAnother: () => isRecent(ofAnother),
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

/** An event as it is stored; undefined if it is not. */
export function eventIn(found: StoredMsg | null): LoggedEvent | undefined {
  if (!found) return undefined;
  const { seq: sequence, subject, header } = found;
  return { sequence, subject, id: header.get(ID), body: found.string() };
}

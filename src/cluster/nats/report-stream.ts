import type { StreamConfig, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ReportStream } from '../report-stream.ts';
import { passedOverIn } from './passed-over.ts';
import { streamInfo } from './stream-info.ts';

const SUBJECT = 'modreg.reports';
const ANSWER_MS = 2000;
const DAY_NS = 86_400_000_000_000;
/** A million reports of a kilobyte; a machine sends one a day, and one after each change. */
const LARGEST_BYTES = 1024 ** 3;

/**
 * What `modreg fleet check` compares as well. A front that was away for longer learns of a machine when that reports again, within a day.
 * Beyond the largest size, the oldest messages make room, so that no machine fills the disks of the nodes (T253).
 */
export const REPORT_SETTINGS: Partial<StreamConfig> & { readonly name: string } = {
  name: 'REPORTS',
  subjects: [SUBJECT],
  storage: 'file',
  retention: 'limits',
  max_age: 7 * DAY_NS,
  max_msgs: -1,
  max_bytes: LARGEST_BYTES,
  discard: 'old',
  allow_direct: true,
};

/** The stream with the reports of a cluster's machines, which is created with `replicas` replicas if it does not exist. */
export async function reportStream(
  connection: NatsConnection,
  replicas: number,
): Promise<ReportStream> {
  const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
  const manager = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
  const client = jetstream(connection, { timeout: ANSWER_MS });
  const { name } = REPORT_SETTINGS;
  let isKnown = false;
  const found = async (): Promise<StreamInfo> => {
    const { info } = await streamInfo(manager, { ...REPORT_SETTINGS, num_replicas: replicas });
    isKnown = true;
    return info;
  };
  return {
    async state() {
      const { created: stream, state } = await found();
      return { stream, first: state.first_seq, last: state.last_seq };
    },
    read: async (seq) => (await manager.direct.getMessage(name, { seq }))?.data,
    readAtLeader: async (seq) => (await manager.streams.getMessage(name, { seq }))?.data,
    async append(msgID, message) {
      // Nobody would acknowledge it, because the fronts that wait for news receive it too.
      if (!isKnown) await found();
      const { seq } = await client.publish(SUBJECT, message, {
        msgID,
        expect: { streamName: name },
      });
      // A duplicate of one that is not stored, and may never be: its leader may have lost the others.
      if (seq === 0) throw new Error('the message is not stored yet');
    },
    note: passedOverIn(connection, replicas),
    onNews(wake) {
      const subscription = connection.subscribe(SUBJECT, { callback: () => wake() });
      return () => subscription.unsubscribe();
    },
  };
}

import type { StreamConfig, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ReportStream } from '../shared-reports.ts';

const SUBJECT = 'modreg.reports';
const ANSWER_MS = 2000;
const DAY_NS = 86_400_000_000_000;

/** What `modreg fleet check` compares as well. A front that was away for longer learns of a machine when that reports again, within a day. */
export const REPORT_SETTINGS: Partial<StreamConfig> & { readonly name: string } = {
  name: 'REPORTS',
  subjects: [SUBJECT],
  storage: 'file',
  retention: 'limits',
  max_age: 7 * DAY_NS,
  max_msgs: -1,
  max_bytes: -1,
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
  let isCreated = false;
  const create = async (): Promise<StreamInfo> => {
    const info = await manager.streams.add({ ...REPORT_SETTINGS, num_replicas: replicas });
    isCreated = true;
    return info;
  };
  return {
    async state() {
      // The leader of the stream answers, and not that of all streams, which may be another node.
      const { created: stream, state } = await manager.streams.info(name).catch(create);
      return { stream, first: state.first_seq, last: state.last_seq };
    },
    read: async (seq) => (await manager.direct.getMessage(name, { seq }))?.data,
    readAtLeader: async (seq) => (await manager.streams.getMessage(name, { seq }))?.data,
    async append(msgID, message) {
      // Nobody would acknowledge it, because the fronts that wait for news receive it too.
      if (!isCreated) await create();
      await client.publish(SUBJECT, message, { msgID, expect: { streamName: name } });
    },
    onNews(wake) {
      const subscription = connection.subscribe(SUBJECT, { callback: () => wake() });
      return () => subscription.unsubscribe();
    },
  };
}

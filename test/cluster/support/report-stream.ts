import type { PassedOver, ReportStream } from '../../../src/cluster/report-stream.ts';

/** A stream of reports without a cluster, of which the messages and notes can be seen. */
export interface StreamInMemory extends Omit<ReportStream, 'append'> {
  append: ReportStream['append'];
  readonly messages: Uint8Array[];
  readonly notes: PassedOver[];
}

/** Its id differs from that of each other stream. */
export function streamInMemory(stream = 'of-a-test'): StreamInMemory {
  const messages: Uint8Array[] = [];
  const notes: PassedOver[] = [];
  const listening = new Set<() => void>();
  const read = async (sequence: number): Promise<Uint8Array | undefined> =>
    await Promise.resolve(messages[sequence - 1]);
  return {
    messages,
    notes,
    state: async () => await Promise.resolve({ stream, first: 1, last: messages.length }),
    read,
    readAtLeader: read,
    async append(_id, message) {
      messages.push(message);
      for (const wake of listening) wake();
      await Promise.resolve();
    },
    note: async (passed) => await Promise.resolve(void notes.push(passed)),
    onNews(wake) {
      listening.add(wake);
      return () => listening.delete(wake);
    },
  };
}

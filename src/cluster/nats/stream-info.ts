import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';

/** JetStream's code for a stream that does not exist. */
const NOT_FOUND = 10_059;

/** A stream, and whether this call has created it. */
interface FoundStream {
  readonly info: StreamInfo;
  readonly isOwn: boolean;
}

/** The stream with these settings, which is created if it does not exist. Its leader answers, and not that of all streams, which may be another node. */
export async function streamInfo(
  { streams }: JetStreamManager,
  settings: Partial<StreamConfig> & { readonly name: string },
): Promise<FoundStream> {
  try {
    return { info: await streams.info(settings.name), isOwn: false };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { info: await streams.add(settings), isOwn: true };
  }
}

/** Whether JetStream has answered that there is no such stream. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === NOT_FOUND;
}

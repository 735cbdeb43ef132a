import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';

/** JetStream's code for a stream that does not exist. */
const NOT_FOUND = 10_059;

/** The stream with these settings, which is created if it does not exist. Its leader answers, and not that of all streams, which may be another node. */
export async function streamInfo(
  { streams }: JetStreamManager,
  settings: Partial<StreamConfig> & { readonly name: string },
): Promise<StreamInfo> {
  return await streams.info(settings.name).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    return await streams.add(settings);
  });
}

/** Whether JetStream has answered that there is no such stream. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === NOT_FOUND;
}

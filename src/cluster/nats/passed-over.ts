import type { KV } from '@nats-io/kv';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { excerpt } from '../../core/text/quote.ts';
import { isJsonObject } from '../../registry/formats/json-object.ts';
import { parseJson } from '../../registry/formats/json-text.ts';
import type { PassedOver } from '../report-stream.ts';
import { isMissing } from './stream-info.ts';

const BUCKET = 'modreg_passed_over';
/** As long as the stream keeps the messages themselves. */
const KEPT_MS = 7 * 86_400_000;
/** The oldest notes are dropped: they only tell a person that there is something in the logs. */
const LARGEST = 1024 * 1024;

/** Notes the messages of which something was passed over, for `modreg fleet check`. All fronts write the same note of a message. */
export function passedOverIn(
  connection: NatsConnection,
  replicas: number,
): (passed: PassedOver) => Promise<void> {
  let opened: Promise<KV> | undefined;
  const open = async (): Promise<KV> => {
    const { Kvm } = await import('@nats-io/kv');
    const terms = { ttl: KEPT_MS, replicas, history: 1, max_bytes: LARGEST };
    return await new Kvm(connection).create(BUCKET, terms);
  };
  return async ({ sequence, machine = null, because }) => {
    try {
      opened ??= open();
      const note = JSON.stringify({ sequence, machine, because: excerpt(because) });
      await (await opened).put(`message-${sequence}`, note);
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
}

/** How many messages of the stream of reports were passed over, and the last one as a text; undefined if there is none. */
export async function passedOverFacts({ streams }: JetStreamManager): Promise<string | undefined> {
  const name = `KV_${BUCKET}`;
  try {
    const { state } = await streams.info(name);
    if (state.messages === 0) return undefined;
    const last = await streams.getMessage(name, { seq: state.last_seq });
    const note = parseJson(last?.string() ?? '');
    const { sequence, machine, because } = isJsonObject(note) ? note : {};
    const whose = typeof machine === 'string' ? ` of ${excerpt(machine)}` : '';
    const found = `the last is message ${String(sequence)}${whose}: ${excerpt(String(because))}`;
    return `messages of which something was passed over in 7 days: ${state.messages}; ${found}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

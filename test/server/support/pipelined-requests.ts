import { GET, rest, served } from './attacked-registry.ts';

/** What a client got that sent its requests at once and read nothing at first. */
interface Pipelined {
  /** The most bytes that the registry kept for it while others were answered. */
  readonly unsent: number;
  /** The fewest bytes that another client got meanwhile. */
  readonly othersGot: number;
  /** The number of its answers, and their bytes. */
  readonly answers: number;
  readonly bytes: number;
}

/** Sends so many requests for a long list at once, and reads once others were answered. */
export async function pipelined(
  protocol: 'http' | 'https',
  requestsPerSocket: number,
): Promise<Pipelined> {
  const { address, responses, client } = await served(protocol, { requestsPerSocket });
  const last = GET.replace('Host', 'Connection: close\r\nHost');
  const attacker = client(GET.repeat(requestsPerSocket - 1) + last);
  let [unsent, othersGot] = [0, Infinity];
  for (let round = 0; round < 5; round++) {
    const other = await fetch(`${address}/v1/modules/acme/lidar`);
    othersGot = Math.min(othersGot, (await other.arrayBuffer()).byteLength);
    const now = responses.reduce((sum, { writableLength }) => sum + writableLength, 0);
    unsent = Math.max(unsent, now);
  }
  const text = await rest(attacker);
  const answers = text.match(/HTTP\/1.1 200 OK/g)?.length ?? 0;
  return { unsent, othersGot, answers, bytes: text.length };
}

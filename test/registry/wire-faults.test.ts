import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';
import {
  BREAKS,
  FLOODS,
  HONEST,
  LIES,
  STALLS,
  type WireFault,
} from '../../mocks/hostile-answers.ts';
import { wireServer, type WireServer } from '../../mocks/wire-server.ts';
import { networkFetch } from '../../src/registry/http/network.ts';

const LIMITS = { answerMs: 300, idleMs: 300, totalMs: 900, slowAfterMs: 400 };
/** A busy machine needs seconds to receive 8 MiB. */
const PATIENT = { answerMs: 20_000, idleMs: 20_000, totalMs: 40_000, slowAfterMs: 40_000 };
const REQUEST = 'GET /v1/modules/acme/lidar HTTP/1.1 "57"';

let server: WireServer;
beforeAll(async () => {
  server = await wireServer();
});
afterAll(async () => await server.close());

/** What sends the requests. */
interface Client {
  readonly name: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Its codes for an end, for two lengths, for what is no status, no protocol, and no chunk. */
  readonly hungUp: string;
  readonly twoLengths: string;
  readonly noStatus: string;
  readonly noHttp: string;
  readonly noChunk: string;
}

const UNREACHABLE = 'stale, registry-unreachable: the registry @ cannot be reached';
const BROKE_OFF =
  'stale, registry-unreachable: the registry @ closed the connection before the end of its response';
const NO_CODE = `${UNREACHABLE} (the connection broke)`;

const CLIENTS: readonly Client[] = [
  {
    name: "Node's own fetch, of programs that embed modreg",
    hungUp: `${UNREACHABLE} (UND_ERR_SOCKET)`,
    twoLengths: `${UNREACHABLE} (UND_ERR_RES_CONTENT_LENGTH_MISMATCH)`,
    noStatus: NO_CODE,
    noHttp: NO_CODE,
    noChunk: NO_CODE,
  },
  {
    name: '[D478] the client of commands',
    fetch: networkFetch({}),
    hungUp: `${UNREACHABLE} (ECONNRESET)`,
    twoLengths: `${UNREACHABLE} (HPE_UNEXPECTED_CONTENT_LENGTH)`,
    noStatus: `${UNREACHABLE} (HPE_INVALID_STATUS)`,
    noHttp: `${UNREACHABLE} (HPE_INVALID_CONSTANT)`,
    noChunk: BROKE_OFF,
  },
];

/** The outcome of a fault when a list is known, and the number of requests. */
async function outcomeOfFault(
  { fetch }: Client,
  fault: WireFault,
  retryWithinMs: number,
  limits = LIMITS,
): Promise<[string, number]> {
  const machine = remembered(server.address, {
    limits: { ...limits, retryWithinMs },
    ...(fetch && { fetch }),
  });
  server.answer(HONEST);
  await machine.registry.read(LIDAR);
  const before = machine.saved();
  server.requests.length = 0;
  server.answer(fault);
  const outcome = await outcomeOf(machine.registry.read(LIDAR));
  expect(machine.saved()).toBe(before);
  const count = server.requests.length;
  expect(server.requests).toEqual(Array.from({ length: count }, () => REQUEST));
  return [outcome.replaceAll(server.address, '@'), count];
}

/** A row for each fault with its outcome, so that a fault without an expected outcome fails. */
function rows<Name extends string>(
  faults: Readonly<Record<string, () => WireFault>>,
  outcomes: Readonly<Record<Name, string>>,
): readonly [string, () => WireFault, string | undefined][] {
  const found = new Map(Object.entries<string>(outcomes));
  return Object.entries(faults).map(([name, fault]) => [name, fault, found.get(name)]);
}

const NOT_A_REGISTRY = 'stale, not-a-registry: the registry @ does not respond like a registry';
const LARGE = 'stale, list-too-large: the response from the registry @ is too large';
const BYTES = `${LARGE}: it has more than 8388608 bytes`;
const TOKENS = `${LARGE}: it has more than 250000 commas and brackets`;
const encoded = (encoding: string): string =>
  `stale, not-a-registry: the registry @ responds with content-encoding ${encoding}, expected gzip or none`;
const HEADER = 'stale, list-too-large: the registry @ responds with a header that is too large';

const SILENT = 'stale, registry-timeout: the registry @ did not begin its response within 0.3 s';
const STALLED = 'stale, registry-timeout: the registry @ stalled: it sent nothing more for 0.3 s';
const RESET = `${UNREACHABLE} (ECONNRESET)`;
const NO_JSON = `${NOT_A_REGISTRY}: it is not JSON`;

describe.each(CLIENTS)('$name', (client) => {
  describe('refuses without a retry a response that would exhaust the memory', () => {
    it.each(
      rows(FLOODS, {
        '[T36] a gzip bomb': BYTES,
        '[T36] a deflate bomb': encoded('deflate'),
        '[T36] a brotli bomb': encoded('br'),
        '[T36] nested encodings': encoded('gzip, gzip'),
        '[T36] a token bomb in gzip': TOKENS,
        '[T37] 2 MiB of {}': TOKENS,
        '[T37] 2 MiB of []': TOKENS,
        '[T37] a million numbers': TOKENS,
        '[T37] brackets a million deep': `${LARGE}: it is nested more than 256 levels deep`,
        '[T37] the maximum number of objects': `${NOT_A_REGISTRY}: found a list, expected an object`,
        '[T37] the maximum number of strings': `${NOT_A_REGISTRY}: found a list, expected an object`,
        '[T37] an endless body in chunks': BYTES,
        '[T37] an endless body without a length': BYTES,
        '[T37] an endless body of tokens': TOKENS,
        '[T37] a length of 10 GB': `${LARGE}: its content-length is 10000000000 bytes (limit 8388608)`,
        '[T37] a header of 64 KB': HEADER,
        '[T37] 10,000 headers': HEADER,
        '[T37] a header without end': HEADER,
      }),
    )('%s', async (_, fault, outcome) => {
      expect(await outcomeOfFault(client, fault(), 50_000, PATIENT)).toEqual([outcome, 1]);
    });
  });

  describe('stops a response that takes too long', () => {
    it.each(
      rows(STALLS, {
        '[T38] a byte at a time': 'stale, registry-timeout: the registry @ is too slow',
        '[T38] fast enough, but endless':
          'stale, registry-timeout: the registry @ did not finish its response within 0.9 s',
        '[T39] silence': SILENT,
        '[T39] silence after the status': SILENT,
        '[T39] silence in the header': SILENT,
        '[T39] a header that drips': SILENT,
        '[T39] silence after the header': STALLED,
        '[T39] silence in the body': STALLED,
        '[T39] silence in a chunk': STALLED,
      }),
    )('%s', async (_, fault, outcome) => {
      const [found, count] = await outcomeOfFault(client, fault(), 0);
      // The measured rate differs from run to run.
      expect([found.replace(/: \d+ bytes in .*/, ''), count]).toEqual([outcome, 1]);
    });

    it('[T39] retries a silent server within the retry limit', async () => {
      const [found, count] = await outcomeOfFault(client, () => undefined, 600);
      expect([found, count]).toEqual([SILENT, 2]);
    });
  });

  describe('[T517] tries a broken connection three times', () => {
    it.each(
      rows(BREAKS, {
        '[T40] a reset': RESET,
        '[T40] a reset in the header': RESET,
        '[T40] a reset in the body': BROKE_OFF,
        '[T40] an end before the answer': client.hungUp,
        '[T40] an end in the header': client.hungUp,
        '[T40] an end in the body': BROKE_OFF,
        '[T40] an end in a chunk': BROKE_OFF,
        '[T40] an end before the last chunk': BROKE_OFF,
        '[T40] a chunk without a size': client.noChunk,
        '[T40] an end in the body of HTTP/1.0': BROKE_OFF,
        '[T40] an end in gzip': BROKE_OFF,
        '[T40] a status that is not a number': client.noStatus,
        '[T40] no HTTP at all': client.noHttp,
      }),
    )('%s', async (_, fault, outcome) => {
      expect(await outcomeOfFault(client, fault(), 20_000)).toEqual([outcome, 3]);
    });
  });

  describe('refuses a response that contradicts its header', () => {
    it.each([
      ...rows(LIES, {
        '[T37] a length that is too small': `${NO_JSON} at line 1 column 11`,
        '[T36] gzip without gzip data':
          'stale, not-a-registry: the registry @ responds with a body that does not match its content-encoding',
        'UTF-16': `${NO_JSON} at line 1 column 2`,
        'a byte order mark': `${NO_JSON}: it begins with a byte order mark`,
        '[T44] two lengths': client.twoLengths,
      }),
    ])('%s', async (name, fault, outcome) => {
      expect(await outcomeOfFault(client, fault(), 20_000)).toEqual([
        outcome,
        name === '[T44] two lengths' ? 3 : 1,
      ]);
    });
  });

  it('accepts a complete HTTP/1.0 response', async () => {
    const { fetch } = client;
    const { registry } = remembered(server.address, fetch ? { fetch } : {});
    const list = { module_id: LIDAR, generation: 1, count: 1, releases: [{ version: '1.0.0' }] };
    server.answer((socket) => {
      socket.end(
        `HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(list)}`,
      );
    });
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
  });
});

import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { GET, LIST_BYTES, rest, served, trustFixtures } from './support/attacked-registry.ts';
import { pipelined } from './support/pipelined-requests.ts';

const MIB = 1024 * 1024;
const RELEASES = '/v1/modules/acme/lidar/releases';

trustFixtures();

describe.each(['http', 'https'] as const)(
  '[T80] a registry served over %s, under attack',
  (protocol) => {
    it('keeps at most three slices of a list for a client that pipelines requests and reads nothing', async () => {
      const { unsent, othersGot, answers, bytes } = await pipelined(protocol, 4);
      expect(unsent).toBeLessThan(4 * MIB);
      expect(othersGot).toBeGreaterThan(LIST_BYTES);
      // It gets all its answers when it reads.
      expect(answers).toBe(4);
      expect(bytes).toBeGreaterThan(4 * LIST_BYTES);
    });

    it('ends a connection with too many requests', async () => {
      const { events, responses, client } = await served(protocol);
      const text = await rest(client(GET.repeat(400)));
      // Node would create all of them.
      expect(responses.length).toBeLessThan(30);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 429 Too Many Requests\r\n/);
      expect(head).toMatch(/\r\nretry-after: 5\r\n/);
      expect(JSON.parse(body)).toMatchObject({
        type: 'urn:modreg:too-many-requests',
        status: 429,
        detail: 'nothing was changed',
      });
      expect(events).toEqual([
        { kind: 'overload', limit: 'requests-per-socket', count: 1, peer: '127.0.0.1' },
      ]);
    });

    it('says why it ends a connection also after requests that it answered', async () => {
      const { responses, client } = await served(protocol);
      const socket = client('GET /v1/modules HTTP/1.1\r\nHost: x\r\n\r\n');
      await expect.poll(() => responses[0]?.writableFinished).toBe(true);
      socket.write(GET.repeat(400));
      expect((await rest(socket)).match(/HTTP\/1.1 \d+/g)).toEqual([
        'HTTP/1.1 200',
        'HTTP/1.1 429',
      ]);
    });

    it('keeps small slices of a list while much is unsent', async () => {
      const { address, responses, client } = await served(protocol, { manyUnsent: 0 });
      client(GET);
      await expect.poll(() => responses[0]?.writableLength).toBeGreaterThan(0);
      for (let round = 0; round < 5; round++) await fetch(`${address}/v1/modules`);
      expect(responses[0]?.writableLength).toBeLessThan(4 * SERVER_LIMITS.smallSlice);
    });

    it('answers while nothing is unsent, whatever the limit is', async () => {
      const { address } = await served(protocol, { unsentInTotal: 0 });
      expect((await fetch(`${address}/v1/modules`)).status).toBe(200);
    });

    it('ends a connection with too many requests after a long body, which is not parsed in pieces', async () => {
      const { events, responses, client } = await served(protocol);
      const length = 60_000;
      const post = `POST /v1/modules/acme/lidar/releases HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
      await rest(client(post + 'x'.repeat(length) + GET.repeat(400)));
      expect(responses.length).toBeLessThan(30);
      expect(events.filter(({ kind }) => kind === 'overload')).toMatchObject([
        { limit: 'requests-per-socket', count: 1 },
      ]);
    });

    it('ends a connection that sends too many requests while one of them is handled', async () => {
      const { events, responses, client } = await served(protocol);
      const poll = 'GET /v1/changes?after=2&wait=60 HTTP/1.1\r\nHost: x\r\n\r\n';
      const attacker = client(poll);
      await expect.poll(() => responses.length).toBe(1);
      attacker.write(GET.repeat(SERVER_LIMITS.requestsPerSocket));
      expect(await rest(attacker)).toBe('');
      expect(events).toMatchObject([{ limit: 'requests-per-socket', count: 1 }]);
    });

    it('refuses requests while too much is unsent in total', async () => {
      const { address, events, client } = await served(protocol, { unsentInTotal: 1000 });
      const attacker = client(GET);
      const ask = async (): Promise<Response> => await fetch(`${address}/v1/modules`);
      await expect.poll(async () => (await ask()).status).toBe(503);
      const refused = await ask();
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(refused.headers.get('connection')).toBe('close');
      expect(await refused.json()).toMatchObject({
        type: 'urn:modreg:overloaded',
        detail: 'nothing was changed',
      });
      expect(events[0]).toEqual({
        kind: 'overload',
        limit: 'unsent-bytes',
        count: 1,
        peer: '127.0.0.1',
      });
      attacker.destroy();
      await expect.poll(async () => (await ask()).status).toBe(200);
    });

    it('keeps nothing of a request with a body once it is answered', async () => {
      const { responses, client } = await served(protocol);
      const socket = client('').resume();
      const listeners = async (requests: number): Promise<number | undefined> => {
        socket.write('PATCH /v1/modules HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
        await expect.poll(() => responses.length).toBe(requests);
        await expect.poll(() => responses.at(-1)?.writableFinished).toBe(true);
        return responses[0]?.req.socket.listenerCount('close');
      };
      const first = await listeners(1);
      for (let requests = 2; requests < 6; requests++) await listeners(requests);
      await expect.poll(() => responses[0]?.req.socket.listenerCount('close')).toBe(first);
    });

    it('ends a connection that sends nothing', async () => {
      // The handshake, which a busy machine delays, must end in this time. A client that has finished it is told why.
      const headers = protocol === 'https' ? 1000 : 100;
      const { events, client } = await served(protocol, { headers });
      const end = protocol === 'https' ? /^HTTP\/1.1 408 / : /^$/;
      expect(await rest(client(''))).toMatch(end);
      expect(events).toEqual([]);
    });

    it.each([
      ['in chunks', 'Transfer-Encoding: chunked', '5\r\n{"ver\r\n'],
      ['of which much came at first', 'Content-Length: 9000', ' '.repeat(2000)],
    ])('ends a connection whose body stops: one %s', async (_, head, body) => {
      const { token, events, client } = await served(protocol, { request: 100, bodyBytes: 1000 });
      const begin = `POST ${RELEASES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}`;
      const text = await rest(client(`${begin}\r\n${head}\r\n\r\n${body}`));
      expect(text).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      expect(events).toEqual([
        { kind: 'overload', limit: 'slow-requests', count: 1, peer: '127.0.0.1' },
      ]);
    });

    it('keeps a long poll whose body is complete and is not read', async () => {
      const { client } = await served(protocol, { request: 50 });
      const poll = 'GET /v1/changes?after=2&wait=0.3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
      expect(await rest(client(`${poll}Content-Length: 2\r\n\r\n{}`))).toMatch(/^HTTP\/1.1 200 OK/);
    });

    it('answers a refused request once, however slow its body is', async () => {
      const { client } = await served(protocol, { request: 100 });
      const text = await rest(
        client(`POST ${RELEASES} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`),
      );
      expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401']);
    });

    it('gives a long poll its time after a response that had to be read soon', async () => {
      const { client } = await served(protocol, { unread: 200 });
      const poll =
        'GET /v1/changes?after=2&wait=0.6 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const text = await rest(client(`GET /v1/modules HTTP/1.1\r\nHost: x\r\n\r\n${poll}`));
      expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    });

    it('refuses more than 16 KiB of headers', async () => {
      const { client } = await served(protocol);
      const answered = [15, 17].map(async (kib) => {
        const head = `GET /v1/modules HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: `;
        const text = await rest(client(`${head}${'x'.repeat(kib * 1024)}\r\n\r\n`));
        return text.startsWith('HTTP/1.1 200 OK');
      });
      expect(await Promise.all(answered)).toEqual([true, false]);
    });

    it('keeps a connection that sends its first byte late', async () => {
      const { client } = await served(protocol, { headers: 300 });
      const late = client('');
      await once(late, 'connect');
      late.write(
        'GET /v1/changes?after=2&wait=0.6 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      );
      expect(await rest(late)).toMatch(/^HTTP\/1.1 200 OK/);
    });

    it('ends a connection whose client does not read', async () => {
      const { responses, client } = await served(protocol, { unread: 100 });
      const attacker = client(GET);
      await expect.poll(() => responses.length).toBe(1);
      const [response] = responses;
      await expect.poll(() => response?.socket?.destroyed ?? true).toBe(true);
      expect((await rest(attacker)).length).toBeLessThan(LIST_BYTES);
    });

    it('refuses more connections, and more long polls of a peer, than it may have', async () => {
      const { address, events, responses, client } = await served(protocol, {
        longPollsPerPeer: 1,
        connections: 2,
      });
      client('GET /v1/changes?after=2&wait=60 HTTP/1.1\r\nHost: x\r\n\r\n');
      await expect.poll(() => responses.length).toBe(1);
      const second = await fetch(`${address}/v1/changes?after=2&wait=60`);
      expect([second.status, second.headers.get('retry-after')]).toEqual([429, '5']);
      expect(await second.json()).toMatchObject({ detail: 'the peer has too many long polls' });
      expect(await rest(client(GET))).toBe('');
      const refused = { kind: 'overload', count: 1, peer: '127.0.0.1' };
      expect(events).toEqual([
        { ...refused, limit: 'long-polls-per-peer' },
        { ...refused, limit: 'connections' },
      ]);
    });
  },
);

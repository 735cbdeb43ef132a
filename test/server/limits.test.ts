import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { longPolls } from '../../src/server/limits/long-polls.ts';
import { uploadSlots } from '../../src/server/limits/upload-slots.ts';
import { refusalCount } from '../../src/server/limits/refusal-count.ts';
import type { RegistryEvent } from '../../src/server/registry-options.ts';
import { pageAt } from '../support/pages.ts';

const MIB = 1024 * 1024;

function count(number: number): string {
  return number.toLocaleString('en');
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

describe('the limits of a served registry are those of the docs', () => {
  const PROTOCOL = pageAt('docs/registry-protocol.md').text.replaceAll(/\s+/g, ' ');
  const RUNNING = pageAt('docs/running-a-registry.md').text.replaceAll(/\s+/g, ' ');
  const { connections, requestsPerSocket, unsentPerConnection, unsentInTotal } = SERVER_LIMITS;
  const { longPollsPerPeer, longPoll, bodyBytes, artifactBytes, freeDisk } = SERVER_LIMITS;
  const { uploads, uploadsPerToken, headers, request, idle, unread, retryAfter } = SERVER_LIMITS;

  it.each([
    `closes a connection after ${seconds(headers)} without complete headers`,
    `${seconds(request)} in which less than ${bodyBytes / MIB} MiB of a body arrives`,
    `${seconds(unread)} in which the client reads nothing of a response, or ${seconds(idle)} without traffic`,
    `at most ${requestsPerSocket} of them, and keeps at most ${unsentPerConnection / MIB} MB of unsent responses for a connection and ${unsentInTotal / MIB} MB in total`,
    `accepts ${count(connections)} connections, and ${count(longPollsPerPeer)} long polls of one address`,
    `the body has more than ${bodyBytes / MIB} MiB, or a file more than ${artifactBytes / MIB / 1024} GiB`,
    `receives ${uploads} files at a time, ${uploadsPerToken} of one token, and ends an upload that sends less than ${bodyBytes / MIB} MiB in ${seconds(request)}`,
    `\`too-many-uploads\`, with \`Retry-After: ${retryAfter / 1000}\``,
    `more than ${longPoll / 1000} count as ${longPoll / 1000}`,
  ])('%s', (sentence) => {
    expect(PROTOCOL.includes(sentence)).toBe(true);
  });

  it(`refuses an upload if less than ${freeDisk / MIB} MiB of the disk would stay free`, () => {
    const sentence = `less than ${freeDisk / MIB} MiB of the disk would stay free`;
    expect(RUNNING.includes(sentence)).toBe(true);
  });

  it('ends responses in progress after five seconds, before a container is killed', () => {
    expect(SERVER_LIMITS.closing).toBe(5000);
  });
});

describe('the events of refused requests', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are the first one at once, then their number once a second, with the last address', () => {
    const events: RegistryEvent[] = [];
    const refused = refusalCount((event) => events.push(event));
    const seen = (): string[] =>
      events
        .splice(0)
        .map((event) => ('limit' in event ? `${event.limit} ${event.count} ${event.peer}` : ''));
    refused('uploads', 'a');
    expect(seen()).toEqual(['uploads 1 a']);
    refused('uploads', 'b');
    refused('connections', 'd');
    refused('uploads', 'c');
    vi.advanceTimersByTime(999);
    expect(seen()).toEqual(['connections 1 d']);
    vi.advanceTimersByTime(1);
    expect(seen()).toEqual(['uploads 2 c']);
    refused('uploads', 'e');
    vi.advanceTimersByTime(999);
    expect(seen()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(seen()).toEqual(['uploads 1 e']);
    vi.advanceTimersByTime(60_000);
    expect(seen()).toEqual([]);
    refused('uploads', undefined);
    expect(seen()).toEqual(['uploads 1 undefined']);
  });
});

it('an upload gets the number of bytes that others announced, and that other tokens may need (T289)', async () => {
  const slots = uploadSlots({ refused: () => undefined });
  const upload = (
    tokenId: string,
    size: number,
  ): { end: () => Promise<void>; expected: Promise<number> } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const got = Promise.withResolvers<number>();
    const ended = slots.within({ tokenId, size, peer: undefined }, async (expected) => {
      got.resolve(expected);
      await promise;
    });
    const end = async (): Promise<void> => {
      resolve();
      await ended;
    };
    return { end, expected: got.promise };
  };
  const [first, second] = [upload('t1', 10), upload('t2', 200)];
  expect(await Promise.all([first.expected, second.expected])).toEqual([0, 10]);
  const third = upload('t1', 3000);
  expect(await third.expected).toBe(3220);
  await first.end();
  expect(await upload('t2', 1).expected).toBe(3401);
});

it('a peer has at most as many long polls as it may have, whenever its others end', () => {
  const refused: unknown[] = [];
  const limits = { ...SERVER_LIMITS, longPollsPerPeer: 2 };
  const { begin } = longPolls({ limits, refused: (...of) => refused.push(of) });
  const [first, second, other] = [begin('a'), begin('a'), begin('b')];
  expect(begin('a')).toBeUndefined();
  first?.();
  const third = begin('a');
  expect(begin('a')).toBeUndefined();
  second?.();
  third?.();
  const later = [begin('a'), begin('a')];
  expect(begin('a')).toBeUndefined();
  expect([...later, other].map((end) => typeof end)).toEqual(['function', 'function', 'function']);
  expect(refused).toEqual(Array.from({ length: 3 }, () => ['long-polls-per-peer', 'a']));
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { exchange } from '../../src/registry/http/exchange.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { systemClock } from '../../src/registries/index.ts';

const MINUTE = 60_000;

/** A file that is read in four minutes. */
async function* open(): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < 4; part++) {
    await new Promise((resolve) => setTimeout(resolve, MINUTE));
    yield new Uint8Array(8);
  }
}

async function fetch(input: string | URL | Request): Promise<Response> {
  await new Request(input).arrayBuffer();
  return Response.json({}, { status: 201 });
}

it('[T87] a file may be sent at 32 bytes a millisecond', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const url = new URL('https://registry.example/x');
  const body = { size: 4 * MINUTE * 32, open };
  const reply = exchange(
    {
      url,
      accept: '*/*',
      where: 'it',
      largest: 10_000,
      mostTokens: 100,
      fetch,
      change: { method: 'PUT', body },
    },
    { limits: DEFAULT_LIMITS, clock: systemClock, signal: undefined },
  );
  const [{ status }] = await Promise.all([reply, vi.advanceTimersByTimeAsync(5 * MINUTE)]);
  expect(status).toBe(201);
});

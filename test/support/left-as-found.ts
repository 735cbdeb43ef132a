import { deepStrictEqual } from 'node:assert';
import { afterAll, vi } from 'vitest';

/** What the next test file of the same process would find changed. */
function found(): Readonly<Record<string, unknown>> {
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    mask: process.umask(),
    globals: [fetch, setTimeout, setInterval, Date],
    listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
    hasFakeTimers: vi.isFakeTimers(),
  };
}

const before = found();
afterAll(() => deepStrictEqual(found(), before));

import { onTestFinished } from 'vitest';
import type { ProgramStart } from '../../../src/agent/process/launch.ts';
import { killMarked } from '../../../src/agent/process/orphans.ts';
import { marked } from '../../../src/agent/process/process-table.ts';
import { ROOT } from '../../support/modreg.ts';

let starts = 0;

/** A start of fake-module.ts, and what it has written. Nothing of it is left after the test. */
export interface FakeStart {
  readonly start: ProgramStart;
  readonly lines: string[];
  /** Resolves once it has written `line`. */
  readonly wrote: (line: string) => Promise<void>;
  /** How many processes of it there are. */
  readonly processes: () => number;
}

export function fakeStart(
  behaviour: readonly string[],
  more: Partial<ProgramStart> = {},
): FakeStart {
  const mark = `test-${process.pid}-${++starts}/`;
  const lines: string[] = [];
  const waiting = new Map<string, () => void>();
  onTestFinished(async () => void (await killMarked(mark)));
  const start: ProgramStart = {
    path: process.execPath,
    arguments: [`${ROOT}test/agent/support/fake-module.ts`, ...behaviour],
    folder: ROOT,
    environment: { PATH: '/usr/bin:/bin' },
    runAs: undefined,
    mark,
    onLine: ({ stream, text, isTruncated }) => {
      const line = isTruncated ? `${text.length} characters, cut` : text;
      const written = stream === 'stdout' ? line : `${stream}: ${line}`;
      lines.push(written);
      waiting.get(written)?.();
    },
    ...more,
  };
  return {
    start,
    lines,
    wrote: async (line) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      waiting.set(line, () => resolve(undefined));
      if (!lines.includes(line)) await promise;
    },
    processes: () => marked(mark).length,
  };
}

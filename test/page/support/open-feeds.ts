import type { Hono } from 'hono';
import { expect, onTestFinished, vi } from 'vitest';
import type { AccessOptions } from '../../../src/page/access/access-options.ts';
import { pageApp } from '../../../src/page/app.ts';
import { NOW } from '../../support/decides.ts';
import { pagedPlan, type PagedPlan } from '../../support/paged-plan.ts';
import { entry, known, plan } from '../../support/planned.ts';

/** A machine whose lidar is deployed, and whose arm has the constraint. */
export function planWith(arm: string, lidar = '1.2.9'): ReturnType<typeof plan> {
  return plan(
    { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', arm)] },
    { acme_lidar: known(lidar, ['1.2.3', '1.2.9']), acme_arm: known('2.0.0', ['2.0.0']) },
  );
}

/** A live feed of a page. */
export interface Feed {
  /** The events until the next that says that the feed is alive: their names, and the ids of their elements. */
  next(): Promise<string[]>;
  end(): void;
}

/** Opens the live feed of a page. */
export async function feedOf(
  app: Hono,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Feed> {
  const aborting = new AbortController();
  const answer = await app.request(`/v1/live${query}`, {
    signal: aborting.signal,
    headers: { 'accept-encoding': 'br', ...headers },
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('content-encoding')).toBeNull();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('the answer has no body');
  return {
    async next() {
      let text = '';
      while (!text.includes('event: alive')) {
        const { value = '', done } = await reader.read();
        text += done ? 'event: closed\ndata: \n\n' : value;
        if (done) break;
      }
      return text.split('\n\n').flatMap((event) => wordFor(event) ?? []);
    },
    end: () => void reader.cancel(),
  };
}

function wordFor(event: string): string | undefined {
  const [, name = 'message'] = /^event: (.*)$/m.exec(event) ?? [];
  const [, id] = /<\w+ id="([^"]*)"/.exec(event) ?? [];
  const [, data] = /^data: (.*)$/m.exec(event) ?? [];
  if (event === '') return undefined;
  return id ?? (data === '' ? name : `${name} ${data}`);
}

/** The app of a page whose clock and timers the test moves. */
export function openFeeds(access?: AccessOptions): {
  app: Hono;
  machine: PagedPlan;
  errors: string[];
} {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  const machine = pagedPlan(planWith('2.*'));
  const errors: string[] = [];
  const app = pageApp(machine, {
    assets: { style: '', script: '' },
    access,
    onError: (error) => errors.push(String(error)),
  });
  return { machine, app, errors };
}

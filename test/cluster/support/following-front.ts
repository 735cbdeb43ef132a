/* A front that follows a stream in memory. */
import { onTestFinished } from 'vitest';
import { encodeEvent, subjectOf, type FleetEvent } from '../../../src/cluster/event.ts';
import type { EventStream } from '../../../src/cluster/event-stream.ts';
import { follower, type Follower, type FollowerEvent } from '../../../src/cluster/follower.ts';
import { heardTogether } from '../../../src/cluster/heard-together.ts';
import { logWriter } from '../../../src/cluster/log-writer.ts';
import type { OlderFront } from '../../../src/cluster/older-front.ts';
import { systemClock, type Clock } from '../../../src/registry/clock.ts';
import { registryApp } from '../../../src/server/app.ts';
import { changeFeed } from '../../../src/server/catalogue/change-feed.ts';
import { Catalogue, readRelease } from '../../../src/server/index.ts';
import type { Replica } from '../../../src/server/registry-options.ts';
import { moduleId } from '../../support/ask.ts';
import { memoryStream } from '../../support/memory-stream.ts';

export const NOW: number = Date.parse('2026-11-21T01:02:03Z');

export function publication(id: string, version: string): FleetEvent {
  const release = readRelease({ version });
  if (!release.ok) throw new Error(release.error.join());
  const named = { moduleId: moduleId(id), release: release.value };
  return { kind: 'publish', ...named, start: undefined, now: NOW };
}

interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface TestFront {
  readonly catalogue: Catalogue;
  readonly events: readonly FollowerEvent[];
  readonly following: Follower;
  readonly ask: (path: string, init?: RequestInit) => Promise<Answer>;
  /** Sends a request to it, whatever the address is. */
  readonly fetch: typeof globalThis.fetch;
}

/** All fronts read all events. */
const NONE: OlderFront = async () => await Promise.resolve(undefined);

/** A front that follows `stream` with the file at `path`. */
export function frontOf(
  stream: EventStream,
  path: string,
  clock: Clock = systemClock,
  olderFront: OlderFront = NONE,
): TestFront {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const feed = changeFeed(catalogue);
  const events: FollowerEvent[] = [];
  const onEvent = (event: FollowerEvent): void => void events.push(event);
  const following = follower(catalogue.log, stream, { clock, onEvent });
  const replica: Replica = {
    write: heardTogether(
      logWriter({ log: catalogue.log, stream, follower: following, clock, olderFront }),
    ),
    isController: () => false,
    shareReports: () => async () => await Promise.resolve(),
    trouble: following.trouble,
    withheld: following.withheld,
    isConfirmed: following.isConfirmed,
  };
  const app = registryApp(catalogue, feed, { clock, spreadMs: 0, replica });
  onTestFinished(async () => {
    await following.stop();
    feed.close();
    catalogue.close();
  });
  return {
    catalogue,
    events,
    following,
    fetch: async (input, init) => await app.fetch(new Request(input, init)),
    async ask(address, init) {
      const response = await app.fetch(new Request(`http://front.test${address}`, init));
      return { status: response.status, json: Object(await response.json()) };
    },
  };
}

interface Filled {
  readonly stream: ReturnType<typeof memoryStream>;
  readonly add: (event: FleetEvent) => void;
}

/** A stream that begins with a release of two modules. */
export function filledStream(): Filled {
  const stream = memoryStream();
  const add = (event: FleetEvent): void => stream.put(subjectOf(event), encodeEvent(event));
  add({ kind: 'begin', history: '0123456789abcdef' });
  add(publication('acme:lidar', '1.0.0'));
  add(publication('acme:camera', '1.0.0'));
  return { stream, add };
}

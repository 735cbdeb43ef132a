import type { OlderFront } from '../../src/cluster/older-front.ts';
import { logWriter } from '../../src/cluster/log-writer.ts';
import { encodeEvent, subjectOf } from '../../src/cluster/event.ts';
import type { EventStream } from '../../src/cluster/event-stream.ts';
import { follower } from '../../src/cluster/follower.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { registryApp } from '../../src/server/app.ts';
import { changeFeed } from '../../src/server/catalogue/change-feed.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { Catalogue } from '../../src/server/index.ts';
import { tokenFor } from '../support/token.ts';
import { NOW } from './report-texts.ts';
import { emptyFolder } from './scratch.ts';

/** A registry whose catalogue is a file. */
export interface WrittenSite {
  readonly name: string;
  readonly catalogue: Catalogue;
  readonly fleet: FleetFile;
  /** Answers a request without a network. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly token: string;
  /** Why it no longer follows its cluster. */
  readonly trouble: () => string | undefined;
  /** The error of the last request that failed. */
  readonly error: () => unknown;
  /** Resolves once it has the event with this number. */
  readonly reaches: (sequence: number) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

const SCOPES = ['publish', 'yank', 'import', 'rollout', 'fleet:read'];
const LONGEST_MS = 10_000;

/** Machines report to no front here. */
const shareReports = (): (() => Promise<void>) => async () => await Promise.resolve();

const olderFront: OlderFront = async () => await Promise.resolve(undefined);

/** A single server without a stream; with one, a front of a cluster. */
export function writtenSite(name: string, stream?: EventStream): WrittenSite {
  const path = `${emptyFolder(name)}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const { log } = catalogue;
  const feed = changeFeed(catalogue);
  const clock = { ...systemClock, now: () => NOW };
  const fleet = new FleetFile(':memory:', clock.now);
  const following = stream && follower(log, stream, { clock, onEvent: () => undefined });
  // With all that a front tells of the events that it follows.
  const replica = following && {
    ...following,
    write: logWriter({ log, stream, follower: following, clock, olderFront }),
    isController: () => false,
    shareReports,
  };
  let error: unknown;
  const app = registryApp(catalogue, feed, {
    clock,
    spreadMs: 0,
    fleet,
    ...(replica && { replica }),
    log: (event) => {
      if (event.kind === 'failed') ({ error } = event);
    },
  });
  return {
    name,
    catalogue,
    fleet,
    token: tokenFor(catalogue, SCOPES),
    fetch: async (request) => await app.fetch(request),
    error: () => error,
    trouble: () => following?.trouble(),
    reaches: async (sequence) => (await following?.reaches(sequence, LONGEST_MS)) ?? true,
    async close() {
      await following?.stop();
      feed.close();
      fleet.close();
      catalogue.close();
    },
  };
}

/** The first event of a stream. */
export async function begin(stream: EventStream): Promise<void> {
  const event = { kind: 'begin', history: 'fuzz' } as const;
  await stream.append(
    { subject: subjectOf(event), id: 'begin', body: encodeEvent(event) },
    { last: 0 },
  );
}

import { randomUUID } from 'node:crypto';
import type { Clock } from '../registry/clock.ts';
import type { Catalogue } from '../server/catalogue/catalogue.ts';
import type { Replica } from '../server/registry-options.ts';
import type { ChangeLog } from '../server/catalogue/change-log.ts';
import { encodeEvent, subjectOf, type FleetEvent } from './event.ts';
import type { EventStream } from './event-stream.ts';
import { follower, type FollowerOptions } from './follower.ts';
import { heardTogether } from './heard-together.ts';
import { frontName, type SeenFront } from './front-name.ts';
import { logWriter } from './log-writer.ts';
import { connectTo, type ClusterPlace } from './nats/connection.ts';
import { frontsAt } from './nats/front-facts.ts';
import { leaseOf } from './nats/lease.ts';
import { olderFrontIn, type OlderFront } from './older-front.ts';
import { releaseStream } from './nats/release-stream.ts';
import { reportStream } from './nats/report-stream.ts';
import { shareReports, type SharedReporting } from './shared-reports.ts';
import { shareTokens } from './shared-tokens.ts';

/** A front that follows its cluster until it is closed. */
export interface Front {
  readonly replica: Replica;
  readonly close: () => Promise<void>;
}

export interface FrontOptions {
  readonly clock: Clock;
  readonly onEvent: FollowerOptions['onEvent'];
  /** Of this modreg. */
  readonly version: string;
  /** The monitoring addresses of the nodes. */
  readonly monitors: readonly string[];
}

/** A node in the same network answers in some milliseconds. */
const MONITOR_MS = 1000;

/** The catalogue has releases or keys of its own, which the stream does not know. */
export class OwnReleases extends Error {
  override readonly name = 'OwnReleases';
}

/** Of the stream and of the lease: with three, one node may fail. */
export const REPLICAS = 3;

/**
 * Makes a catalogue follow the stream of a cluster. Rejects if none of the nodes can be reached, and for a new catalogue if they have
 * no leader.
 */
export async function openFront(
  catalogue: Catalogue,
  place: ClusterPlace,
  { clock, onEvent, version, monitors }: FrontOptions,
): Promise<Front> {
  const log = sharedLog(catalogue);
  const connection = await connectTo(place, frontName(version));
  try {
    const isOfFront = log.isOfFront();
    const stream = await releaseStream(connection, { replicas: REPLICAS, clock, isOfFront });
    const reports = await reportStream(connection, REPLICAS);
    const takeLease = await leaseOf(connection, { clock, replicas: REPLICAS });
    if (!isOfFront) await untilAnswered(async () => await begin(log, stream), clock);
    const parts = { log, stream, clock, follower: follower(log, stream, { clock, onEvent }) };
    const stopTokens = shareTokens(parts);
    let sharing: SharedReporting | undefined;
    const trouble = (): string | undefined => parts.follower.trouble() ?? sharing?.trouble();
    // One that waits for space on its disk knows too little of the machines (T251).
    const held = takeLease(() => !trouble() && sharing?.lacksSpace() !== true);
    return {
      replica: {
        write: heardTogether(logWriter({ ...parts, olderFront: olderFrontAt(monitors, clock) })),
        isController: held.isHeld,
        shareReports: (fleet, onReport) =>
          (sharing = shareReports(fleet, reports, { clock, onEvent: onReport })).stop,
        trouble,
        withheld: parts.follower.withheld,
        isConfirmed: parts.follower.isConfirmed,
      },
      async close() {
        await held.stop();
        await stopTokens();
        await parts.follower.stop();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Looks at the fronts that the nodes with these monitoring addresses know. */
function olderFrontAt(monitors: readonly string[], clock: Clock): OlderFront {
  const fronts = async (): Promise<readonly SeenFront[]> => {
    const asked = monitors.map(async (monitor) => await frontsAt(monitor, MONITOR_MS));
    return (await Promise.all(asked)).flat();
  };
  return olderFrontIn(fronts, clock);
}

/** The log of a catalogue. Throws an OwnReleases if the catalogue has what no other front has (D167). */
function sharedLog(catalogue: Catalogue): ChangeLog {
  const { log } = catalogue;
  const own = log.isOfFront() ? undefined : ownOf(catalogue);
  if (own === undefined) return log;
  throw new OwnReleases(`it has ${own} of its own: a front begins with an empty file`);
}

/** What a catalogue has; undefined if it is empty. */
function ownOf(catalogue: Catalogue): string | undefined {
  const { trust, configs } = catalogue;
  if (trust.newest() !== undefined) return 'a trust document';
  if (catalogue.sequence() > 0) return 'releases';
  if (configs.fragments.all().length > 0) return 'fragments of documents';
  // Who changed accounts is of this file alone (D443).
  const [one] = configs.changed({ machine: undefined, before: { others: 0 }, limit: 1 });
  if (one) return one.thing.kind === 'commands' ? 'commands to machines' : 'documents of machines';
  return undefined;
}

/** Nodes that were just started have no leader for some seconds, or one that does not know the others yet. */
const BEGIN_MS = 30_000;
const AGAIN_AFTER_MS = 500;

/** The result of `work`, which is repeated while the nodes do not answer. */
export async function untilAnswered<T>(
  work: () => Promise<T>,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<T> {
  const ends = clock.monotonic() + BEGIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (clock.monotonic() > ends) throw error;
      await clock.sleep(AGAIN_AFTER_MS, new AbortController().signal);
    }
  }
}

/** The first front of a cluster names the history. Of several at once, one is first. */
async function begin(log: ChangeLog, stream: EventStream): Promise<void> {
  if ((await stream.last()) > 0) return;
  // One that was lost is created again by a front that has its events, and a new front must not be faster.
  if (stream.isOfAnother()) throw new Error('another front begins the stream');
  const event: FleetEvent = { kind: 'begin', history: randomUUID().replaceAll('-', '').slice(16) };
  await stream.append(
    { subject: subjectOf(event), id: randomUUID(), body: encodeEvent(event) },
    { last: log.last() },
  );
}

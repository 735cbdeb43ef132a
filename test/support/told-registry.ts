import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import type { NoticeEvent, Receivers } from '../../src/server/notice.ts';
import { noticesOf, type Notices } from '../../src/server/notices/notices.ts';
import { moduleId } from './ask.ts';
import { NOON } from './backups.ts';
import { temporaryFolder } from './folder.ts';
import { machineReport, reportedState } from './machine-report.ts';

export const SECRET = '0123456789abcdef0123456789abcdef';

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly address: URL;
  readonly received: Received[];
  /** How it answers: 200 at first. */
  answer: (response: ServerResponse, got: Received) => void;
}

export async function receiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const got = { headers: request.headers, body: await text(request) };
    one.received.push(got);
    one.answer(response, got);
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const one: Receiver = {
    address: new URL(`http://127.0.0.1:${port}/hooks/secret-path`),
    received: [],
    answer: (response) => void response.end(),
  };
  return one;
}

/** A registry with acme:lidar 1.2.9 that tells receivers what happens. */
export interface ToldRegistry {
  readonly catalogue: Catalogue;
  readonly events: NoticeEvent[];
  readonly time: { now: number; monotonic: number };
  certificateExpiry: number | undefined;
  /** How far the clocks of machines are ahead, by their ids; the others agree. */
  readonly ahead: Map<string, number>;
  /** Whether it is its turn among the fronts of a cluster. */
  isTurn: boolean;
  readonly notices: () => Notices;
  /** Looks, and sends. */
  readonly turn: () => Promise<void>;
  readonly pass: (ms: number) => void;
  readonly publish: (version: string, more?: object) => void;
  readonly yank: (version: string, reason: string | null) => void;
  /** A machine reports, and asks every five minutes. */
  readonly report: (machine: string) => Promise<void>;
  readonly retire: (machine: string) => Promise<void>;
  /** Another process goes on with its files. */
  readonly restart: () => void;
}

export function toldRegistry(
  addresses: readonly URL[],
  {
    path = `${temporaryFolder()}/registry.db`,
    fetch,
  }: { path?: string } & Pick<Receivers, 'fetch'> = {},
): ToldRegistry {
  const time = { now: NOON, monotonic: 0 };
  const clock = { now: () => time.now, monotonic: () => time.monotonic };
  const catalogue = new Catalogue(path, { mode: 'create' });
  const events: NoticeEvent[] = [];
  const onEvent = (event: NoticeEvent): void => void events.push(event);
  const lidar = moduleId('acme:lidar');
  let fleet: FleetFile;
  let notices: Notices;
  let reports = 0;
  const begin = (): void => {
    fleet = new FleetFile(fleetPath(path), () => time.now);
    const receivers = { addresses, secret: secret(SECRET), fetch, onEvent };
    notices = noticesOf(
      { catalogue, fleet, clock, certificateExpiry: () => told.certificateExpiry },
      receivers,
      () => told.isTurn,
    );
  };
  const told: ToldRegistry = {
    catalogue,
    events,
    time,
    certificateExpiry: undefined,
    ahead: new Map(),
    isTurn: true,
    notices: () => notices,
    async turn() {
      await notices.look();
      await notices.send();
    },
    pass(ms) {
      time.now += ms;
      time.monotonic += ms;
    },
    publish(version, more = {}) {
      const release = readRelease({ version, ...more });
      if (!release.ok) throw new Error(release.error.join());
      catalogue.publish(lidar, release.value, time.now);
    },
    yank: (version, reason) => void catalogue.yank(lidar, version, reason, time.now),
    async report(machine) {
      const at = formatTime(time.now + (told.ahead.get(machine) ?? 0));
      const state = { ...reportedState(++reports, {}), at, every_ms: 300_000 };
      await fleet.report(machine, machineReport([], { state, instance: `process-${machine}` }));
    },
    retire: async (machine) => void (await fleet.retire({ machine, by: 't1' })),
    restart() {
      fleet.close();
      begin();
    },
  };
  begin();
  onTestFinished(() => {
    fleet.close();
    catalogue.close();
  });
  told.publish('1.2.9');
  return told;
}

/** What a receiver was told: the events, the facts and the sentences. */
export function toldOf({ received }: Receiver): unknown[] {
  return received.map(({ body }) => {
    const { event, facts, text: sentence } = Object(JSON.parse(body));
    return [event, facts, sentence];
  });
}

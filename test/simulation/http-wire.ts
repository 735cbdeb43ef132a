import { exchange, type RegistryRequest, type Reply } from '../../src/registry/http/exchange.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { clientTimers, type ClientTimers } from './client-timers.ts';
import { REAL } from './http-globals.ts';
import type { LoopbackServer, Visit } from './loopback-server.ts';
import type { Timeline } from './timeline.ts';
import { readingOf, type Carriage, type Ending, type Received, type Wire } from './wire.ts';

/** Real time in which a message must arrive. */
const MOST_MS = 20_000;

interface HttpWireOptions {
  readonly line: Timeline;
  readonly complain: (invariant: string, found: string) => void;
}

interface HttpWire extends Wire {
  readonly timers: ClientTimers;
}

/**
 * Sends each request with the client of the product to `server`. What the client reads must be what `readingOf` says,
 * and its time limits must expire when the simulated network says.
 */
export function httpWire(server: LoopbackServer, { line, complain }: HttpWireOptions): HttpWire {
  const timers = clientTimers(line.elapsed);
  const underWay = new Set<Promise<unknown>>();
  const open = new Set<Promise<unknown>>();
  let count = 0;
  const hold = (work: Promise<unknown>, what: string): void => {
    const held = within(work, what, complain).finally(() => underWay.delete(held));
    underWay.add(held);
  };
  const waitForAll = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay);
  };
  return {
    timers,
    carry(request, context, isAlive) {
      const number = ++count;
      const visit = server.expect(number);
      const read = timers.ownedBy(number, async () => {
        const { pathname, search } = request.url;
        const url = new URL(`${visit.address}${pathname}${search}`);
        return await exchange({ ...request, url }, context).catch((error: Error) => error);
      });
      open.add(read);
      void read.then(() => open.delete(read));
      hold(Promise.race([visit.arrived, read]), `request ${number} to reach the server`);
      const { signal } = context;
      return carriageOf(request, { number, visit, read, timers, signal, hold, complain, isAlive });
    },
    quiet() {
      timers.fireOverdue();
      return underWay.size === 0 ? undefined : waitForAll();
    },
    async close() {
      server.hangUp();
      for (const read of open) hold(read, 'the requests of a killed process to end');
      await waitForAll();
    },
  };
}

/** A request that the client has sent. */
interface Sent {
  readonly number: number;
  readonly visit: Visit;
  readonly read: Promise<Reply | Error>;
  readonly timers: ClientTimers;
  readonly signal: AbortSignal | undefined;
  readonly hold: (work: Promise<unknown>, what: string) => void;
  readonly complain: HttpWireOptions['complain'];
  readonly isAlive: () => boolean;
}

function carriageOf(request: RegistryRequest, sent: Sent): Carriage {
  const { number, visit, read, signal, hold, complain, isAlive } = sent;
  const { where, url } = request;
  const object = (found: string): void => complain('HTTP', `GET ${url.href}: ${found}`);
  let isOver = false;
  const watch = async (): Promise<void> => {
    const early = await read;
    if (!isOver && isAlive()) object(`the client gave up by itself: ${wordsFor(early)}`);
  };
  const conclude = async (ending: Ending, then: (what: Reply | Error) => void): Promise<void> => {
    const what = await read;
    const difference = differenceBetween(what, readingOf(ending, where));
    if (difference !== undefined) object(`${difference} from ${ending.kind}`);
    then(what);
  };
  const seeAborted = async (): Promise<void> => {
    const what = await read;
    if (what !== signal?.reason) object(`an aborted request ended with ${wordsFor(what)}`);
  };
  void watch();
  return {
    received() {
      const received = visit.received();
      if (!received) throw new Error(`request ${number} did not reach the server`);
      const [is, should] = [received, request].map(headOf);
      if (is !== should) object(`the server read ${is}, expected ${should}`);
      return received;
    },
    end(ending, then) {
      isOver = true;
      answer(ending, sent);
      hold(conclude(ending, then), `the client to read ${ending.kind} of request ${number}`);
      if (ending.kind === 'silence') hold(visit.over, `the client to hang up request ${number}`);
    },
    abandon() {
      isOver = true;
      hold(seeAborted(), `the aborted request ${number} to end`);
      // A request that is aborted at once may never be sent.
      if (visit.received()) hold(visit.over, `the client to hang up request ${number}`);
    },
  };
}

function answer(ending: Ending, { number, visit, timers }: Sent): void {
  switch (ending.kind) {
    case 'response':
      return visit.respond(ending.answer, ending.isIntact);
    case 'cut':
      return visit.cut(ending.answer);
    case 'unreachable':
      return visit.reset();
    case 'silence':
      return timers.fireOf(number);
  }
}

/** Complains if `work` takes too long. */
async function within(
  work: Promise<unknown>,
  what: string,
  complain: HttpWireOptions['complain'],
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = REAL.setTimeout(() => {
    complain('HTTP', `waited ${MOST_MS} ms for ${what}`);
    resolve();
  }, MOST_MS);
  await Promise.race([work, promise]);
  REAL.clearTimeout(timer);
}

function headOf({ url: { pathname, search }, etag, waitMs = 0 }: Received): string {
  return `${pathname}${search}, etag ${etag}, waits ${Math.round(waitMs)} ms`;
}

/** How the client's reading differs from the expected one; undefined if it does not. */
function differenceBetween(
  read: Reply | Error,
  expected: Reply | RegistryError,
): string | undefined {
  const [is, should] = [wordsFor(read), wordsFor(expected)];
  if (is !== should) return `the client read ${is}, expected ${should},`;
  if (read instanceof Error || expected instanceof Error) return undefined;
  if (read.body.text !== expected.body.text) return `the client read another text`;
  for (const [name, value] of expected.headers) {
    const got = read.headers.get(name);
    if (got !== value) return `the client read ${name}: ${got}, expected ${value},`;
  }
  return undefined;
}

function wordsFor(read: Reply | Error): string {
  if (read instanceof RegistryError) return read.kind;
  if (read instanceof Error) return `${read.stack}`;
  return `${read.status} with ${read.body.size} bytes ${read.body.digest}`;
}

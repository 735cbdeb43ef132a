import type { exchange, Reply } from '../../src/registry/http/exchange.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import type { Chance } from './chance.ts';
import type { Arrival } from './hearing.ts';
import type { Answer, SimulatedRegistry } from './simulated-registry.ts';
import type { Timeline } from './timeline.ts';
import type { Ending, Received, Wire } from './wire.ts';

/** The network between a machine and a registry. */
export interface Link {
  isCut: boolean;
  /** The share of messages lost in each direction. */
  loss: number;
  /** The longest delay of a message, in milliseconds. */
  delayMs: number;
  /** The share of responses that are truncated, or replaced by a captive portal. */
  noise: number;
}

export function clearLink(): Link {
  return { isCut: false, loss: 0, delayMs: 50, noise: 0 };
}

interface NetworkOptions {
  readonly line: Timeline;
  readonly wire: Wire;
  readonly chance: Chance;
  readonly isAlive: () => boolean;
  /** Called for each message that arrives. */
  readonly note: (what: string) => void;
  /** Called for each response that reaches the machine as it was sent. */
  readonly onArrival: (arrival: Omit<Arrival, 'isOwn'>) => void;
}

/** The response deadline of the product (limits.ts). */
const ANSWER_MS = 10_000;
const PORTAL = '<html>please pay for your drink first</html>';

/** Carries the requests of one process to `registry`, and its responses back. */
export function networkTo(
  registry: SimulatedRegistry,
  link: Link,
  { line, wire, chance, isAlive, note, onArrival }: NetworkOptions,
): typeof exchange {
  const { address } = registry;
  return async (inquiry, context) => {
    const { signal } = context;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const { waitMs = 0 } = inquiry;
    const carriage = wire.carry(inquiry, context, isAlive);
    const cancels: (() => void)[] = [];
    const later = (ms: number, happen: () => void): void => {
      cancels.push(
        line.after(ms, () => {
          if (isAlive()) happen();
        }),
      );
    };
    const close = (): void => {
      signal?.removeEventListener('abort', onAbort);
      for (const cancel of cancels) cancel();
    };
    const end = (ending: Ending): void => {
      close();
      carriage.end(ending, (read) => {
        note(`${address} ${wordsFor(read)}`);
        if (read instanceof Error) {
          reject(read);
          return;
        }
        if (ending.kind === 'response' && ending.isIntact) {
          const { answer } = ending;
          onArrival({ request: carriage.received(), answer, digest: read.body.digest });
        }
        resolve(read);
      });
    };
    const onAbort = (): void => {
      close();
      carriage.abandon();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const answered = (answer: Answer): void => {
      const ending = overTheWire(answer, link, chance);
      if (link.isCut || chance.is(link.loss)) return;
      later(chance.between(0, link.delayMs), () => end(ending));
    };
    const arrive = (): void => {
      const answer = answerTo(carriage.received(), registry);
      note(`${address} receives the request`);
      if (answer) answered(answer);
      else cancels.push(registry.onChange(() => later(0, arrive)));
    };
    later(ANSWER_MS + waitMs, () => end({ kind: 'silence' }));
    if (link.isCut && chance.is(0.5)) later(1, () => end({ kind: 'unreachable' }));
    else if (!link.isCut && !chance.is(link.loss)) {
      later(chance.between(0, link.delayMs), arrive);
      if (waitMs > 0) later(waitMs, () => answered(lastAnswerTo(carriage.received(), registry)));
    }
    return await promise;
  };
}

function wordsFor(read: Reply | Error): string {
  if (read instanceof RegistryError) return read.kind;
  return read instanceof Error ? read.message : `${read.status} ${read.body.digest}`;
}

function answerTo(
  { url, etag, waitMs = 0 }: Received,
  registry: SimulatedRegistry,
): Answer | undefined {
  const { pathname, searchParams } = url;
  if (pathname === '/v1/changes')
    return registry.changes(Number(searchParams.get('after')), waitMs > 0);
  const [namespace, name] = pathname.slice('/v1/modules/'.length).split('/');
  return registry.list(`${namespace}:${name}`, etag);
}

function lastAnswerTo(received: Received, registry: SimulatedRegistry): Answer {
  const nothing = { status: 503, headers: {}, text: '' };
  return answerTo({ ...received, waitMs: 0 }, registry) ?? nothing;
}

/** The response as it arrives. */
function overTheWire(answer: Answer, { noise }: Link, chance: Chance): Ending {
  let { status, text } = answer;
  if (chance.is(noise)) {
    if (chance.is(0.4)) return { kind: 'cut', answer };
    [status, text] = chance.is(0.5)
      ? [200, PORTAL]
      : [status, text.slice(0, chance.below(text.length + 1))];
  }
  if (status === answer.status && text === answer.text)
    return { kind: 'response', answer, isIntact: true };
  const { headers } = answer;
  return { kind: 'response', answer: { status, headers, text }, isIntact: false };
}

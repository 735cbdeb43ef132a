import { Buffer } from 'node:buffer';
import type { exchange, RegistryRequest, Reply } from '../../src/registry/http/exchange.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import type { Chance } from './chance.ts';
import type { Arrival } from './hearing.ts';
import { digestOf } from './published.ts';
import type { Answer, SimulatedRegistry } from './simulated-registry.ts';
import type { Timeline } from './timeline.ts';

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
  { line, chance, isAlive, note, onArrival }: NetworkOptions,
): typeof exchange {
  return async (inquiry, { signal }) => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const { waitMs = 0 } = inquiry;
    const cancels: (() => void)[] = [];
    const later = (ms: number, happen: () => void): void => {
      cancels.push(
        line.after(ms, () => {
          if (isAlive()) happen();
        }),
      );
    };
    const end = (): void => {
      signal?.removeEventListener('abort', onAbort);
      for (const cancel of cancels) cancel();
    };
    const fail = (kind: 'registry-unreachable' | 'registry-timeout', why: string): void => {
      end();
      note(`${registry.address} ${kind}`);
      reject(new RegistryError(kind, `${registry.address} ${why}`));
    };
    const onAbort = (): void => {
      end();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const answered = (answer: Answer): void => {
      const { reply, isIntact } = overTheWire(answer, link, chance);
      if (link.isCut || chance.is(link.loss)) return;
      later(chance.between(0, link.delayMs), () => {
        end();
        if (!reply) {
          note(`${registry.address} closed the connection`);
          reject(
            new RegistryError('registry-unreachable', `${registry.address} closed the connection`),
          );
          return;
        }
        note(`${registry.address} ${reply.status} ${reply.body.digest}`);
        if (isIntact) onArrival({ request: inquiry, answer, digest: reply.body.digest });
        resolve(reply);
      });
    };
    const arrive = (): void => {
      const answer = answerTo(inquiry, registry);
      note(`${registry.address} receives the request`);
      if (answer) answered(answer);
      else cancels.push(registry.onChange(() => later(0, arrive)));
    };
    later(ANSWER_MS + waitMs, () => fail('registry-timeout', 'sent no response in time'));
    if (link.isCut && chance.is(0.5))
      later(1, () => fail('registry-unreachable', 'cannot be reached'));
    else if (!link.isCut && !chance.is(link.loss)) {
      later(chance.between(0, link.delayMs), arrive);
      if (waitMs > 0) later(waitMs, () => answered(lastAnswerTo(inquiry, registry)));
    }
    return await promise;
  };
}

function answerTo(
  { url, etag, waitMs = 0 }: RegistryRequest,
  registry: SimulatedRegistry,
): Answer | undefined {
  const { pathname, searchParams } = url;
  if (pathname === '/v1/changes')
    return registry.changes(Number(searchParams.get('after')), waitMs > 0);
  const [namespace, name] = pathname.slice('/v1/modules/'.length).split('/');
  return registry.list(`${namespace}:${name}`, etag);
}

function lastAnswerTo(inquiry: RegistryRequest, registry: SimulatedRegistry): Answer {
  const nothing = { status: 503, headers: {}, text: '' };
  return answerTo({ ...inquiry, waitMs: 0 }, registry) ?? nothing;
}

/** The response as it arrives, and whether that is as it was sent; undefined when the connection breaks. */
function overTheWire(
  answer: Answer,
  { noise }: Link,
  chance: Chance,
): { readonly reply: Reply | undefined; readonly isIntact: boolean } {
  let { status, text } = answer;
  if (chance.is(noise)) {
    if (chance.is(0.4)) return { reply: undefined, isIntact: false };
    [status, text] = chance.is(0.5)
      ? [200, PORTAL]
      : [status, text.slice(0, chance.below(text.length + 1))];
  }
  const body =
    status === 200
      ? { text, digest: digestOf(text), size: Buffer.byteLength(text) }
      : { text: '', digest: '', size: 0 };
  const isIntact = status === answer.status && text === answer.text;
  return { reply: { status, headers: new Headers(answer.headers), body }, isIntact };
}

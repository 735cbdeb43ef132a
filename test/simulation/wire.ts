import { Buffer } from 'node:buffer';
import type { ExchangeContext, RegistryRequest, Reply } from '../../src/registry/http/exchange.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { digestOf } from './published.ts';
import type { Answer } from './simulated-registry.ts';

/** What a registry reads of a request. */
export type Received = Pick<RegistryRequest, 'url' | 'etag' | 'waitMs'>;

/** How the network ends an exchange. */
export type Ending =
  | { readonly kind: 'response'; readonly answer: Answer; readonly isIntact: boolean }
  /** The connection closes within the response. */
  | { readonly kind: 'cut'; readonly answer: Answer }
  | { readonly kind: 'unreachable' }
  /** Nothing arrives before the deadline. */
  | { readonly kind: 'silence' };

/** One exchange under way. */
export interface Carriage {
  /** The request as it reached the registry. */
  readonly received: () => Received;
  /** Ends the exchange, and calls `then` with what the client reads. No virtual time passes. */
  readonly end: (ending: Ending, then: (read: Reply | Error) => void) => void;
  /** The client no longer waits: its signal has aborted. */
  readonly abandon: () => void;
}

/** Carries exchanges between the machine and its registries. */
export interface Wire {
  readonly carry: (
    request: RegistryRequest,
    context: ExchangeContext,
    isAlive: () => boolean,
  ) => Carriage;
  /** Undefined, or a promise that settles once no message is on its way. Virtual time stands still until then. */
  readonly quiet: () => Promise<void> | undefined;
  /** Ends all exchanges. */
  readonly close: () => Promise<void>;
}

/** Hands each ending to the client as the product reads it. */
export const simulatedWire: Wire = {
  carry: (request) => ({
    received: () => request,
    end: (ending, then) => then(readingOf(ending, request.where)),
    abandon: () => undefined,
  }),
  quiet: () => undefined,
  close: async () => await Promise.resolve(),
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What the product's client must read. */
export function readingOf(ending: Ending, where: string): Reply | RegistryError {
  if (ending.kind === 'silence') {
    return new RegistryError('registry-timeout', `${where} sent no response in time`);
  }
  if (ending.kind !== 'response') {
    return new RegistryError('registry-unreachable', `${where} cannot be reached`);
  }
  const { status, text, headers } = ending.answer;
  // A registry of the simulation never says where to.
  if (REDIRECTS.has(status)) return new RegistryError('bad-redirect', `${where} redirects`);
  if (status === 200 && headers['content-type'] === undefined) {
    return new RegistryError('not-a-registry', `${where} does not respond like a registry`);
  }
  const body =
    status === 200
      ? { text, digest: digestOf(text), size: Buffer.byteLength(text) }
      : { text: '', digest: '', size: 0 };
  return { status, headers: headersOf(headers), body };
}

/** The client only reads headers, so answers that share their fields share these. */
const HEADERS = new WeakMap<Answer['headers'], Headers>();

function headersOf(fields: Answer['headers']): Headers {
  const headers = HEADERS.get(fields) ?? new Headers(fields);
  HEADERS.set(fields, headers);
  return headers;
}

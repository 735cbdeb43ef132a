import { createHmac, hash, randomUUID } from 'node:crypto';
import { formatTime } from '../core/text/rfc3339.ts';
import type { Secret } from '../core/index.ts';

/** What operators are told about a registry (D211). */
export interface Notice {
  readonly event:
    | 'rollout-failing'
    | 'rollout-halted'
    | 'release-yanked'
    | 'machine-silent'
    | 'machine-back'
    | 'machine-refusing'
    | 'machine-wrong-clock'
    | 'certificate-expires'
    | 'trust-expires';
  readonly facts: Readonly<Record<string, unknown>>;
  /** One sentence for a person. */
  readonly text: string;
}

/** Where notices are sent, and how they are signed. */
export interface Receivers {
  readonly addresses: readonly URL[];
  readonly secret: Secret;
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called after each attempt, and for each notice that is dropped. */
  readonly onEvent: (event: NoticeEvent) => void;
}

/** What happened to a notice. `to` is the origin of a receiver: its path may be secret. */
export type NoticeEvent =
  | { readonly kind: 'notice-sent'; readonly event: string; readonly to: string }
  | {
      /** It is sent again, or given up because the receiver refuses it, or has not taken it for a day. */
      readonly kind: 'notice-failed' | 'notice-refused' | 'notice-expired';
      readonly event: string;
      readonly to: string;
      readonly because: string;
    }
  | {
      /** So many of the oldest were dropped, because too many wait. */
      readonly kind: 'notice-dropped';
      readonly count: number;
      readonly to: string;
    }
  | { readonly kind: 'notices-failed'; readonly because: string };

/** The body of the requests for a notice. */
export function noticeBody({ event, facts, text }: Notice, at: number): string {
  const head = { schema: 'modreg/notice@1', id: randomUUID(), at: formatTime(at) };
  return `${JSON.stringify({ ...head, event, facts, text })}\n`;
}

/** The headers by which a receiver knows who sent `body`, and that another sender does not send it again much later. */
export function signedHeaders(body: string, secret: Secret, now: number): Record<string, string> {
  const timestamp = `${Math.floor(now / 1000)}`;
  const digest = createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex');
  return { 'modreg-notice-timestamp': timestamp, 'modreg-notice-signature': `sha256=${digest}` };
}

/** What a receiver is called in the file: its address may contain a secret. */
export function receiverName(address: URL): string {
  return hash('sha256', address.href).slice(0, 32);
}

import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { problemAnswer } from './problem-answer.ts';

/** So many answers are kept; the oldest is dropped first. */
const MOST_ANSWERS = 1000;
const LONGEST_KEY = 255;

interface Kept {
  /** A digest of the request. */
  readonly request: string;
  readonly answer: Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly text: string;
}

/** Makes each request with an `Idempotency-Key` only once (T141). */
export interface RepeatedRequests {
  /** The answer of `work`, or the first answer to the same request with the same key. */
  once(c: Context, body: string, work: () => Promise<Response>): Promise<Response>;
}

/** Keeps the answers in the memory of this process. An answer that the machine's files cannot be used is not kept. */
export function repeatedRequests(): RepeatedRequests {
  const kept = new Map<string, Kept>();
  return {
    async once(c, body, work) {
      const key = c.req.header('idempotency-key');
      if (key === undefined) return await work();
      if (key === '' || key.length > LONGEST_KEY) {
        const message = `Idempotency-Key has ${key.length} characters, expected 1 to ${LONGEST_KEY}`;
        return problemAnswer([{ code: 'BAD_BODY', message }]);
      }
      const request = digestOf([c.req.method, c.req.path, body]);
      const first = kept.get(key);
      if (first && first.request !== request) {
        const message = 'another request had this Idempotency-Key; nothing was changed';
        return problemAnswer([{ code: 'KEY_REUSED', message, hint: 'use a new key' }]);
      }
      if (first) return responseOf(await first.answer);
      const answer = work().then(answerOf);
      kept.set(key, { request, answer });
      const [oldest] = kept.keys();
      if (kept.size > MOST_ANSWERS && oldest !== undefined) kept.delete(oldest);
      try {
        const done = await answer;
        if (done.status >= 500) kept.delete(key);
        return responseOf(done);
      } catch (error) {
        kept.delete(key);
        throw error;
      }
    },
  };
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers: [...headers], text: await response.text() };
}

function responseOf({ status, headers, text }: Answer): Response {
  return new Response(text, { status, headers });
}

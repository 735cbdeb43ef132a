/* Two fronts of a stream in memory, and requests to them. */
import { systemClock, type Clock } from '../../../src/registry/clock.ts';
import type { EventStream } from '../../../src/cluster/event-stream.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { memoryStream } from '../../support/memory-stream.ts';
import { tokenFor } from '../../support/token.ts';
import { filledStream, frontOf, type TestFront } from './following-front.ts';

interface AskedFront extends TestFront {
  /** What it answers to a token with a scope. */
  readonly as: (
    scope: string,
    method: string,
    path: string,
    body?: object,
  ) => Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }>;
}

export interface TwoFronts {
  readonly stream: ReturnType<typeof memoryStream>;
  readonly one: AskedFront;
  readonly two: AskedFront;
  /** Once both have all events. */
  readonly level: () => Promise<void>;
}

/** The second front follows what `toSecond` makes of the stream. */
export async function twoFronts({
  clock = systemClock,
  toSecond = (stream) => stream,
}: {
  readonly clock?: Clock;
  readonly toSecond?: (stream: EventStream) => EventStream;
} = {}): Promise<TwoFronts> {
  const { stream } = filledStream();
  const folder = temporaryFolder();
  const one = asked(frontOf(stream, `${folder}/1.db`, clock), 1);
  const two = asked(frontOf(toSecond(stream), `${folder}/2.db`, clock), 2);
  const level = async (): Promise<void> => {
    for (const front of [one, two]) await front.following.reaches(await stream.last(), 5000);
  };
  await level();
  return { stream, one, two, level };
}

function asked(front: TestFront, number: number): AskedFront {
  const tokens = new Map<string, string>();
  return {
    ...front,
    async as(scope, method, path, body) {
      const name = `${scope.replace(':', '-')}-${number}`;
      const token = tokens.get(name) ?? tokenFor(front.catalogue, [scope], name);
      tokens.set(name, token);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = body && { body: JSON.stringify(body) };
      const url = `http://front.test/v1${path}`;
      const answer = await front.fetch(url, { method, headers, ...sent });
      const text = await answer.text();
      return { status: answer.status, json: Object(text === '' ? undefined : JSON.parse(text)) };
    },
  };
}

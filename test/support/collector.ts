import type { ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { plainServer } from './plain-server.ts';

/** A record as a collector gets it. */
export interface SentRecord {
  readonly timeUnixNano: string;
  readonly severityText: string;
  readonly eventName?: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue: string };
  }[];
}

/** A request to a collector. */
interface LogRequest {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  readonly records: readonly SentRecord[];
}

/** What a collector does with a request: a status, or anything else. */
export type Behaviour = number | ((response: ServerResponse, request: LogRequest) => void);

export interface FakeCollector {
  readonly endpoint: string;
  readonly requests: readonly LogRequest[];
  /** The text of each record, by request. */
  readonly texts: () => string[][];
}

/** A collector on a loopback port. `behave` is called with the number of each request, from 0. */
export async function fakeCollector(
  behave: (place: number) => Behaviour = () => 200,
): Promise<FakeCollector> {
  const requests: LogRequest[] = [];
  const server = await plainServer((response, request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = gunzipSync(Buffer.concat(chunks)).toString();
      const { resourceLogs } = JSON.parse(body) as {
        resourceLogs: [{ scopeLogs: [{ logRecords: SentRecord[] }] }];
      };
      const [{ scopeLogs }] = resourceLogs;
      const one = { headers: request.headers, body, records: scopeLogs[0].logRecords };
      const behaviour = behave(requests.length);
      requests.push(one);
      if (typeof behaviour === 'number') response.writeHead(behaviour).end();
      else behaviour(response, one);
    });
  });
  return {
    endpoint: `${server.address}/v1/logs`,
    requests,
    texts: () => requests.map(({ records }) => records.map(textOf)),
  };
}

export function textOf({ body }: SentRecord): string {
  return body.stringValue;
}

/** The id of a record. */
export function uidOf({ attributes }: SentRecord): string {
  return attributes.find(({ key }) => key === 'log.record.uid')?.value.stringValue ?? '';
}

/** Answers with `status` and JSON. */
export function answering(status: number, body: object, headers: object = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

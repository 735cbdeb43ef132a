/*
 * Stands in for a collector of logs. (OTLP/HTTP, https://opentelemetry.io/docs/specs/otlp/#otlphttp)
 *
 * - Logs are the body of `POST /v1/logs`, on port 4318 by default: an ExportLogsServiceRequest as JSON, which the client may compress
 *   with gzip. ("OTLP/HTTP Request", "JSON Protobuf Encoding")
 * - It takes them with 200 and an ExportLogsServiceResponse. If it refuses some, that has `partialSuccess`. ("OTLP/HTTP Response")
 * - 429, 502, 503 and 504 ask to send them again, after the seconds in `Retry-After`. ("Failures")
 */
import { gunzipSync } from 'node:zlib';
import { served, type Answer, type Network } from './network.ts';

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
  readonly headers: Headers;
  readonly body: string;
  readonly records: readonly SentRecord[];
}

/** What a collector does with a request: a status, or anything else. */
export type Behaviour = number | ((request: LogRequest) => Response | Promise<Response>);

export interface LogCollector {
  readonly endpoint: string;
  readonly requests: readonly LogRequest[];
  /** The text of each record, by request. */
  readonly texts: () => string[][];
}

/** `behave` is called with the number of each request, from 0. */
type Behave = (place: number) => Behaviour;

/** A collector for a client in this process. */
export function collectorOn(
  net: Network,
  behave?: Behave,
  address = 'http://127.0.0.1:4318',
): LogCollector {
  const { answer, ...collector } = collecting(behave);
  net.at(address, answer);
  return { endpoint: `${address}/v1/logs`, ...collector };
}

/** A collector on a real socket, which `net` lets through. */
export async function servedCollector(behave?: Behave, net?: Network): Promise<LogCollector> {
  const { answer, ...collector } = collecting(behave);
  const address = await served(answer);
  net?.letThrough(address);
  return { endpoint: `${address}/v1/logs`, ...collector };
}

function collecting(
  behave: Behave = () => 200,
): Omit<LogCollector, 'endpoint'> & { readonly answer: Answer } {
  const requests: LogRequest[] = [];
  return {
    answer: async (request) => {
      const body = gunzipSync(await request.arrayBuffer()).toString();
      const { resourceLogs } = JSON.parse(body) as {
        resourceLogs: [{ scopeLogs: [{ logRecords: SentRecord[] }] }];
      };
      const [{ scopeLogs }] = resourceLogs;
      const one = { headers: request.headers, body, records: scopeLogs[0].logRecords };
      const behaviour = behave(requests.length);
      requests.push(one);
      if (typeof behaviour !== 'number') return await behaviour(one);
      return behaviour === 200 ? Response.json({}) : new Response(null, { status: behaviour });
    },
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
export function answering(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return () => Response.json(body, { status, headers });
}

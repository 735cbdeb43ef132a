import * as v from 'valibot';
import { parseTime } from '../core/text/rfc3339.ts';

/*
 * The schemas of the lines of machines that a registry keeps. Types, readers and the OpenAPI document are derived from them.
 */

/** The least severe first. */
export const LOG_LEVELS = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const text = v.string();
const textOrNull = v.nullable(text);
const time = v.pipe(
  text,
  v.check((one) => parseTime(one).ok, 'expected a time'),
  v.metadata({ format: 'date-time' }),
);

const siteLine = v.object({
  machine: text,
  at: v.pipe(time, v.description('What the clock of the machine said, which may be wrong')),
  received_at: v.pipe(time, v.description('What that of the registry said')),
  level: v.picklist(LOG_LEVELS),
  module: v.pipe(textOrNull, v.description('The module entry; null for the agent itself')),
  version: textOrNull,
  event: v.pipe(textOrNull, v.description('Such as modreg.module.started')),
  text,
  gap: v.pipe(
    v.optional(v.literal(true)),
    v.description('Present if the machine says here that it lost lines before it could send them'),
  ),
});
export type SiteLine = Readonly<v.InferOutput<typeof siteLine>>;

/** A page of lines, the newest first. */
export const siteLines = v.object({
  lines: v.pipe(v.array(siteLine), v.readonly(), v.description('The newest first')),
  dropped: v.pipe(
    v.nullable(v.object({ count: v.pipe(v.number(), v.integer()), until: time })),
    v.description(
      'How many lines of the machine the registry dropped for later ones, and when the newest was written; null if none, or for all machines',
    ),
  ),
  next: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer())),
    v.description('The value of before for the page of earlier lines; null if there are none'),
  ),
});
export type SiteLines = Readonly<v.InferOutput<typeof siteLines>>;

/** What a registry answers to an export of logs: the ExportLogsServiceResponse of OTLP. */
const exportedLogs = v.object({
  partialSuccess: v.optional(
    v.object({
      rejectedLogRecords: v.pipe(
        text,
        v.description('A number: OTLP writes those of 64 bits as text'),
      ),
      errorMessage: text,
    }),
  ),
});

/** By their names in the OpenAPI document. */
export const LOG_DOCUMENTS = { SiteLines: siteLines, ExportedLogs: exportedLogs } as const;

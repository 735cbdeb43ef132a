import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { expect, it } from 'vitest';
import { otlpRecord, otlpRequest } from '../../src/logs/otlp.ts';
import type { LogRecord, Severity } from '../../src/logs/log-record.ts';
import { servedCollector } from '../../mocks/log-collector.ts';

const SOURCE = { machineId: 'rover-7', host: 'rover', version: '0.1.0' };
const UID = '0b1ff2ea-1a0c-8d4e-9d6a-6f1f2f3c4d5e';
const AT = Date.parse('2026-11-24T10:00:00.007Z');
/** The numbers of the specification: INFO, WARN and ERROR. */
const NUMBERS: Readonly<Record<Severity, number>> = { info: 9, warn: 13, error: 17 };

/** What OpenTelemetry's own exporter sends for the same record. */
async function official({
  at,
  severity,
  module,
  version,
  event,
  text,
}: LogRecord): Promise<unknown> {
  // It sends with node:http and streams.
  const collector = await servedCollector();
  const exporter = new OTLPLogExporter({ url: collector.endpoint, compression: 'gzip' as never });
  const resource = resourceFromAttributes({
    'service.name': 'modreg-agent',
    'service.version': SOURCE.version,
    'service.instance.id': SOURCE.machineId,
    'host.name': SOURCE.host,
  });
  const processors = [new SimpleLogRecordProcessor({ exporter })];
  const provider = new LoggerProvider({ resource, processors });
  provider
    .getLogger('modreg', SOURCE.version)
    .emit({
      timestamp: at,
      observedTimestamp: at,
      severityNumber: NUMBERS[severity],
      severityText: severity.toUpperCase(),
      ...(event === undefined ? {} : { eventName: event }),
      body: text,
      attributes: {
        'log.record.uid': UID,
        ...(module === undefined ? {} : { 'modreg.module': module }),
        ...(version === undefined ? {} : { 'modreg.version': version }),
      },
    });
  await provider.shutdown();
  // Counts of what an application's limits dropped: modreg has none, and 0 is their default.
  const [request] = collector.requests;
  return JSON.parse((request?.body ?? '').replaceAll(',"droppedAttributesCount":0', ''));
}

it.for<[string, LogRecord]>([
  [
    'a line of a module',
    { at: AT, severity: 'info', module: 'lidar', version: '1.2.3', text: 'a' },
  ],
  [
    'an error',
    { at: AT, severity: 'error', module: 'arm', text: 'no "motor"\n\u0000\u{1f525}\ud800' },
  ],
  [
    'an event of the agent',
    { at: AT, severity: 'warn', module: undefined, event: 'modreg.agent.orphans', text: '' },
  ],
])('%s is sent as by the exporter of OpenTelemetry', async ([, record]) => {
  const json = otlpRequest(SOURCE, [otlpRecord(record, UID)]);
  expect(JSON.parse(json)).toEqual(await official(record));
});

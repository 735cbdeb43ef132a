import { expect, onTestFinished } from 'vitest';
import { secret } from '../../src/core/text/secret.ts';
import { openLog } from '../../src/logs/log-file.ts';
import type { Delivery } from '../../src/logs/log-queue.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { LogUpload } from '../../src/logs/log-upload.ts';
import type { Clock } from '../../src/registries/index.ts';
import { testClock, type TestClock } from './clock.ts';
import type { LogCollector } from '../../mocks/log-collector.ts';
import { temporaryFolder } from './folder.ts';

export const AT: number = Date.parse('2026-11-24T10:00:00Z');
const SOURCE = { machineId: 'rover-7', host: 'rover', version: '0.1.0' };
export const TOKEN = 'hunt"er2\\hunter2/<2';
export const KEY = 'key-0123456789';
export const HOUR = 3_600_000;

export function record(text: string, rest: Partial<LogRecord> = {}): LogRecord {
  return { at: AT, severity: 'info', module: 'lidar', text, ...rest };
}

/** A log with these records. */
export function logWith(records: readonly LogRecord[]): string {
  const path = `${temporaryFolder()}/logs.db`;
  append(path, records);
  return path;
}

export function append(path: string, records: readonly LogRecord[]): void {
  const log = openLog(path, 'create');
  for (let next = 0; next < records.length; next += 500)
    log.append(records.slice(next, next + 500));
  log.close();
}

export function deliveryOf(path: string): Delivery {
  const log = openLog(path, 'read');
  try {
    return log.delivery();
  } finally {
    log.close();
  }
}

export interface Sending {
  readonly upload: LogUpload;
  readonly notices: string[];
}

export function sending(path: string, clock: Clock): Sending {
  const notices: string[] = [];
  const upload = new LogUpload(path, {
    source: SOURCE,
    clock,
    random: () => 0,
    onNotice: (level, text) => notices.push(`${level} ${text}`),
  });
  onTestFinished(async () => await upload.close());
  return { upload, notices };
}

export function to({ endpoint }: LogCollector): Parameters<LogUpload['follow']>[0] {
  const headers = { authorization: secret(`Bearer ${TOKEN}`), cookie: secret(`key=${KEY}`) };
  return { ok: true, value: { endpoint, headers } };
}

/** Sends the log at `path` until nothing waits. */
export async function sent(
  path: string,
  collector: LogCollector,
  clock: TestClock = testClock(AT),
): Promise<Sending & { readonly clock: TestClock }> {
  const { upload, notices } = sending(path, clock);
  upload.follow(to(collector));
  await expect.poll(() => deliveryOf(path).waiting).toBe(0);
  return { upload, notices, clock };
}

/** The same text wherever the port of the collector is. */
export function withoutPort(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
}

import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib';
import type { Result } from '../core/index.ts';
import type { Retirement } from '../server/fleet/retirement.ts';
import type { SentReport } from '../server/fleet/take-report.ts';
import { readReport } from '../server/fleet/report.ts';

/** Reports that one front received at about the same time: one message of the stream. */
export interface ReportBatch {
  /** Text of this batch alone. */
  readonly id: string;
  /** When its front received them, in milliseconds since the epoch. */
  readonly at: number;
  /** Undefined for one that this program does not accept. */
  readonly reports: readonly (SentReport | undefined)[];
  /** Machines that operators retired (D83). An earlier modreg takes none. */
  readonly retirements?: readonly Retirement[];
  /** Machines that the front heard (D186). An earlier modreg takes none. */
  readonly contacts?: readonly string[];
}

const SCHEMA = 1;
/** Reports of machines that run the same differ little: level 1 makes a twentieth of them. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** The end of the year 9999: no later time can be shown. */
const LAST_TIME = 253_402_300_799_999;
/** More than a front puts into one message, so that no message takes all memory. */
const MOST_BYTES = 64 * 1024 * 1024;

export function encodeBatch(batch: ReportBatch): Uint8Array {
  return zstdCompressSync(JSON.stringify({ schema: SCHEMA, ...batch }), FAST);
}

/** Reads what `encodeBatch` wrote. The error says why nothing can be read. */
export function decodeBatch(bytes: Uint8Array): Result<ReportBatch, string> {
  let found: Readonly<Record<string, unknown>>;
  try {
    const text = zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8');
    found = Object(JSON.parse(text));
  } catch {
    return { ok: false, error: 'it is not a batch of reports' };
  }
  const { schema, id, at, reports, retirements, contacts } = found;
  if (typeof schema === 'number' && schema > SCHEMA) {
    const error = `it has schema ${schema}, and this modreg understands ${SCHEMA}`;
    return { ok: false, error };
  }
  if (typeof id !== 'string' || !isTime(at) || !Array.isArray(reports)) {
    return { ok: false, error: 'it is not a batch of reports' };
  }
  return {
    ok: true,
    value: {
      id,
      at,
      reports: reports.map(sentIn),
      retirements: retirementsIn(retirements),
      contacts: (Array.isArray(contacts) ? contacts : []).filter((one) => typeof one === 'string'),
    },
  };
}

function retirementsIn(found: unknown): Retirement[] {
  return (Array.isArray(found) ? found : []).flatMap((one) => {
    const { machine, by } = Object(one);
    return typeof machine === 'string' && typeof by === 'string' ? [{ machine, by }] : [];
  });
}

function isTime(at: unknown): at is number {
  return Number.isSafeInteger(at) && Number(at) >= 0 && Number(at) <= LAST_TIME;
}

function sentIn(sent: unknown): SentReport | undefined {
  const { machine, report } = Object(sent);
  const read = readReport(report);
  return typeof machine === 'string' && read.ok ? { machine, report: read.value } : undefined;
}

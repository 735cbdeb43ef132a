import * as v from 'valibot';
import type { Result } from '../../core/index.ts';
import { jsonPointer } from '../../core/text/json-pointer.ts';
import { excerpt } from '../../core/text/quote.ts';
import { machineReport, type MachineReport } from '../../registry/machine-report.ts';

/** Validates a report that was parsed from JSON. Fields that this modreg does not know are ignored. The errors are escaped lines. */
export function readReport(json: unknown): Result<MachineReport, readonly string[]> {
  // valibot accepts a list as an object.
  const result = v.safeParse(machineReport, Array.isArray(json) ? null : json);
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, error: result.issues.map(describe) };
}

function describe(issue: v.BaseIssue<unknown>): string {
  const keys = issue.path?.map(({ key }) => key as string | number) ?? [];
  const found = issue.type === 'object' ? 'missing or not an object' : issue.message;
  return excerpt(`${jsonPointer(keys)}${keys.length === 0 ? '' : ': '}${found}`);
}

import { formatTime } from '../../core/text/rfc3339.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import type { Finding } from './finding.ts';

const SEVERITY_WIDTH = 'warning'.length;
const CHECK_WIDTH = 'documents'.length;

export function countsIn(findings: readonly Finding[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const count = (severity: Finding['severity']): number =>
    findings.filter((finding) => finding.severity === severity).length;
  return { errors: count('error'), warnings: count('warning') };
}

/** A line for each finding, with one below it for what to do, and one that counts them. */
export function formatFindings(findings: readonly Finding[]): string[] {
  const { errors, warnings } = countsIn(findings);
  const indent = ' '.repeat(SEVERITY_WIDTH + CHECK_WIDTH + 4);
  const counts = [
    ...(errors > 0 ? [countOf(errors, 'error')] : []),
    ...(warnings > 0 ? [countOf(warnings, 'warning')] : []),
  ];
  return [
    ...findings.flatMap(({ severity, check, found, fix }) => [
      `${severity.padEnd(SEVERITY_WIDTH)}  ${check.padEnd(CHECK_WIDTH)}  ${found}`,
      ...(fix === undefined ? [] : [`${indent}${severity === 'info' ? 'next' : 'fix'}: ${fix}`]),
    ]),
    counts.length === 0 ? 'nothing is wrong' : counts.join(', '),
  ];
}

/** The findings as one line of JSON, schema `modreg/doctor@1`. */
export function findingsAsJson(findings: readonly Finding[], now: number): string {
  return jsonLine({
    schema: 'modreg/doctor@1',
    at: formatTime(now),
    ...countsIn(findings),
    findings: findings.map(({ check, severity, found, fix }) => ({
      check,
      severity,
      found,
      fix: fix ?? null,
    })),
  });
}

import { formatTime } from '../../core/text/rfc3339.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import type { Outcome, StateWord } from '../../base/problem.ts';
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
    ...findings.flatMap((one) => [
      findingLine(one),
      ...(one.fix === undefined
        ? []
        : [`${indent}${one.severity === 'info' ? 'next' : 'fix'}: ${one.fix}`]),
    ]),
    counts.length === 0 ? 'nothing is wrong' : counts.join(', '),
  ];
}

/** What these lines say of a state: how severe each finding is. */
export function statesOf(findings: readonly Finding[]): Outcome['states'] {
  return new Map(
    findings.flatMap((one) => {
      const urgency = URGENCIES[one.severity];
      return urgency ? [[findingLine(one), { word: one.severity, urgency }] as const] : [];
    }),
  );
}

const URGENCIES: Readonly<Partial<Record<Finding['severity'], StateWord['urgency']>>> = {
  error: 'attention',
  warning: 'waiting',
  ok: 'settled',
};

function findingLine({ severity, check, found }: Finding): string {
  return `${severity.padEnd(SEVERITY_WIDTH)}  ${check.padEnd(CHECK_WIDTH)}  ${found}`;
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

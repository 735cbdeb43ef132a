import type { CheckResult } from '../../config/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { CheckedFile } from '../../host/checked-files.ts';
import { textOf } from '../../host/document-findings.ts';
import type { CheckedLists } from '../../host/lint/checked-lists.ts';
import { jsonLine } from '../base/answer-json.ts';
import { printedCode } from '../../base/codes.ts';
import { countOf } from '../../base/count.ts';

const KIND_NAMES = { agent: 'an agent configuration', policy: 'an update policy' };

/**
 * A line for each problem, and one that counts them. The first file is the checked one, the second its policy. `lists` is undefined if
 * none are asked for.
 */
export function formatChecked(
  { modules, kind }: CheckResult,
  files: readonly CheckedFile[],
  lists?: CheckedLists['lists'],
): string[] {
  const rows = files.flatMap(({ path, report }) =>
    report.problems.map((problem) => ({
      place: `${excerpt(path)}:${problem.line}:${problem.column}`,
      label: `${problem.severity}[${printedCode(problem.kind)}]`,
      text: textOf(problem),
    })),
  );
  const placeWidth = Math.max(0, ...rows.map(({ place }) => place.length));
  const labelWidth = Math.max(0, ...rows.map(({ label }) => label.length));
  const hidden = files.flatMap(({ path, report: { errors, warnings, problems } }) => {
    const more = errors + warnings - problems.length;
    return more > 0 ? [`${excerpt(path)}: … and ${more} more`] : [];
  });
  const [, policy] = files;
  return [
    ...rows.map(
      ({ place, label, text }) =>
        `${place.padEnd(placeWidth)}  ${label.padEnd(labelWidth)}  ${text}`,
    ),
    ...hidden,
    [
      countsOf(files),
      kind === 'machine' ? `${countOf(modules, 'module')} read` : `read as ${KIND_NAMES[kind]}`,
      ...(policy ? [`${relationTo(policy)} ${excerpt(policy.path)}`] : []),
      ...(lists === undefined ? [] : [listsText(lists)]),
    ].join('; '),
  ];
}

/** The report as one line of JSON, schema `modreg/check@1`. */
export function checkedAsJson(
  { kind, modules }: CheckResult,
  files: readonly CheckedFile[],
  lists?: CheckedLists['lists'],
): string {
  const [file, policy] = files;
  return jsonLine({
    schema: 'modreg/check@1',
    file: file?.path ?? null,
    as: kind,
    policy: policy?.path ?? null,
    errors: total(files, 'errors'),
    warnings: total(files, 'warnings'),
    modules,
    ...(lists !== undefined && { lists }),
    problems: files.flatMap(({ path, report }) =>
      report.problems.map((problem) => ({
        severity: problem.severity,
        code: printedCode(problem.kind),
        file: path,
        line: problem.line,
        column: problem.column,
        path: problem.path,
        message: problem.message,
        suggestion: problem.suggestion ?? null,
        hint: problem.hint ?? null,
      })),
    ),
  });
}

function relationTo(policy: CheckedFile): string {
  return policy.report.errors > 0 ? 'not checked against' : 'checked against';
}

function listsText(lists: CheckedLists['lists']): string {
  if (!lists) return 'not checked against release lists, because of the errors';
  const { needed, read } = lists;
  if (needed === 0) return 'no release list is needed';
  return `checked against ${read} of ${countOf(needed, 'release list')}`;
}

function countsOf(files: readonly CheckedFile[]): string {
  const errors = total(files, 'errors');
  const warnings = total(files, 'warnings');
  if (errors + warnings === 0) return 'no problems';
  return [
    ...(errors === 0 ? [] : [countOf(errors, 'error')]),
    ...(warnings === 0 ? [] : [countOf(warnings, 'warning')]),
  ].join(', ');
}

function total(files: readonly CheckedFile[], severity: 'errors' | 'warnings'): number {
  return files.reduce((sum, { report }) => sum + report[severity], 0);
}

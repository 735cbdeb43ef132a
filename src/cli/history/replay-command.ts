import { indexReleases, type ModuleId } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { readRegularFile } from '../../host/document-file.ts';
import { jsonLine } from '../base/answer-json.ts';
import { labelOf } from '../../core/explanation/plan-cells.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import { differences, outcomeOf, type DecisionOutcome } from '../../host/history/outcome.ts';
import { readRecord, type DecisionRecord } from '../../host/history/record-document.ts';
import { restoredInput } from '../../host/restored-input.ts';

/** Fits the largest saved lists. */
const LARGEST_RECORD = 256 * 1024 * 1024;

/** `modreg replay <file>`: decides again with a recorded input, and shows how the result differs. */
export function replayCommand(path: string, { json }: { readonly json?: true }): Outcome {
  const file = readRegularFile(path, LARGEST_RECORD);
  if (!file.ok) return failed(file.error);
  const { bytes } = file.value;
  if (bytes.length > LARGEST_RECORD) {
    return failed(damaged(path, `it has more than ${LARGEST_RECORD} bytes`));
  }
  const record = readRecord(Buffer.from(bytes).toString());
  if (!record.ok) return failed(damaged(path, record.error));
  const { facts, records, outcome: recorded } = record.value;
  const input = restoredInput(facts, indexReleases(records));
  if (!input.ok) return failed(damaged(path, `its facts lack ${input.error}`));
  const recomputed = outcomeOf(input.value);
  const differing = differences(recorded, recomputed);
  const parts = { recorded, recomputed, differing };
  return {
    answer: json ? [asJson(record.value, parts)] : linesOf(record.value, parts),
    notes: [],
    problems: [],
    ending: differing.length === 0 ? undefined : 'different',
  };
}

function damaged(path: string, why: string): Problem {
  const message = `${quote(path)} cannot be replayed: ${why}`;
  const hint = 'modreg why <module> --record <file> writes such a file';
  return { severity: 'error', kind: 'bad-value', message, hint };
}

interface Parts {
  readonly recorded: DecisionOutcome;
  readonly recomputed: DecisionOutcome;
  readonly differing: readonly (keyof DecisionOutcome)[];
}

function linesOf(record: DecisionRecord, { recorded, recomputed, differing }: Parts): string[] {
  const { kind, name, moduleId, since } = record;
  // It only names the module for a person.
  const label = kind === 'module' ? labelOf({ name, moduleId: moduleId as ModuleId }) : name;
  const what = `${label}, decided at ${formatTime(since)} with modreg ${excerpt(record.modreg)}`;
  if (differing.length === 0) {
    const { decision, target, reason } = recomputed;
    const word = target === undefined ? decision : `${decision} ${target}`;
    return [`${what}: the same decision`, `  ${word}: ${reason}`];
  }
  return [
    `${what}: another decision`,
    ...differing.flatMap((field) => [
      `  ${field} recorded    ${recorded[field] ?? 'none'}`,
      `  ${field} recomputed  ${recomputed[field] ?? 'none'}`,
    ]),
  ];
}

function asJson(
  { name, moduleId, since, modreg }: DecisionRecord,
  { recorded, recomputed, differing }: Parts,
): string {
  return jsonLine({
    schema: 'modreg/replay@1',
    name,
    module_id: moduleId,
    since: formatTime(since),
    modreg,
    recorded: { ...recorded, target: recorded.target ?? null },
    recomputed: { ...recomputed, target: recomputed.target ?? null },
    differences: differing,
  });
}

import { writeFileSync } from 'node:fs';
import { unwritableWords } from '../../core/text/file-words.ts';
import { quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { decisionRecord } from '../../host/history/decision-record.ts';
import { recordDocument, type DecisionRecord } from '../../host/history/record-document.ts';
import { labelFor } from '../../host/machine-row.ts';
import { jsonLine } from '../base/answer-json.ts';
import { ownVersion } from '../version.ts';
import { timeAsked, type WhyOptions } from './why-command.ts';

/** `modreg why <module> --record <file>`: writes the complete input of a decision, for `modreg replay`. */
export async function recordCommand(
  named: string,
  path: string,
  options: WhyOptions,
  world: World,
): Promise<Outcome> {
  const at = timeAsked(options, world);
  if (!at.ok) return failed(at.error);
  const record = await decisionRecord(named, { at: at.value, modreg: ownVersion() }, world);
  if (!record.ok) return failed(...record.error);
  const problem = writeNew(path, recordDocument(record.value));
  if (problem) return failed(problem);
  const note = 'note: addresses and reasons are in it; user info, queries and fragments are not';
  const notes = options.json ? [] : [note];
  return { answer: [answerFor(record.value, path, options)], notes, problems: [] };
}

function answerFor(record: DecisionRecord, path: string, { json }: WhyOptions): string {
  const since = formatTime(record.since);
  if (json) {
    const { name, moduleId: module_id } = record;
    return jsonLine({ schema: 'modreg/why-record@1', name, module_id, since, file: path });
  }
  return `the decision about ${labelFor(record)} of ${since} is in ${quote(path)}`;
}

/** Writes a file that only its owner can read. Returns why it cannot be written. */
function writeNew(path: string, content: string): Problem | undefined {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === 'EEXIST' ? 'it exists, and is kept' : code;
    const message = `the file ${quote(path)} ${unwritableWords(reason)}`;
    return { severity: 'error', kind: 'unreadable-file', message, hint: 'name a new file' };
  }
}

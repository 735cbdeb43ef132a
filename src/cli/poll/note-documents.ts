import { adviceOn } from '../../host/document-findings.ts';
import { misspeltNameWarnings } from '../../host/misspelt-names.ts';
import type { PlanDocuments } from '../../host/plan-documents.ts';
import type { PollReport } from './poll-report.ts';

type Note = (documents: PlanDocuments) => void;

/** Returns how to log what is wrong in documents that are used nevertheless: each change once. */
export function noteDocuments(report: Pick<PollReport, 'note'>): Note {
  const notes = [unknownFieldNote(report), misspeltNameNote(report)];
  return (documents) => {
    for (const note of notes) note(documents);
  };
}

/** That unknown fields hold every replacement, and which documents are used meanwhile (D241). */
function unknownFieldNote(report: Pick<PollReport, 'note'>): Note {
  let said = '';
  return ({ unknown, isEarlier }) => {
    const what = unknown
      .map(({ message, suggestion, hint }) => adviceOn({ message, suggestion, hint }))
      .join(', ');
    if (what === said) return;
    said = what;
    if (what === '') report.note('info', ENDED);
    else report.note('error', `${what}; ${isEarlier ? EARLIER : WITHOUT}`);
  };
}

const ENDED = 'the documents have no unknown field any more: replacements are made again';
const HELD = 'every replacement is held until that is corrected; what is deployed runs on';
const EARLIER = `the last documents without errors stay in use, and ${HELD}`;
const WITHOUT = `it is ignored, and ${HELD}`;

/** That a name in the policy is probably that of an entry (D242). */
function misspeltNameNote(report: Pick<PollReport, 'note'>): Note {
  const noted = new Set<string>();
  return ({ machine, policy, policyPath }) => {
    for (const { message, suggestion } of misspeltNameWarnings(machine, policy, policyPath)) {
      if (noted.has(message)) continue;
      noted.add(message);
      report.note('warn', adviceOn({ message, suggestion, hint: undefined }));
    }
  };
}

import { adviceOn } from '../../config/report.ts';
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
  return ({ unknown, isEarlier, machine }) => {
    const what = unknown
      .map(({ message, suggestion, hint }) => adviceOn({ message, suggestion, hint }))
      .join(', ');
    if (what === said) return;
    said = what;
    if (what === '') report.note('info', ENDED);
    else report.note('error', `${what}; ${isEarlier ? EARLIER : withoutWords(machine)}`);
  };
}

/** What becomes of modules without the unknown fields: without a misspelt `modules`, there are none (D315). */
function withoutWords({ modules, agent }: PlanDocuments['machine']): string {
  const isModules = agent.unknownFields?.some(({ suggestion }) => suggestion === 'modules');
  return isModules && modules.length === 0 ? NO_MODULES : WITHOUT;
}

const ENDED = 'the documents have no unknown field any more: replacements are made again';
const HELD = 'every replacement is held until that is corrected; what is deployed runs on';
const EARLIER = `the last documents without errors stay in use, and ${HELD}`;
const WITHOUT = `it is ignored, and ${HELD}`;
const NO_MODULES =
  'it is ignored, so that no module is started until that is corrected; every replacement is held until then, and what is deployed stays known';

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

import { decisionWords } from '../../core/explanation/decision-words.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { readable } from '../../core/text/time-words.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { labelFor } from '../../host/machine-row.ts';
import {
  liftVersion,
  quarantineOn,
  refuseVersion,
  type Refusal,
} from '../../host/requests/quarantine.ts';
import {
  liftDocument,
  quarantineDocument,
  refusalDocument,
} from '../../host/requests/request-documents.ts';
import { liftedLine, quarantineEnd } from '../../host/requests/request-words.ts';
import { jsonLine } from '../base/answer-json.ts';
import { quarantineTable } from './quarantine-table.ts';

interface Options {
  readonly json?: true;
}

export interface QuarantineAddOptions extends Options {
  readonly reason?: string;
  readonly for?: string;
}

/** `modreg quarantine list`: shows the versions that failed on this machine, and until when each is refused. */
export function quarantineListCommand({ json }: Options, world: World): Outcome {
  const found = quarantineOn(world);
  if (!found.ok) return failed(...found.error);
  const { entries, times } = found.value;
  const table = quarantineTable(entries, { times, columns: world.columns });
  const lines = table.length > 0 ? table : ['nothing is in quarantine'];
  const answer = json ? [jsonLine(quarantineDocument(entries))] : lines;
  return { answer, notes: [], problems: [] };
}

/** `modreg quarantine add <module> <version>`: refuses a version. What the command prints is what the planner decides. */
export function quarantineAddCommand(
  [module, version]: readonly [module: string, version: string],
  { reason, json, ...options }: QuarantineAddOptions,
  world: World,
): Outcome {
  const term = options.for === undefined ? undefined : parseDuration(options.for);
  if (term && !(term.ok && term.value > 0)) {
    return failed(
      usage(`--for: ${term.ok ? 'a quarantine that lasts no time does nothing' : term.error}`),
    );
  }
  const refused = refuseVersion({ module, version, reason, termMs: term?.value }, world);
  if (!refused.ok) return failed(...refused.error);
  const { entry, isUnlisted } = refused.value;
  const subject = `${entry.moduleId} ${entry.version}`;
  const message = `no release list that this machine has read contains ${subject}; it is refused if it is published`;
  return {
    answer: json ? [jsonLine(refusalDocument(refused.value))] : refusedLines(refused.value),
    notes: json ? [] : [`note: modreg quarantine lift ${subject} undoes this`],
    problems: isUnlisted ? [{ severity: 'warning', kind: 'unknown-reference', message }] : [],
  };
}

function refusedLines({ entry, concerned, times }: Refusal): string[] {
  const { moduleId, version, until } = entry;
  const end = readable(quarantineEnd({ until }), times);
  return [
    `${moduleId} ${version} is refused on this machine until ${end}`,
    ...concerned.map(({ row, decision }) =>
      typeof decision === 'string'
        ? `  ${labelFor(row)}: the next decision is not known here: ${excerpt(decision)}`
        : `  ${labelFor(row)}: ${summarizeDecision(decision)}: ${readable(decisionWords(decision), times)}`,
    ),
  ];
}

/** `modreg quarantine lift <module> <version>`: lets the version be selected again. */
export function quarantineLiftCommand(
  named: readonly [module: string, version: string],
  { json }: Options,
  world: World,
): Outcome {
  const lifted = liftVersion(named, world);
  if (!lifted.ok) return failed(...lifted.error);
  const answer = json ? jsonLine(liftDocument(lifted.value)) : liftedLine(lifted.value);
  return { answer: [answer], notes: [], problems: [] };
}

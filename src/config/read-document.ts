import type { Deployed } from '../core/index.ts';
import type { AgentConfiguration, Machine } from '../core/machine/machine.ts';
import type { UpdatePolicy } from '../core/machine/update-policy.ts';
import { judgeAgent } from './agent.ts';
import { judgeDeployed } from './deployed-report.ts';
import { kindOf, type DocumentKind } from './document-kind.ts';
import { readJson, type JsonDocument, type Located } from './text/json-document.ts';
import type { Judged, CheckContext } from './judged.ts';
import { LARGEST_DOCUMENT } from './largest-document.ts';
import { judgeMachine } from './machine.ts';
import { reportOf, type Report } from './report.ts';
import { judgePolicy } from './update-policy.ts';
import { decode, type DocumentSource } from './text/utf8.ts';

/** A document that was read, or what stands in its way; in both cases what there is to say of it. */
export type DocumentResult<T> = Report &
  ({ readonly ok: true; readonly value: T } | { readonly ok: false });

/** What each kind of document is read to. */
interface Documents {
  machine: Machine;
  agent: AgentConfiguration;
  policy: UpdatePolicy;
}

/** A document of which nothing was known before. */
export interface CheckResult extends Report {
  readonly kind: DocumentKind;
  /** How many module entries were looked at. */
  readonly modules: number;
}

type Judge<T> = (value: unknown, surroundings: CheckContext) => Judged<T>;

const JUDGES: { readonly [Kind in DocumentKind]: Judge<Documents[Kind]> } = {
  machine: judgeMachine,
  agent: judgeAgentDocument,
  policy: judgePolicy,
};

/** Reads a machine config. Never throws. */
export function readMachine(
  source: DocumentSource,
  surroundings: CheckContext = {},
): DocumentResult<Machine> {
  return readAs(JUDGES.machine, source, surroundings);
}

/**
 * Reads an agent configuration: a document of its own, whose keys are the subsystems, or the key `agent`
 * of a machine config. Never throws.
 */
export function readAgentConfiguration(
  source: DocumentSource,
  surroundings: CheckContext = {},
): DocumentResult<AgentConfiguration> {
  return readAs(JUDGES.agent, source, surroundings);
}

/** Reads an update policy. Never throws. */
export function readUpdatePolicy(source: DocumentSource): DocumentResult<UpdatePolicy> {
  return readAs(JUDGES.policy, source, {});
}

/**
 * Reads what runs on a machine: an object from the names of module entries and subsystems to versions, or to
 * null for what is not deployed. What is not in it is not known. Never throws.
 */
export function readDeployedReport(
  source: DocumentSource,
): DocumentResult<ReadonlyMap<string, Deployed>> {
  return readAs(judgeDeployed, source, {});
}

/** What there is to say of a document, which is of the kind `as`, or else of the kind that it looks like. */
export function checkDocument(
  source: DocumentSource,
  as: DocumentKind | undefined,
  surroundings: CheckContext = {},
): CheckResult {
  const opened = open(source);
  const kind = as ?? kindOf(opened.document.value);
  const { problems, errors, warnings, modules } = judge<unknown>(
    JUDGES[kind],
    opened,
    surroundings,
  );
  return { kind, problems, errors, warnings, modules };
}

function readAs<T>(
  judgeValue: Judge<T>,
  source: DocumentSource,
  surroundings: CheckContext,
): DocumentResult<T> {
  const { problems, errors, warnings, output } = judge(judgeValue, open(source), surroundings);
  const report = { problems, errors, warnings };
  return output === undefined || errors > 0
    ? { ok: false, ...report }
    : { ok: true, value: output, ...report };
}

function judgeAgentDocument(
  value: unknown,
  surroundings: CheckContext,
): Judged<AgentConfiguration> {
  const isMachine = typeof value === 'object' && value !== null && Object.hasOwn(value, 'agent');
  if (!isMachine) return judgeAgent(value, surroundings);
  const { output, ...rest } = judgeMachine(value, surroundings);
  return { ...rest, output: output?.agent };
}

/** A document as far as its bytes are text and its text is JSON. */
interface Opened {
  readonly text: string;
  readonly document: JsonDocument;
}

function open(source: DocumentSource): Opened {
  if (source.length > LARGEST_DOCUMENT) {
    const message = `more than ${LARGEST_DOCUMENT} bytes, and no more are read`;
    return unreadable('', { kind: 'too-large', path: [], message, offset: 0 });
  }
  const text = decode(source);
  if (!text.ok) return unreadable(text.error.text, text.error.finding);
  return { text: text.value, document: readJson(text.value) };
}

function unreadable(text: string, finding: Located): Opened {
  return {
    text,
    document: { value: undefined, findings: [finding], isWhole: false, offsetOf: () => 0 },
  };
}

function judge<T>(
  judgeValue: Judge<T>,
  { text, document }: Opened,
  surroundings: CheckContext,
): Report & Judged<T> {
  const nothing: Judged<T> = { output: undefined, findings: [], modules: 0 };
  const judged = document.isWhole ? judgeValue(document.value, surroundings) : nothing;
  const findings = judged.findings.map((finding) => ({
    ...finding,
    offset: document.offsetOf(finding.path, finding.end ?? 'value'),
  }));
  return { ...judged, ...reportOf(text, [...document.findings, ...findings], document.offsetOf) };
}

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
import { reportOf, type CheckResult, type Report } from './report.ts';
import { judgePolicy } from './update-policy.ts';
import { decode } from './text/utf8.ts';

/** What a document contains, or that it has errors; in both cases its errors and warnings. */
export type DocumentResult<T> = Pick<CheckResult, 'problems' | 'errors' | 'warnings'> &
  (
    | {
        readonly ok: true;
        /** What the document contains. It may have warnings. */
        readonly value: T;
      }
    | { readonly ok: false }
  );

/** What each kind of document is read to. */
interface Documents {
  machine: Machine;
  agent: AgentConfiguration;
  policy: UpdatePolicy;
}

type Judge<T> = (value: unknown, surroundings: CheckContext) => Judged<T>;

const JUDGES: { readonly [Kind in DocumentKind]: Judge<Documents[Kind]> } = {
  machine: judgeMachine,
  agent: judgeAgentDocument,
  policy: judgePolicy,
};

/**
 * Reads a machine config. Never throws: every error has its line and column in `problems`.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { readMachine } from 'modreg/config';
 *
 * const machine = readMachine(readFileSync('machine.json'), { environment: process.env });
 * for (const { line, column, severity, message } of machine.problems) {
 *   console.error(`machine.json:${line}:${column} ${severity}: ${message}`);
 * }
 * if (machine.ok) console.log(machine.value.modules.map(({ name }) => name));
 * ```
 */
export function readMachine(
  source: string | Uint8Array,
  surroundings: CheckContext = {},
): DocumentResult<Machine> {
  return readAs(JUDGES.machine, source, surroundings);
}

/**
 * Reads an agent configuration: a document whose keys are the subsystems, or a machine config, of which it
 * returns the `agent`. Never throws.
 *
 * @example
 * ```ts
 * import { readAgentConfiguration } from 'modreg/config';
 *
 * const agent = readAgentConfiguration('{ "platform-agent": { "pin_version": "1.4.0" } }');
 * if (agent.ok) console.log(agent.value.platformAgent.pinVersion?.text); // 1.4.0
 * ```
 */
export function readAgentConfiguration(
  source: string | Uint8Array,
  surroundings: CheckContext = {},
): DocumentResult<AgentConfiguration> {
  return readAs(JUDGES.agent, source, surroundings);
}

/**
 * Reads an update policy. Terms that it does not set have the values of `DEFAULT_POLICY`; terms under
 * `modules` override the policy's own. Never throws.
 *
 * @example
 * ```ts
 * import { readUpdatePolicy } from 'modreg/config';
 *
 * const policy = readUpdatePolicy('{ "minimum_release_age": "3d" }');
 * if (policy.ok) console.log(policy.value.terms.minimumAge.ms); // 259200000
 * else console.error(policy.problems);
 * ```
 */
export function readUpdatePolicy(source: string | Uint8Array): DocumentResult<UpdatePolicy> {
  return readAs(JUDGES.policy, source, {});
}

/**
 * Reads a report of deployed versions: a JSON object from the names of module entries and subsystems to a
 * version, or to null for an entry that is not deployed. The deployed version of an absent name is unknown.
 * Never throws.
 *
 * @example
 * ```ts
 * import { readDeployedReport } from 'modreg/config';
 *
 * const report = readDeployedReport('{ "acme_lidar": "1.2.9", "acme_camera": null }');
 * if (report.ok) console.log(report.value.get('acme_camera')?.kind); // none
 * ```
 */
export function readDeployedReport(
  source: string | Uint8Array,
): DocumentResult<ReadonlyMap<string, Deployed>> {
  return readAs(judgeDeployed, source, {});
}

/**
 * Validates a document of the kind `as`; undefined chooses the kind that its top-level fields suggest. Never
 * throws.
 *
 * @example
 * ```ts
 * import { checkDocument } from 'modreg/config';
 *
 * const { kind, errors, problems } = checkDocument('{ "restart_ceiling": 0 }', undefined);
 * console.log(kind, errors, problems[0]?.path); // policy 1 /restart_ceiling
 * ```
 */
export function checkDocument(
  source: string | Uint8Array,
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
  source: string | Uint8Array,
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

function open(source: string | Uint8Array): Opened {
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

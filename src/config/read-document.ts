import type { Deployed } from '../core/index.ts';
import type { AgentConfiguration, Machine } from '../core/machine/machine.ts';
import type { UpdatePolicy } from '../core/machine/update-policy.ts';
import type { Path } from '../core/text/json-pointer.ts';
import {
  expectArgument,
  expectMembers,
  NUMBER,
  oneOf,
  optional,
  type Expected,
} from '../core/text/argument.ts';
import { expectSpelling, type Members } from '../core/text/spelling.ts';
import { checkAgent } from './agent.ts';
import { checkDeployed } from './deployed-report.ts';
import { DOCUMENT_KIND, kindOf, type DocumentKind } from './document-kind.ts';
import { readJson, type JsonDocument, type Located } from './text/json-document.ts';
import type { Checked, CheckContext } from './check-context.ts';
import { LARGEST_DOCUMENT } from './largest-document.ts';
import { checkMachine } from './machine.ts';
import { positionIn, type Position } from './text/position.ts';
import { reportOf, type CheckResult, type Report } from './report.ts';
import { checkPolicy } from './update-policy.ts';
import { decode } from './text/utf8.ts';

/** The value of a document if it has no errors, and its errors and warnings. */
export type DocumentResult<T> = Pick<CheckResult, 'problems' | 'errors' | 'warnings'> &
  (
    | {
        readonly ok: true;
        /** The value of the document, which may have warnings. */
        readonly value: T;
      }
    | { readonly ok: false }
  );

/** The type of value that each kind of document contains. */
interface DocumentValues {
  machine: Machine;
  agent: AgentConfiguration;
  policy: UpdatePolicy;
}

type Check<T> = (value: unknown, context: CheckContext) => Checked<T>;

const CHECKS: { readonly [Kind in DocumentKind]: Check<DocumentValues[Kind]> } = {
  machine: checkMachine,
  agent: checkAgentDocument,
  policy: checkPolicy,
};

/**
 * Reads a machine config. Every error has its line and column in `problems`.
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
  context: CheckContext = {},
): DocumentResult<Machine> {
  return readAs(CHECKS.machine, 'readMachine()', source, context);
}

/**
 * Reads an agent configuration: a document whose keys are the subsystems, or a machine config, whose `agent` it
 * returns.
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
  context: CheckContext = {},
): DocumentResult<AgentConfiguration> {
  return readAs(CHECKS.agent, 'readAgentConfiguration()', source, context);
}

/**
 * Reads an update policy. Terms that it does not set have the values of `DEFAULT_POLICY`; terms under
 * `modules` override the general ones for one module. An unknown field is an error, unless `unknownFields` is `warn`.
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
export function readUpdatePolicy(
  source: string | Uint8Array,
  context: Pick<CheckContext, 'now' | 'unknownFields'> = {},
): DocumentResult<UpdatePolicy> {
  return readAs(CHECKS.policy, 'readUpdatePolicy()', source, context);
}

/**
 * Reads a report of deployed versions: a JSON object that maps names of module entries and subsystems to
 * versions, or to null for an entry that is not deployed. If a name is missing, its deployed version is unknown.
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
  return readAs(checkDeployed, 'readDeployedReport()', source, {});
}

/**
 * Validates a document of the kind `as`, or by default of the kind that its top-level fields suggest.
 *
 * @example
 * ```ts
 * import { checkDocument } from 'modreg/config';
 *
 * const { kind, errors, problems } = checkDocument('{ "restart_ceiling": 0 }', undefined);
 * console.log(kind, errors, problems.map(({ path }) => path)); // policy 1 [ '/restart_ceiling' ]
 * ```
 */
export function checkDocument(
  source: string | Uint8Array,
  as: DocumentKind | undefined,
  context: CheckContext = {},
): CheckResult {
  expectArguments('checkDocument()', source, context);
  expectArgument('checkDocument()', 'kind', as, optional(DOCUMENT_KIND));
  const opened = open(source);
  const kind = as ?? kindOf(opened.document.value);
  const { problems, errors, warnings, modules } = check<unknown>(CHECKS[kind], opened, context);
  return { kind, problems, errors, warnings, modules };
}

/** Returns a function from the path of a value in a document, or of the key `end`, to its place: that of the nearest enclosing value if there is none. */
export function placesIn(
  source: string | Uint8Array,
): (path: Path, end?: 'key' | 'value') => Position {
  const { text, document } = open(source);
  return (path, end = 'value') => positionIn(text, document.offsetOf(path, end));
}

function readAs<T>(
  checkValue: Check<T>,
  callee: string,
  source: string | Uint8Array,
  context: CheckContext,
): DocumentResult<T> {
  expectArguments(callee, source, context);
  const { problems, errors, warnings, output } = check(checkValue, open(source), context);
  const report = { problems, errors, warnings };
  return output === undefined || errors > 0
    ? { ok: false, ...report }
    : { ok: true, value: output, ...report };
}

function checkAgentDocument(value: unknown, context: CheckContext): Checked<AgentConfiguration> {
  const isMachine = typeof value === 'object' && value !== null && Object.hasOwn(value, 'agent');
  if (!isMachine) return checkAgent(value, context);
  const { output, ...rest } = checkMachine(value, context);
  return { ...rest, output: output?.agent };
}

/** The content of a document. */
export const SOURCE: Expected = {
  is: (value) => typeof value === 'string' || value instanceof Uint8Array,
  words: 'text or bytes',
};

const CONTEXT: Members<CheckContext> = {
  policy: true,
  environment: true,
  mode: true,
  unknownFields: true,
  now: true,
};

/** What callers mistake in a context (D464). */
const VALUES: Readonly<Record<string, Expected>> = {
  mode: optional(NUMBER),
  unknownFields: optional(oneOf('error', 'warn')),
  now: optional(NUMBER),
};

function expectArguments(callee: string, source: unknown, context: unknown): void {
  expectArgument(callee, 'source', source, SOURCE);
  expectMembers(callee, 'context', context, VALUES);
  expectSpelling(callee, 'context', Object(context), CONTEXT);
}

/** A decoded and parsed document, as far as it could be read. */
interface Opened {
  readonly text: string;
  readonly document: JsonDocument;
}

function open(source: string | Uint8Array): Opened {
  if (source.length > LARGEST_DOCUMENT) {
    const message = `larger than the limit of ${LARGEST_DOCUMENT} bytes`;
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

function check<T>(
  checkValue: Check<T>,
  { text, document }: Opened,
  context: CheckContext,
): Report & Checked<T> {
  const nothing: Checked<T> = { output: undefined, findings: [], modules: 0 };
  const checked = document.isWhole ? checkValue(document.value, context) : nothing;
  const findings = checked.findings.map((finding) => ({
    ...finding,
    offset: document.offsetOf(finding.path, finding.end ?? 'value'),
  }));
  return { ...checked, ...reportOf(text, [...document.findings, ...findings], document.offsetOf) };
}

import type { CheckContext, Machine, UpdatePolicy } from '../config/index.ts';
import { readDeployedReport, readMachine, readUpdatePolicy } from '../config/read-document.ts';
import type { Deployed, Result } from '../core/index.ts';
import { DEFAULT_POLICY } from '../core/machine/update-policy.ts';
import { readDocumentFile, type DocumentFile } from './document-file.ts';
import { readPolicyFor, type PolicyFile } from './policy-file.ts';
import type { Problem } from '../base/problem.ts';
import { lastingWarnings, documentWithErrors, unknownFieldWarnings } from './document-findings.ts';

/** The documents that a plan is based on. */
export interface PlanDocuments {
  readonly machine: Machine;
  /** Unknown fields of the machine config and the policy, and variables that a later version refuses. */
  readonly warnings: readonly Problem[];
  readonly policy: UpdatePolicy;
  /** The path of the policy; undefined if there is none. */
  readonly policyPath: string | undefined;
  /**
   * The reported deployed versions, by the name of the module entry or the subsystem. A missing name means that
   * its version is unknown. Undefined without a report.
   */
  readonly deployed: ReadonlyMap<string, Deployed> | undefined;
  /** The unknown fields of the policy and the agent configuration, which hold every replacement; empty if there are none (D240). */
  readonly unknown: readonly Problem[];
  /** Whether these are the last ones without errors, since others with `unknown` took their place. */
  readonly isEarlier?: true;
  readonly sources: DocumentSources;
}

/** Where the documents of a plan are, besides the machine config, and how they are read. */
export interface DocumentTerms extends Pick<CheckContext, 'unknownFields'> {
  readonly policy?: string;
  readonly deployed?: string;
}

/** The files of a machine config and its policy, as they were read. */
export interface DocumentSources {
  readonly machine: DocumentFile;
  /** Undefined if there is no policy. */
  readonly policy: DocumentFile | undefined;
}

/**
 * Reads the machine config at `path`, its policy, and the report of deployed versions. With `machineFile`, that is the machine
 * config instead.
 */
export function readPlanDocuments(
  path: string,
  options: DocumentTerms,
  machineFile?: DocumentFile,
): Result<PlanDocuments, Problem[]> {
  const file = machineFile ? { ok: true as const, value: machineFile } : readDocumentFile(path);
  return documentsIn(file, readPolicy(path, options.policy, options), options);
}

/** The same for files that were read before. */
export function planDocumentsOf(
  { machine, policy }: DocumentSources,
  deployed: string | undefined,
): Result<PlanDocuments, Problem[]> {
  const reading = policy && readUpdatePolicy(policy.bytes);
  const file = policy && reading && { path: policy.path, file: policy, reading };
  return documentsIn({ ok: true, value: machine }, policyIn(file), { deployed });
}

function documentsIn(
  file: Result<DocumentFile, Problem>,
  policy: ReturnType<typeof readPolicy>,
  terms: Pick<DocumentTerms, 'unknownFields'> & { readonly deployed?: string | undefined },
): Result<PlanDocuments, Problem[]> {
  const deployed = readDeployedFile(terms.deployed);
  const inForce = policy.ok ? policy.value.policy : 'unreadable';
  const machine = readMachineFile(file, { ...terms, policy: inForce });
  if (file.ok && policy.ok && deployed.ok && machine.ok) {
    const warnings = [...machine.value.warnings, ...policy.value.warnings];
    const { policyPath, policyFile } = policy.value;
    return {
      ok: true,
      value: {
        machine: machine.value.machine,
        policy: policy.value.policy,
        policyPath,
        warnings,
        unknown: [...policy.value.unknown, ...machine.value.unknown],
        deployed: deployed.value,
        sources: { machine: file.value, policy: policyFile },
      },
    };
  }
  return {
    ok: false,
    error: [machine, policy, deployed].flatMap((read) => (read.ok ? [] : [read.error])),
  };
}

/** Returns a function that reads the documents again and again. A policy that was there once must stay. */
export function documentReader(
  path: string,
  options: DocumentTerms,
): () => Result<PlanDocuments, Problem[]> {
  let { policy } = options;
  return () => {
    const read = readPlanDocuments(path, { ...options, ...(policy !== undefined && { policy }) });
    if (read.ok) policy ??= read.value.policyPath;
    return read;
  };
}

/** Reads the policy of the machine config at `path`. Without a file it is the default policy. */
export function readPolicy(
  path: string,
  named: string | undefined,
  context: Pick<CheckContext, 'unknownFields'> = {},
): Result<ReadPolicy, Problem> {
  const file = readPolicyFor(path, named, context);
  return file.ok ? policyIn(file.value) : file;
}

interface ReadPolicy extends Pick<PlanDocuments, 'policy' | 'policyPath' | 'warnings' | 'unknown'> {
  readonly policyFile: DocumentFile | undefined;
}

function policyIn(found: PolicyFile | undefined): Result<ReadPolicy, Problem> {
  if (!found) {
    const none = { policy: DEFAULT_POLICY, policyPath: undefined, policyFile: undefined };
    return { ok: true, value: { ...none, warnings: [], unknown: [] } };
  }
  const { path: policyPath, file: policyFile, reading } = found;
  if (reading.ok) {
    const policy = reading.value;
    const warnings = lastingWarnings(policyPath, reading);
    const unknown = unknownFieldWarnings(policyPath, reading, policy.unknownFields);
    return { ok: true, value: { policy, policyPath, policyFile, warnings, unknown } };
  }
  return { ok: false, error: documentWithErrors('the policy', policyPath, reading, 'policy') };
}

function readDeployedFile(
  path: string | undefined,
): Result<ReadonlyMap<string, Deployed> | undefined, Problem> {
  if (path === undefined) return { ok: true, value: undefined };
  const file = readDocumentFile(path);
  if (!file.ok) return file;
  const report = readDeployedReport(file.value.bytes);
  if (report.ok) return report;
  return { ok: false, error: documentWithErrors('the report of deployed versions', path, report) };
}

/** How messages name a machine config. */
export const MACHINE_CONFIG = 'the machine config';

function readMachineFile(
  file: Result<DocumentFile, Problem>,
  context: Pick<CheckContext, 'policy' | 'unknownFields'>,
): Result<Pick<PlanDocuments, 'machine' | 'warnings' | 'unknown'>, Problem> {
  if (!file.ok) return file;
  const { path, bytes, mode } = file.value;
  const read = readMachine(bytes, { ...context, mode });
  if (read.ok) {
    const machine = read.value;
    const warnings = lastingWarnings(path, read);
    const unknown = unknownFieldWarnings(path, read, machine.agent.unknownFields);
    return { ok: true, value: { machine, warnings, unknown } };
  }
  return { ok: false, error: documentWithErrors(MACHINE_CONFIG, path, read, 'machine') };
}

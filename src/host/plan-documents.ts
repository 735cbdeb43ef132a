import type { Machine, UpdatePolicy } from '../config/index.ts';
import { readDeployedReport, readMachine, readUpdatePolicy } from '../config/read-document.ts';
import type { Deployed, Result } from '../core/index.ts';
import { DEFAULT_POLICY } from '../core/machine/update-policy.ts';
import { readDocumentFile, type DocumentFile } from './document-file.ts';
import { readPolicyFor, type PolicyFile } from './policy-file.ts';
import type { Problem } from '../base/problem.ts';
import { lastingWarnings, documentWithErrors } from './document-findings.ts';

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
  readonly sources: DocumentSources;
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
  options: { readonly policy?: string; readonly deployed?: string },
  machineFile?: DocumentFile,
): Result<PlanDocuments, Problem[]> {
  const file = machineFile ? { ok: true as const, value: machineFile } : readDocumentFile(path);
  return documentsIn(file, readPolicy(path, options.policy), options.deployed);
}

/** The same for files that were read before. */
export function planDocumentsOf(
  { machine, policy }: DocumentSources,
  deployed: string | undefined,
): Result<PlanDocuments, Problem[]> {
  const reading = policy && readUpdatePolicy(policy.bytes);
  const file = policy && reading && { path: policy.path, file: policy, reading };
  return documentsIn({ ok: true, value: machine }, policyIn(file), deployed);
}

function documentsIn(
  file: Result<DocumentFile, Problem>,
  policy: ReturnType<typeof readPolicy>,
  deployedPath: string | undefined,
): Result<PlanDocuments, Problem[]> {
  const deployed = readDeployedFile(deployedPath);
  const machine = readMachineFile(file, policy.ok ? policy.value.policy : 'unreadable');
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
  options: Parameters<typeof readPlanDocuments>[1],
): () => Result<PlanDocuments, Problem[]> {
  let { policy } = options;
  return () => {
    const read = readPlanDocuments(path, { ...options, ...(policy !== undefined && { policy }) });
    if (read.ok) policy ??= read.value.policyPath;
    return read;
  };
}

/** Reads the policy of the machine config at `path`. Without a file it is the default policy. */
export function readPolicy(path: string, named: string | undefined): Result<ReadPolicy, Problem> {
  const file = readPolicyFor(path, named);
  return file.ok ? policyIn(file.value) : file;
}

interface ReadPolicy extends Pick<PlanDocuments, 'policy' | 'policyPath' | 'warnings'> {
  readonly policyFile: DocumentFile | undefined;
}

function policyIn(found: PolicyFile | undefined): Result<ReadPolicy, Problem> {
  if (!found) {
    const none = { policy: DEFAULT_POLICY, policyPath: undefined, policyFile: undefined };
    return { ok: true, value: { ...none, warnings: [] } };
  }
  const { path: policyPath, file: policyFile, reading } = found;
  if (reading.ok) {
    const warnings = lastingWarnings(policyPath, reading);
    return { ok: true, value: { policy: reading.value, policyPath, policyFile, warnings } };
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
  policy: UpdatePolicy | 'unreadable',
): Result<Pick<PlanDocuments, 'machine' | 'warnings'>, Problem> {
  if (!file.ok) return file;
  const { path, bytes, mode } = file.value;
  const read = readMachine(bytes, { policy, mode });
  if (read.ok) {
    return { ok: true, value: { machine: read.value, warnings: lastingWarnings(path, read) } };
  }
  return { ok: false, error: documentWithErrors(MACHINE_CONFIG, path, read, 'machine') };
}

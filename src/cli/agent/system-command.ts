import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applyFiles, type FileReport } from '../../agent/system/apply-files.ts';
import { readRecords, RecordError } from '../../agent/system/file-record.ts';
import { planFiles } from '../../agent/system/file-plan.ts';
import { THIS_MACHINE, type SystemHost } from '../../agent/system/host.ts';
import { systemTarget, type ManagedFile } from '../../agent/system/managed-files.ts';
import { platformHome } from '../../config/platform-home.ts';
import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { isPolled } from '../../store/claim.ts';
import { NO_HOME } from '../../host/open-state.ts';
import { jsonLine } from '../base/answer-json.ts';
import { readPlanDocuments } from '../../host/plan-documents.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { fileDiff } from './file-diff.ts';
import { trying } from './systemd/systemd-host.ts';
import { readManufacturer } from '../../host/manufacturer-file.ts';
import { describeFile } from './system-words.ts';

export interface AgentSystemOptions {
  readonly dryRun?: true;
  readonly json?: true;
}

/** A managed file, and its change in a dry run. */
interface FileAnswer extends Pick<FileReport, 'path' | 'reason'> {
  readonly state: FileReport['state'] | 'would-change';
  readonly diff?: readonly string[];
}

/** `modreg agent system <machine.json>`: applies the settings of the system once, or shows what that would change. */
export async function agentSystemCommand(
  path: string,
  { dryRun, json }: AgentSystemOptions,
  world: World,
  host: SystemHost = THIS_MACHINE,
): Promise<Outcome> {
  const home = platformHome(world.environment);
  const wanted = wantedFiles(path, host);
  if (!wanted.ok) return failed(...wanted.error);
  try {
    if (dryRun) return answerOf(plannedIn(wanted.value, home, host), [], json);
    if (home === undefined) return failed(NO_HOME);
    const refusal = whyNotNow(home, host);
    if (refusal) return failed(refusal);
    const made = trying(`${quote(home)} cannot be created`, () => makeFolders(home, 0o700));
    if (!made.ok) return failed(made.error);
    const { files, troubles } = await applyFiles(wanted.value, home, host);
    return answerOf(files, troubles, json);
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    return failed({ severity: 'error', kind: error.kind, message: error.message });
  }
}

function wantedFiles(path: string, host: SystemHost): Result<readonly ManagedFile[], Problem[]> {
  const documents = readPlanDocuments(path, {});
  const manufacturer = readManufacturer(host.root);
  if (!documents.ok) return documents;
  if (!manufacturer.ok) return { ok: false, error: [manufacturer.error] };
  const { agent } = documents.value.machine;
  return { ok: true, value: systemTarget(agent, manufacturer.value, host.hostName).files };
}

function plannedIn(
  files: readonly ManagedFile[],
  home: string | undefined,
  { root }: SystemHost,
): FileAnswer[] {
  const records = home === undefined ? new Map() : readRecords(home);
  return planFiles(files, records, root).map((plan) => {
    const { path, verdict } = plan;
    if ('reason' in plan) return { path, state: plan.verdict, reason: plan.reason };
    const diff = fileDiff(plan);
    const state = diff.length === 0 || verdict === 'unchanged' ? 'unchanged' : 'would-change';
    return { path, state, reason: undefined, diff };
  });
}

function whyNotNow(home: string, { root }: SystemHost): Problem | undefined {
  if (root === '' && process.getuid?.() !== 0) {
    const message = 'only root can change the settings of the system; --dry-run shows the changes';
    return { severity: 'error', kind: 'permissions', message };
  }
  const state = join(home, 'machine.db');
  if (!existsSync(state) || !isPolled(state)) return undefined;
  const message = 'an agent is running, and applies the settings of the system itself';
  return { severity: 'error', kind: 'locked', message, hint: '--dry-run shows the changes' };
}

function answerOf(
  files: readonly FileAnswer[],
  troubles: readonly string[],
  json: true | undefined,
): Outcome {
  const errors = files.flatMap(({ path, state, reason }): Problem[] => {
    if (state !== 'failed') return [];
    const message = `${excerpt(path)}: ${describeFile({ state, reason })}`;
    return [{ severity: 'error', kind: 'not-applied', message }];
  });
  const late = troubles.map((one): Problem => {
    const message = `a setting is written, but not in force: ${excerpt(one)}`;
    return { severity: 'error', kind: 'not-applied', message };
  });
  const answer = json ? [asJson(files, troubles)] : files.flatMap(linesOf);
  const none =
    files.length === 0 && !json ? ['the configuration has no settings of the system'] : [];
  return { answer: [...answer, ...none], notes: [], problems: [...errors, ...late], isData: true };
}

function linesOf({ path, state, reason, diff = [] }: FileAnswer): string[] {
  if (state === 'would-change') return [...diff];
  return [`${excerpt(path)}: ${describeFile({ state, reason })}`];
}

function asJson(files: readonly FileAnswer[], troubles: readonly string[]): string {
  return jsonLine({
    schema: 'modreg/agent-system@1',
    files: files.map(({ path, state, reason, diff = [] }) => ({
      path,
      state,
      reason: reason ?? null,
      diff: diff.length === 0 ? null : diff.join('\n'),
    })),
    troubles,
  });
}

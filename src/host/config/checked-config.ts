import { maskSecrets, unmaskSecrets } from '../../config/masked-secrets.ts';
import { readMachine } from '../../config/read-document.ts';
import { readJson } from '../../config/text/json-document.ts';
import { decode } from '../../config/text/utf8.ts';
import { describeDecision, type Plan, type Result } from '../../core/index.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { documentWithErrors } from '../document-findings.ts';
import { planFromSaved, type SavedPlanTerms } from '../plan/machine-plan.ts';
import { MACHINE_CONFIG, readPlanDocuments, readPolicy } from '../plan-documents.ts';
import {
  checkOf,
  fileName,
  readConfig,
  readText,
  saveConfig,
  type ConfigFile,
  type DocumentCheck,
  type SaveOutcome,
} from './config-file.ts';

export interface ShownConfig {
  /** The name of the file. */
  readonly file: string;
  /** With `"•••"` instead of secrets. */
  readonly text: string;
  readonly etag: string;
}

export interface ConfigCheck extends DocumentCheck {
  /** The decisions that would be others; undefined if the document has errors, or the machine cannot be planned. */
  readonly changes: readonly DecisionChange[] | undefined;
  /** Why the changes are not known, if that is not an error of the document. */
  readonly problems: readonly Problem[];
}

export interface DecisionChange {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  /** In words; undefined if the machine does not have it. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The machine config at `path`. Its secrets never leave the machine (T140). A text that is not JSON is not shown: which of its parts are secrets is not known. */
export function shownConfig(path: string): Result<ShownConfig, Problem[]> {
  const config = readConfig(path);
  if (!config.ok) return config;
  const { file, text, etag } = config.value;
  const decoded = decode(file.bytes);
  if (decoded.ok && readJson(decoded.value).isWhole) {
    return { ok: true, value: { file: fileName(file.path), text: maskSecrets(text), etag } };
  }
  const read = readMachine(file.bytes, { policy: 'unreadable', mode: file.mode });
  const problem = documentWithErrors(MACHINE_CONFIG, file.path, read, 'machine');
  return { ok: false, error: [{ ...problem, because: [...(problem.because ?? []), NOT_SHOWN] }] };
}

const NOT_SHOWN = 'its secrets cannot be told apart, so it is not shown: correct it on the machine';

/** What is found in a text without secrets that would replace the config at `path`, and which decisions would change. */
export async function checkedConfig(
  path: string,
  masked: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<ConfigCheck, Problem[]>> {
  const config = readConfig(path);
  if (!config.ok) return config;
  const { file } = config.value;
  const draft = draftOf(masked, config.value, options);
  if (!draft.ok) return draft;
  const { text, check } = draft.value;
  if (check.errors > 0) return { ok: true, value: { ...check, changes: undefined, problems: [] } };
  const now = await planFromSaved(path, options, world, readPlanDocuments(path, options, file));
  const then = await planFromSaved(
    path,
    options,
    world,
    readPlanDocuments(path, options, { ...file, bytes: Buffer.from(text) }),
  );
  if (now.ok && then.ok) {
    const changes = changesBetween(now.value.plan, then.value.plan);
    return { ok: true, value: { ...check, changes, problems: [] } };
  }
  const problems = [now, then].flatMap((one) => (one.ok ? [] : one.error));
  return { ok: true, value: { ...check, changes: undefined, problems } };
}

/** Replaces the config at `path` by a text without secrets, if the person saw the one with this `etag`. */
export function replaceConfig(
  path: string,
  { text, etag }: { readonly text: string; readonly etag: string },
  options: SavedPlanTerms,
): Result<SaveOutcome, Problem[]> {
  const config = readConfig(path);
  if (!config.ok) return config;
  if (config.value.etag !== etag) {
    return { ok: true, value: { kind: 'changed-meanwhile', now: config.value } };
  }
  const draft = draftOf(text, config.value, options);
  if (!draft.ok) return draft;
  const { check } = draft.value;
  if (check.errors > 0) return { ok: true, value: { kind: 'has-errors', check } };
  const lines = [`${fileName(path)} was replaced`];
  return saveConfig(config.value, { to: draft.value.text, lines });
}

/** A text with its secrets, and what is found in it, at the places of the text without them. */
interface Draft {
  readonly text: string;
  readonly check: DocumentCheck;
}

function draftOf(
  masked: string,
  { file, text: original }: ConfigFile,
  options: SavedPlanTerms,
): Result<Draft, Problem[]> {
  const policy = readPolicy(file.path, options.policy);
  if (!policy.ok) return { ok: false, error: [policy.error] };
  const { text, misplaced, columnOf } = unmaskSecrets(masked, original);
  const found = checkOf(readText(text, file, policy.value.policy));
  const masks = misplaced.map((one) => {
    return {
      severity: 'error' as const,
      code: 'MISPLACED_SECRET',
      line: one.line,
      column: one.column,
      path: one.path,
      message: one.message,
    };
  });
  const places = new Set(misplaced.map(({ path }) => path));
  // "•••" is no value, so what it lacks as one is no further error.
  const others = found.findings.filter(({ path }) => !places.has(path));
  const findings = [...masks, ...others.map((one) => ({ ...one, column: columnOf(one) }))].toSorted(
    (a, b) => a.line - b.line || a.column - b.column,
  );
  const errors = found.errors - (found.findings.length - others.length) + masks.length;
  return { ok: true, value: { text, check: { ...found, errors, findings } } };
}

/** The decisions that differ between two plans, in the order of the second; what it lacks comes last. */
export function changesBetween(now: Plan, then: Plan): DecisionChange[] {
  const before = decisionsIn(now);
  const after = decisionsIn(then);
  return [...new Map([...after, ...before]).keys()].flatMap((key) => {
    const [old, fresh] = [before.get(key), after.get(key)];
    const { kind, name } = old ?? fresh ?? { kind: 'module', name: key };
    if (old?.words === fresh?.words) return [];
    return [{ kind, name, before: old?.words, after: fresh?.words }];
  });
}

type Decided = Pick<DecisionChange, 'kind' | 'name'> & { readonly words: string };

function decisionsIn({ modules, subsystems }: Plan): Map<string, Decided> {
  const rows = [
    ...modules.map(({ name, decision }) => ({ kind: 'module', name, decision }) as const),
    ...subsystems.map(
      ({ target: { name }, decision }) => ({ kind: 'subsystem', name, decision }) as const,
    ),
  ];
  return new Map(
    rows.map(({ kind, name, decision }) => {
      const words = `${summarizeDecision(decision)}: ${describeDecision(decision)}`;
      return [`${kind} ${name}`, { kind, name, words }];
    }),
  );
}

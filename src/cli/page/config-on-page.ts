import { maskSecrets, unmaskSecrets } from '../../config/masked-secrets.ts';
import { readJson } from '../../config/text/json-document.ts';
import { readMachine } from '../../config/read-document.ts';
import { decode } from '../../config/text/utf8.ts';
import { describeDecision, type Plan, type Result } from '../../core/index.ts';
import type { Decision } from '../../core/decision/decision.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import type {
  ConfigCheck,
  DecisionChange,
  DocumentCheck,
  MachineChanges,
  ShownConfig,
} from '../../page/machine-changes.ts';
import type { PageProblem } from '../../page/page-problem.ts';
import { documentWithErrors } from '../../host/document-findings.ts';
import { planOf } from '../plan/plan-command.ts';
import { MACHINE_CONFIG, readPolicy } from '../../host/plan-documents.ts';
import type { World } from '../../base/world.ts';
import {
  CHANGED,
  checkOf,
  fileName,
  readConfig,
  readText,
  saveConfig,
  withErrors,
  type ConfigFile,
} from './edited-config.ts';
import { FROM_SAVED, type PageMachineOptions } from './page-machine-options.ts';
import { asPageProblem, onPage } from './page-problem.ts';

type Config = Pick<MachineChanges, 'config' | 'checkConfig' | 'saveConfig'>;

/** The whole machine config, for the page: its secrets never leave the machine (T140). */
export function configOnPage(path: string, options: PageMachineOptions, world: World): Config {
  return {
    config: async () => {
      const config = readConfig(path);
      return config.ok ? shown(config.value) : config;
    },
    checkConfig: async (text) => {
      const config = readConfig(path);
      return config.ok ? await checked(text, config.value, { options, world }) : config;
    },
    saveConfig: async ({ text, etag }) => {
      const config = readConfig(path);
      if (!config.ok) return config;
      if (config.value.etag !== etag) return { ok: false, error: [staleConfig(config.value)] };
      const policy = onPage(readPolicy(path, options.policy));
      if (!policy.ok) return policy;
      const draft = draftOf(text, config.value, policy.value.policy);
      if (draft.check.errors > 0) return withErrors(path, draft.check);
      const lines = [`${fileName(path)} was replaced`];
      return saveConfig(config.value, { to: draft.text, lines }, staleConfig);
    },
  };
}

/** A text that is not JSON is not shown: which of its parts are secrets is not known. */
function shown({ file, text, etag }: ConfigFile): Result<ShownConfig, PageProblem[]> {
  const decoded = decode(file.bytes);
  if (decoded.ok && readJson(decoded.value).isWhole) {
    return { ok: true, value: { file: fileName(file.path), text: maskSecrets(text), etag } };
  }
  const read = readMachine(file.bytes, { policy: 'unreadable', mode: file.mode });
  const problem = asPageProblem(documentWithErrors(MACHINE_CONFIG, file.path, read, 'machine'));
  return { ok: false, error: [{ ...problem, because: [...(problem.because ?? []), NOT_SHOWN] }] };
}

const NOT_SHOWN = 'its secrets cannot be told apart, so it is not shown: correct it on the machine';

/** A text with its secrets, and what is found in it, at the places of the text without them. */
interface Draft {
  readonly text: string;
  readonly check: DocumentCheck;
}

function draftOf(
  masked: string,
  { file, text: original }: ConfigFile,
  policy: Parameters<typeof readText>[2],
): Draft {
  const { text, misplaced, columnOf } = unmaskSecrets(masked, original);
  const found = checkOf(readText(text, file, policy));
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
  return { text, check: { ...found, errors, findings } };
}

async function checked(
  masked: string,
  config: ConfigFile,
  { options, world }: { readonly options: PageMachineOptions; readonly world: World },
): Promise<Result<ConfigCheck, PageProblem[]>> {
  const { path } = config.file;
  const policy = onPage(readPolicy(path, options.policy));
  if (!policy.ok) return policy;
  const { text, check } = draftOf(masked, config, policy.value.policy);
  if (check.errors > 0) return { ok: true, value: { ...check, changes: undefined, problems: [] } };
  const offline = { ...options, ...FROM_SAVED };
  const now = await planOf(path, offline, world, config.file);
  const then = await planOf(path, offline, world, { ...config.file, bytes: Buffer.from(text) });
  if (now.ok && then.ok) {
    const changes = changesBetween(now.value.plan, then.value.plan);
    return { ok: true, value: { ...check, changes, problems: [] } };
  }
  const problems = [now, then].flatMap((one) => (one.ok ? [] : one.error.map(asPageProblem)));
  return { ok: true, value: { ...check, changes: undefined, problems } };
}

/** The decisions that differ between two plans, in the order of the second; what it lacks comes last. */
function changesBetween(now: Plan, then: Plan): DecisionChange[] {
  const before = decisionsIn(now);
  const after = decisionsIn(then);
  return [...new Map([...after, ...before]).keys()].flatMap((key) => {
    const [old, fresh] = [before.get(key), after.get(key)];
    const { kind, name } = old ?? fresh ?? { kind: 'module', name: key };
    if (old?.words === fresh?.words) return [];
    return [{ kind, name, before: old?.words, after: fresh?.words }];
  });
}

interface Decided extends Pick<DecisionChange, 'kind' | 'name'> {
  readonly words: string;
}

function decisionsIn({ modules, subsystems }: Plan): Map<string, Decided> {
  const rows: Decided[] = [
    ...modules.map(({ name, decision }) => ({
      kind: 'module' as const,
      name,
      words: wordsFor(decision),
    })),
    ...subsystems.map(({ target: { name }, decision }) => {
      return { kind: 'subsystem' as const, name, words: wordsFor(decision) };
    }),
  ];
  return new Map(rows.map((row) => [`${row.kind} ${row.name}`, row]));
}

function wordsFor(decision: Decision): string {
  return `${summarizeDecision(decision)}: ${describeDecision(decision)}`;
}

function staleConfig({ file }: ConfigFile): PageProblem {
  return {
    code: CHANGED,
    message: `${fileName(file.path)} was changed meanwhile, and that change is kept; yours was not saved`,
    hint: 'make your change in the new text, and save it',
  };
}

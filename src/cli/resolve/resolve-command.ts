import {
  indexReleases,
  parseConstraint,
  parseModuleId,
  resolve,
  type Constraint,
  type DecideInput,
  type ModuleId,
  type Release,
  type Result,
} from '../../core/index.ts';
import {
  readListOptions,
  withList,
  type ListQuery,
  type ListOptions,
} from '../../host/list-options.ts';
import { requiredText } from '../../core/explanation/requirement-words.ts';
import { tagsAlone } from '../../host/tags-alone.ts';
import type { MachineInput } from './machine-input.ts';
import { parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import { noRegistry } from '../../host/registry-choice.ts';
import { resolutionDocument, type Answered } from '../../host/resolution-document.ts';
import { jsonLine } from '../base/answer-json.ts';
import { explainAnswer, problemsOf, summarize } from './resolve-answer.ts';
import type { World } from '../../base/world.ts';

export interface ResolveOptions extends ListOptions {
  readonly explain?: true;
  readonly all?: true;
  /** Whether to refuse what this machine refuses. */
  readonly machine?: true;
}

const RECORDED = { ok: true, value: undefined } as const;

/** `modreg resolve <module_id> <constraint>`: prints the release that a constraint selects. */
export async function resolveCommand(
  moduleIdText: string,
  constraintText: string,
  options: ResolveOptions,
  world: World,
): Promise<Outcome> {
  const input = await readInput(moduleIdText, constraintText, options, world);
  if (!input.ok) return { answer: [], notes: [], problems: input.error };
  const { moduleId, constraint, query } = input.value;
  const machine = options.machine ? await machineFor(moduleId, world) : undefined;
  if (machine?.ok === false) return { answer: [], notes: [], problems: machine.error };
  // What the samples have says nothing about this machine.
  if (machine && !query.registry) {
    return { answer: [], notes: [], problems: [noRegistry(world)] };
  }
  // With --machine, the id is that of the recorded decision.
  const known = machine
    ? { ...query, machineId: RECORDED, terms: termsAt(machine.value.input, query, options) }
    : query;
  return await withList(known, moduleId, { ...options, constraint }, (read, asked) => {
    const { list, problems } = machine ? { list: read, problems: [] } : tagsAlone(moduleId, read);
    // Whether the clock is trusted is a term of the policy, which the poller has recorded with its list.
    const of = machine?.value.input.list ?? asked;
    const clock = 'error' in of ? undefined : of.clock;
    const resolution = resolve(constraint, indexReleases(list.records), { ...asked, clock });
    const answered = { moduleId, list, resolution, machine: machine?.value.name };
    const outcome = present(answered, options, world);
    return { ...outcome, problems: [...outcome.problems, ...problems] };
  });
}

async function machineFor(
  moduleId: ModuleId,
  world: World,
): Promise<Result<MachineInput, Problem[]>> {
  // Imported here, so that SQLite is loaded only when it is needed.
  const { machineInput } = await import('./machine-input.ts');
  return machineInput(moduleId, world);
}

/** The terms of the recorded decision, at the time and for the platform that are asked about. */
function termsAt(
  { eligibility, deployed, quarantine }: DecideInput,
  { terms: { eligibility: asked } }: ListQuery,
  options: ResolveOptions,
): ListQuery['terms'] {
  const { now, notAfter } = asked;
  const { platform } = options.platform === undefined ? eligibility : asked;
  return { deployed, quarantine, eligibility: { ...eligibility, now, notAfter, platform } };
}

async function readInput(
  moduleIdText: string,
  constraintText: string,
  options: ResolveOptions,
  world: World,
): Promise<Result<{ moduleId: ModuleId; constraint: Constraint; query: ListQuery }, Problem[]>> {
  const moduleId = parseModuleId(moduleIdText);
  const constraint = parseConstraint(constraintText);
  const query = await readListOptions(options, world);
  if (moduleId.ok && constraint.ok && query.ok) {
    const value = { moduleId: moduleId.value, constraint: constraint.value, query: query.value };
    return { ok: true, value };
  }
  const problems = [
    ...(moduleId.ok ? [] : [parseProblem(moduleId.error)]),
    ...(constraint.ok ? [] : [parseProblem(constraint.error)]),
    ...(query.ok ? [] : query.error),
  ];
  return { ok: false, error: problems };
}

/** What the selected release requires was judged only against a machine. */
function requirementNotes(
  { machine }: Answered,
  { version, requires = {} }: Release,
): readonly string[] {
  const needed = Object.entries(requires).flatMap(([of, ranges]) =>
    ranges.map((range) => requiredText({ of, range })),
  );
  if (machine !== undefined || needed.length === 0) return [];
  return [`note: ${version.text} requires ${needed.join(' and ')}; --machine judges that`];
}

function present(answered: Answered, options: ResolveOptions, { isTerminal }: World): Outcome {
  const { resolution } = answered;
  const problems = problemsOf(answered);
  const explained = options.explain ?? options.all ?? false;
  if (options.json) {
    const shown = resolution.kind === 'resolved' || explained;
    const answer = shown
      ? [jsonLine(resolutionDocument(answered, { withRefused: explained }))]
      : [];
    return { answer, notes: [], problems };
  }
  if (explained) {
    return { answer: explainAnswer(answered, { all: options.all ?? false }), notes: [], problems };
  }
  if (resolution.kind === 'unsatisfied') return { answer: [], notes: [], problems };
  return {
    answer: [resolution.release.version.text],
    notes: [
      ...(isTerminal ? [summarize(answered.moduleId, resolution)] : []),
      ...requirementNotes(answered, resolution.release),
    ],
    problems,
  };
}

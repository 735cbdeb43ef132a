import { withVersion, writtenVersion } from '../../config/module-version.ts';
import { withoutModule } from '../../config/removed-module.ts';
import { readJson } from '../../config/text/json-document.ts';
import { positionIn } from '../../config/text/position.ts';
import {
  formatConstraint,
  parseConstraint,
  parseModuleId,
  type Constraint,
  type Result,
} from '../../core/index.ts';
import { describeDecision } from '../../core/explanation/decision-words.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { jsonLine } from '../base/answer-json.ts';
import { failed, parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import { planFromSaved } from '../../host/plan/machine-plan.ts';
import { readPlanDocuments } from '../../host/plan-documents.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import { replaceFile } from '../../host/replace-file.ts';
import type { World } from '../../base/world.ts';
import {
  checkEdited,
  readEdited,
  type EditedMachine,
  type WrittenEntry,
} from './edited-machine.ts';

export interface EntryOptions extends RegistryOptions {
  readonly platform?: string;
  readonly dryRun?: true;
}

/** An entry of a machine config, as the arguments name it. */
interface Named {
  readonly named: string;
  readonly path: string;
}

/** A module entry, and the document that it is in. */
interface Found {
  readonly edited: EditedMachine;
  readonly entry: WrittenEntry;
  readonly place: number;
}

/** `modreg set <module> <constraint> [machine.json]`: changes the version of an entry, and nothing else in the document (D291). */
export async function setCommand(
  target: Named,
  text: string,
  options: EntryOptions,
  world: World,
): Promise<Outcome> {
  const constraint = parseConstraint(text);
  const found = entryOf(target, options);
  if (!constraint.ok || !found.ok) {
    return failed(
      ...(constraint.ok ? [] : [parseProblem(constraint.error)]),
      ...(found.ok ? [] : found.error),
    );
  }
  const { edited, entry } = found.value;
  const written = writtenVersion(edited.text, entry.name);
  if (entry.type !== 'registry' || !written) return failed(isLocal(entry));
  const version = formatConstraint(constraint.value);
  const unpublished = await pinProblem(found.value, constraint.value, options, world);
  if (unpublished?.severity === 'error') return failed(unpublished);
  const to = withVersion(edited.text, written, version);
  const saved = save(found.value, to, options);
  if (!saved.ok) return failed(saved.error);
  const { line } = positionIn(edited.text, written.offset);
  const change = `${excerpt(edited.file.path)}:${line} ${quote(written.version)} -> ${quote(version)}`;
  const file = { ...edited.file, bytes: Buffer.from(to) };
  const planned = await planFromSaved(
    target.path,
    options,
    world,
    readPlanDocuments(target.path, options, file),
  );
  const row = planned.ok && planned.value.plan.modules.find(({ name }) => name === entry.name);
  const decision = row ? summarizeDecision(row.decision) : undefined;
  const why = row ? describeDecision(row.decision) : undefined;
  const asJson = { from: written.version, to: version, decision, why };
  const lines = [change, ...(decision === undefined ? [] : [`planned: ${decision}: ${why}`])];
  const outcome = answered(found.value, { command: 'set', lines, asJson }, options);
  return { ...outcome, problems: [...outcome.problems, ...(unpublished ? [unpublished] : [])] };
}

/** Why an exact version cannot be set, or whether it can is not known; undefined otherwise. */
async function pinProblem(
  { edited, entry }: Found,
  constraint: Constraint,
  options: EntryOptions,
  world: World,
): Promise<Problem | undefined> {
  const moduleId = parseModuleId(entry.module_id);
  if (constraint.kind !== 'patch' || !moduleId.ok) return undefined;
  const { unpublishedPin } = await import('./published-pin.ts');
  const pin = { name: entry.name, moduleId: moduleId.value, constraint };
  return await unpublishedPin(edited, pin, options, world);
}

/** `modreg remove <module> [machine.json]`: removes an entry, and nothing else of the document (D291). */
export function removeCommand(target: Named, options: EntryOptions): Outcome {
  const found = entryOf(target, options);
  if (!found.ok) return failed(...found.error);
  const { edited, entry, place } = found.value;
  const to = withoutModule(edited.text, place);
  const used = componentsWithout(found.value, to);
  if (!used.ok) return failed(...used.error);
  const saved = save(found.value, to, options);
  if (!saved.ok) return failed(saved.error);
  const offset = readJson(edited.text).offsetOf(['modules', place], 'value');
  const { line } = positionIn(edited.text, offset);
  const what = `${entry.module_id} as ${excerpt(entry.name)}`;
  const lines = [`${excerpt(edited.file.path)}:${line} removed ${what}; its data stays`];
  return answered(found.value, { command: 'remove', lines, asJson: {} }, options);
}

/** The components that would lack their module only without the entry. */
function componentsWithout({ edited, entry }: Found, to: string): Result<void, Problem[]> {
  const [before, after] = [edited.text, to].map((text) =>
    checkEdited(edited, text, `without ${excerpt(entry.name)}`),
  );
  if (after?.ok === false) return { ok: false, error: [after.error] };
  const known = new Set(before?.ok ? before.value.map(placeless) : []);
  const fresh = after?.ok ? after.value.filter((one) => !known.has(placeless(one))) : [];
  if (fresh.length === 0) return { ok: true, value: undefined };
  const hint = 'remove these components first; nothing was changed';
  return {
    ok: false,
    error: fresh.map(({ message }) => {
      return { severity: 'error', kind: 'unknown-reference', message, hint };
    }),
  };
}

/** A message without the line and the column, which an edit moves. */
function placeless({ message }: Problem): string {
  return message.replace(/:\d+:\d+ /, ' ');
}

function entryOf({ named, path }: Named, { policy }: EntryOptions): Result<Found, Problem[]> {
  const edited = readEdited(path, policy);
  if (!edited.ok) return edited;
  const { modules, file } = edited.value;
  const byName = modules.filter(({ name }) => name === named);
  const [entry, other] =
    byName.length > 0 ? byName : modules.filter(({ module_id }) => module_id === named);
  if (entry && !other) {
    return { ok: true, value: { edited: edited.value, entry, place: modules.indexOf(entry) } };
  }
  const names = modules.map(({ name }) => name);
  const at = excerpt(file.path);
  const problem = other
    ? `${at} has several entries of ${quote(named)}; name one of them: ${names.join(', ')}`
    : `${at} has no module entry ${quote(named)}; nothing was changed`;
  const known = [...names, ...modules.map(({ module_id }) => module_id)];
  const suggestion = other ? undefined : nearestWord(named, known);
  return {
    ok: false,
    error: [{ severity: 'error', kind: 'unknown-reference', message: problem, suggestion }],
  };
}

function isLocal({ name }: WrittenEntry): Problem {
  const message = `the module entry ${excerpt(name)} is local, and has no version; nothing was changed`;
  return { severity: 'error', kind: 'usage', message };
}

/** Replaces the document, unless it would have errors, or nothing is to be changed. */
function save({ edited }: Found, to: string, { dryRun }: EntryOptions): Result<void, Problem> {
  const checked = checkEdited(edited, to);
  if (!checked.ok) return checked;
  const { path, bytes } = edited.file;
  if (dryRun || to === edited.text) return { ok: true, value: undefined };
  return replaceFile(path, { from: bytes, to });
}

interface Answer {
  readonly command: 'set' | 'remove';
  readonly lines: readonly string[];
  readonly asJson: object;
}

function answered(
  { edited, entry }: Found,
  { command, lines, asJson }: Answer,
  { json, dryRun }: EntryOptions,
): Outcome {
  const { name, module_id } = entry;
  const about = { file: edited.file.path, name, module_id, ...asJson, changed: !dryRun };
  const answer = json
    ? [jsonLine({ schema: `modreg/${command}@1`, ...about })]
    : [...lines, ...(dryRun ? ['nothing was changed'] : [])];
  return { answer, notes: [], problems: [...edited.warnings], ...(dryRun && { isData: true }) };
}

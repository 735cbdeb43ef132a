import type { ReleaseList } from '../../registry/registry.ts';
import { describeRefused } from '../../core/explanation/words.ts';
import {
  formatConstraint,
  indexReleases,
  parseModuleId,
  parseVersion,
  type Eligibility,
  type ModuleId,
  type Refused,
  type ReleaseIndex,
  type Resolution,
  type Result,
  type Version,
} from '../../core/index.ts';
import { publishedText } from '../../core/releases/refusal.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { compareVersionTypes, type TypeOutcome } from '../../core/releases/version-types.ts';
import { jsonLine } from '../base/answer-json.ts';
import { listAsJson, refusedAsJson } from '../../host/resolution-document.ts';
import { columnsOf } from '../base/columns.ts';
import {
  readListOptions,
  withList,
  type ListQuery,
  type ListOptions,
} from '../../host/list-options.ts';
import { tagsAlone } from '../../host/tags-alone.ts';
import { listWarnings, releaseWarnings } from '../../host/list-warnings.ts';
import { parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

export interface CompareOptions extends ListOptions {
  readonly deployed?: string;
}

/** A comparison of the version types of a module. */
interface Compared {
  readonly moduleId: ModuleId;
  readonly deployed: Version | undefined;
  readonly eligibility: Eligibility;
  readonly list: ReleaseList;
  readonly index: ReleaseIndex;
  readonly types: readonly TypeOutcome[];
}

/** How many skipped releases are named. */
const NAMED = 3;
const MOST_IN_JSON = 100;

/** `modreg compare <module_id>`: shows the release that each of the five version types selects, side by side. */
export async function compareCommand(
  moduleIdText: string,
  options: CompareOptions,
  world: World,
): Promise<Outcome> {
  const input = await readInput(moduleIdText, options, world);
  if (!input.ok) return { answer: [], notes: [], problems: input.error };
  const { moduleId, deployed, query } = input.value;
  const latest = { ...options, constraint: { kind: 'latest' } } as const;
  return await withList(query, moduleId, latest, (read, eligibility) => {
    const { list, problems: ofList } = tagsAlone(moduleId, read);
    const index = indexReleases(list.records);
    const types = compareVersionTypes(index, eligibility, deployed);
    const problems = [
      ...problemsOf(moduleId, types ?? []),
      ...listWarnings(moduleId, list, index),
      ...ofList,
    ];
    if (!types) return { answer: [], notes: [], problems };
    const compared = { moduleId, deployed, eligibility, list, index, types };
    const answer = options.json ? [asJson(compared)] : asTable(compared, world.columns);
    return { answer, notes: [], problems };
  });
}

async function readInput(
  moduleIdText: string,
  options: CompareOptions,
  world: World,
): Promise<
  Result<{ moduleId: ModuleId; deployed: Version | undefined; query: ListQuery }, Problem[]>
> {
  const moduleId = parseModuleId(moduleIdText);
  const deployed = options.deployed === undefined ? undefined : parseVersion(options.deployed);
  const query = await readListOptions(options, world);
  if (moduleId.ok && deployed?.ok !== false && query.ok) {
    const value = { moduleId: moduleId.value, deployed: deployed?.value, query: query.value };
    return { ok: true, value };
  }
  const problems = [
    ...(moduleId.ok ? [] : [parseProblem(moduleId.error)]),
    ...(deployed?.ok === false ? [parseProblem(deployed.error)] : []),
    ...(query.ok ? [] : query.error),
  ];
  return { ok: false, error: problems };
}

/** The error that no release may be selected, or the warnings about the releases that the types select. */
function problemsOf(moduleId: ModuleId, types: readonly TypeOutcome[]): Problem[] {
  const resolved = types.flatMap(({ resolution }) => {
    return resolution.kind === 'resolved' ? [resolution] : [];
  });
  const different = new Map(resolved.map((one) => [one.release.version.text, one]));
  if (different.size > 0) {
    return [...different.values()].flatMap((one) => releaseWarnings(moduleId, one));
  }
  const message = `${moduleId} has no release and no prerelease that may be selected`;
  const command = `modreg resolve ${moduleId} latest-with-prerelease --explain`;
  const hint = `${command}, with the same options, shows why`;
  return [{ severity: 'error', kind: 'no-match', message, hint }];
}

function asTable(
  { moduleId, deployed, list, index, types }: Compared,
  columns: number | undefined,
): string[] {
  const rows = types.map(cellsOf);
  const heads = ['TYPE', 'CONSTRAINT', 'SELECTS', 'RESTART NOW'];
  const line = columnsOf(heads, rows, columns);
  const entries = index.published === 1 ? 'entry' : 'entries';
  const from = `${index.published} ${entries} from ${list.from}`;
  const running = deployed ? `deployed ${deployed.text}` : 'not deployed';
  return [
    `${moduleId}   ${from}   ${running}`,
    '',
    ...line(heads),
    ...types.flatMap((type) => [...line(cellsOf(type)), ...skips(type)]),
  ];
}

function cellsOf({ constraint, resolution, restarts, isAhead }: TypeOutcome): string[] {
  const text = formatConstraint(constraint);
  return [constraint.kind, text, selected(resolution) ?? 'none', restartText(restarts, isAhead)];
}

function restartText(restarts: boolean | undefined, isAhead: boolean): string {
  if (restarts === undefined) return '-';
  if (restarts) return 'yes';
  return isAhead ? 'no, the deployed version is newer' : 'no';
}

/** Whether the version numbers of the constraint exclude the release. */
function isOutside({ reason }: Refused): boolean {
  return reason.startsWith('other-');
}

/** The newer releases that a type skips. Those that its version numbers exclude are only counted. */
function skips(type: TypeOutcome): string[] {
  const skipped = [...type.skipped()];
  const text = formatConstraint(type.constraint);
  const outside = skipped.filter(isOutside);
  const inside = skipped.filter((refused) => !isOutside(refused));
  const lines = inside.slice(0, NAMED).map((refused) => {
    return `${publishedText(refused)}: ${describeRefused(refused, type.constraint)}`;
  });
  if (inside.length > NAMED) lines.push(`${inside.length - NAMED} more`);
  const [newest] = outside;
  if (newest) {
    lines.push(`${outside.length} outside ${text}, up to ${publishedText(newest)}`);
  }
  return lines.map((line) => `      skips ${line}`);
}

function asJson({ moduleId, deployed, eligibility, list, types }: Compared): string {
  return jsonLine({
    schema: 'modreg/compare@1',
    module_id: moduleId,
    deployed: deployed?.text ?? null,
    platform: eligibility.platform ?? null,
    at: eligibility.notAfter === undefined ? null : formatTime(eligibility.notAfter),
    types: types.map(({ constraint, resolution, restarts, isAhead, ...type }) => {
      const skipped = [...type.skipped()];
      return {
        type: constraint.kind,
        constraint: formatConstraint(constraint),
        version: selected(resolution) ?? null,
        restarts: restarts ?? null,
        ahead: isAhead,
        skipped: skipped.length,
        skips: refusedAsJson(skipped.slice(0, MOST_IN_JSON), constraint),
      };
    }),
    list: listAsJson(list),
  });
}

function selected(resolution: Resolution): string | undefined {
  return resolution.kind === 'resolved' ? resolution.release.version.text : undefined;
}

import { expect, it } from 'vitest';
import { readUpdatePolicy } from '../../../../src/config/index.ts';
import type { Artifact, ModuleList, ModuleState, PlanInput } from '../../../../src/core/index.ts';
import type { LintFinding } from '../../../../src/core/lint/lint-finding.ts';
import { lint } from '../../../../src/core/lint/lint.ts';
import { satisfiesRange } from '../../../../src/registry/npm-range.ts';
import { entry, known, plan } from '../../../support/planned.ts';

export type Released = Parameters<typeof known>[1][number];

/** Files for another platform than that of the machine. */
export const FOR_OTHERS: readonly Artifact[] = [{ platform: 'linux/amd64' }];

/** A machine to check: its entries are named by the keys, each with its constraint and its list. */
export interface Row {
  readonly entries: Readonly<
    Record<string, readonly [constraint: string, list: readonly Released[], moduleId?: string]>
  >;
  readonly policy?: object;
  readonly deployed?: Readonly<Record<string, string>>;
  readonly more?: Partial<ModuleState>;
  /** What is known of each list besides its releases. */
  readonly list?: Partial<ModuleList>;
  readonly expected: readonly string[];
}

/** The findings in a few words: the kind, the entry, and what it is about. */
function found({ entries, policy = {}, deployed = {}, more = {}, list: about }: Row): string[] {
  const read = readUpdatePolicy(JSON.stringify(policy));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  const input: Partial<PlanInput> = {
    policy: read.value,
    requirements: { satisfies: satisfiesRange, systemTags: () => ['distro:debian'] },
  };
  const modules = Object.entries(entries).map(([name, [constraint, , id = `acme:${name}`]]) =>
    entry(id, constraint, name),
  );
  const states = Object.fromEntries(
    Object.entries(entries).map(([name, [, list]]) => {
      const state = known(deployed[name], list, more);
      return [name, { ...state, list: { ...state.list, ...about } }];
    }),
  );
  return lint(plan({ modules }, states, input)).map(told);
}

function told(finding: LintFinding): string {
  const { kind, row } = finding;
  const only = 'isOnly' in finding && finding.isOnly ? ' alone' : '';
  const about = [
    ...('version' in finding ? [finding.version.text] : []),
    ...('range' in finding ? [`${finding.of} ${finding.range}`] : []),
    ...('edit' in finding ? [finding.edit.kind] : []),
    ...('minor' in finding ? [`${finding.minor}`] : []),
    ...('instead' in finding ? [`else ${finding.instead?.text}`] : []),
    ...('refused' in finding && finding.refused ? [finding.refused.against.reason] : []),
    ...('other' in finding ? [`by ${finding.by.name}, not ${finding.other.name}`] : []),
    ...('steps' in finding
      ? finding.steps.map((step) => `${step.row.name} ${step.version.text}`)
      : []),
    ...('second' in finding
      ? [`${finding.second.range} and ${finding.first.range} of ${finding.first.row.name}`]
      : []),
  ];
  return [`${kind}${only} ${row.name}`, ...about].join(' ');
}

/** A test of each machine. */
export function check(rows: Readonly<Record<string, Row>>): void {
  it.each(Object.entries(rows))('%s', (_title, row) => {
    expect(found(row)).toEqual(row.expected);
  });
}

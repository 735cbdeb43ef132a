import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LintFinding } from '../../../src/core/lint/lint-finding.ts';
import { lint } from '../../../src/core/lint/lint.ts';
import { lacks } from '../../support/judged-requirements.ts';
import { machines, planOf, requiringMachines, type RandomMachine } from '../../support/machines.ts';
import { verdictOn } from '../../support/plan-judge.ts';
import type { RandomModule } from '../../support/random-modules.ts';
import { RUNS } from '../../support/runs.ts';

const MACHINES = { numRuns: RUNS.numRuns / 2 };

/** Refusals that end without anybody's help. */
const WAITING: ReadonlySet<string> = new Set([
  'too-young',
  'not-yet-published',
  'not-in-rollout',
  'rollout-halted',
  'rollout-unconfirmed',
  'behind-floor',
]);

function waits(reason: string, text: string, { list = [], clock }: RandomModule): boolean {
  // A release without a publish time never gets an age; one that has it gets one once the clock is right.
  const hasTime = list.some((one) => one.version === text && one.publishedAt !== undefined);
  return WAITING.has(reason) || (reason === 'unknown-age' && hasTime && clock !== undefined);
}

/** Whether the list of a module may be used. */
function isUsable({ now }: RandomMachine, { list, confirmedAt, terms }: RandomModule): boolean {
  const age = confirmedAt === undefined ? 0 : now - confirmedAt;
  return list !== undefined && age <= terms.maxIndexAgeMs && age >= -300_000;
}

it('[D115] nothing matches exactly where an independent judge finds only lasting reasons', () =>
  fc.assert(
    fc.property(machines, (machine) => {
      const expected = machine.modules.flatMap((module, place) => {
        if (machine.isDisabled || !isUsable(machine, module)) return [];
        const { chosen, refused } = verdictOn(machine, module);
        const mayChange = refused.some(({ reason, text }) => waits(reason, text, module));
        return chosen === undefined && !mayChange ? [`m${place}`] : [];
      });
      const found = lint(planOf(machine)).filter(({ kind }) => kind === 'nothing-matches');
      expect(found.map(({ row }) => row.name)).toEqual(expected);
    }),
    MACHINES,
  ));

/** Reasons for which this machine never runs a release, whatever is deployed. */
const NEVER: ReadonlySet<string> = new Set([
  'not-a-version',
  'conflicting-digest',
  'other-major',
  'other-minor',
  'other-version',
  'prerelease',
  'yanked',
  'no-artifact',
  'untrusted-artifact',
  'refused-by-site',
]);

type State = readonly (string | null | undefined)[];

/** Every version that a module can come to by single steps from what is deployed, each of which has what it requires at that moment. */
function reachable(machine: RandomMachine): ReadonlySet<string> {
  const { modules, tags = [] } = machine;
  const steps = modules.map((module) => {
    const { refused } = verdictOn({ ...machine, modules: undefined }, module);
    const never = new Set(
      refused.filter(({ reason }) => NEVER.has(reason)).map(({ text }) => text),
    );
    const texts = new Set((module.list ?? []).map(({ version }) => version));
    return [...texts].filter((text) => !never.has(text));
  });
  const mayRun = (place: number, text: string, state: State): boolean => {
    const deployed = new Map(state.map((one, at) => [`acme:m${at}`, [one]]));
    const entries = (modules[place]?.list ?? []).filter(({ version }) => version === text);
    return !lacks(entries, { deployed, tags });
  };
  const open: State[] = [modules.map(({ deployed }) => deployed)];
  const seen = new Set<string>();
  const found = new Set<string>();
  for (;;) {
    const state = open.pop();
    if (!state) return found;
    const key = JSON.stringify(state);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const [place, texts] of steps.entries()) {
      for (const text of texts.filter((one) => mayRun(place, one, state))) {
        found.add(`m${place} ${text}`);
        open.push(state.with(place, text));
      }
    }
  }
}

/** The releases of which a finding says that they are never selected for what they require. */
function saidUnreachable(finding: LintFinding): string[] {
  if (finding.kind === 'requires-cycle') {
    return finding.steps.map(({ row, version }) => `${row.name} ${version.text}`);
  }
  const row = finding.kind === 'excluded-entry' ? finding.by : finding.row;
  const isUnreachable =
    finding.kind === 'excluded-entry' || finding.kind === 'requirement-unreachable';
  return isUnreachable ? [`${row.name} ${finding.version.text}`] : [];
}

it('[D118] [D119] a release that is said to be out of reach is not reached by any sequence of steps', () =>
  fc.assert(
    fc.property(requiringMachines, (machine) => {
      const said = lint(planOf(machine)).flatMap(saidUnreachable);
      const found = said.length === 0 ? new Set<string>() : reachable(machine);
      expect(said.filter((one) => found.has(one))).toEqual([]);
    }),
    MACHINES,
  ));

import { parseVersion, type ModuleId } from '../../core/index.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { termInForce } from '../../core/releases/quarantine.ts';
import type { Quarantined } from '../../core/releases/eligibility-policy.ts';
import { firstFew } from '../../core/text/few.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { versionOfModule } from '../../host/machine-row.ts';
import { withState } from '../../host/open-state.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import { quarantineAsJson, quarantineTable } from './quarantine-table.ts';
import { timesOn } from '../../host/time-zones.ts';
import type { World } from '../../base/world.ts';

/** How many versions are named. */
const NAMED = 5;

interface Options {
  readonly json?: true;
}

/** `modreg quarantine list`: shows the versions that failed on this machine, and until when each is refused. */
export function quarantineListCommand({ json }: Options, world: World): Outcome {
  return withState(world, 'read', (state) => {
    const { quarantine } = state.memory();
    const schema = 'modreg/quarantine@1';
    const table = quarantineTable(quarantine, {
      times: timesOn(state, world),
      columns: world.columns,
    });
    const lines = table.length > 0 ? table : ['nothing is in quarantine'];
    const answer = json
      ? [jsonLine({ schema, quarantine: quarantine.map(quarantineAsJson) })]
      : lines;
    return { answer, notes: [], problems: [] };
  });
}

/** `modreg quarantine lift <module> <version>`: lets the version be selected again. */
export function quarantineLiftCommand(
  named: readonly [module: string, version: string],
  { json }: Options,
  world: World,
): Outcome {
  return withState(world, 'write', (state) => {
    const subject = versionOfModule(named, state);
    if (!subject.ok) return failed(...subject.error);
    const [id, text] = subject.value;
    const { quarantine } = state.memory();
    if (!state.lift(id, text)) return notInQuarantine(id, text, quarantine);
    const schema = 'modreg/quarantine-lift@1';
    const refused = quarantine.find((entry) => entry.moduleId === id && entry.version === text);
    const left = state.memory().quarantine.filter(({ moduleId }) => moduleId === id);
    const others = [...(refused?.rolledBack?.refused ?? [])].filter((one) => one !== text);
    const termOf = (one: string): Quarantined | undefined => termOn(one, left, world.clock());
    const line = `${id} ${liftedText(text, others, termOf)}`;
    const answer = json ? [jsonLine({ schema, module_id: id, version: text })] : [line];
    return { answer, notes: [], problems: [] };
  });
}

/** What still refuses a version, whatever its files are; undefined if nothing does. */
function termOn(
  text: string,
  quarantine: readonly QuarantineEntry[],
  now: number,
): Quarantined | undefined {
  const version = parseVersion(text);
  return version.ok ? termInForce(version.value, undefined, { quarantine, now }) : undefined;
}

/** Another entry may still refuse what a lifted one refused: `others` are the versions that a rollback refused with `version`. */
function liftedText(
  version: string,
  others: readonly string[],
  termOf: (version: string) => Quarantined | undefined,
): string {
  const term = termOf(version);
  const kept = others.filter((one) => termOf(one));
  const free = others.length - kept.length;
  const share = kept.length === 0 ? 'the' : `${free} of the`;
  return [
    term
      ? `${version} was lifted, but the rollback from ${term.version} still refuses it`
      : `${version} may be selected again`,
    ...(free === 0 || term
      ? []
      : [`, and so may ${share} ${countOf(others.length, 'version')} refused with it`]),
    ...(kept.length === 0 ? [] : [`; still refused: ${firstFew(kept, NAMED).join(', ')}`]),
  ].join('');
}

function notInQuarantine(
  id: ModuleId,
  text: string,
  quarantine: readonly QuarantineEntry[],
): Outcome {
  const subject = `${id} ${text}`;
  const rollback = quarantine.find(
    (entry) => entry.moduleId === id && entry.rolledBack?.refused?.has(text) === true,
  );
  if (rollback) {
    const message = `${subject} is refused by the rollback from ${rollback.version}`;
    const hint = `modreg quarantine lift ${id} ${rollback.version} ends it for all its versions`;
    return failed({ severity: 'error', kind: 'unknown-version', message, hint });
  }
  const message = `${subject} is not in quarantine on this machine`;
  const others = quarantine
    .slice(0, NAMED)
    .map(({ moduleId, version }) => `${moduleId} ${version}`);
  const hint =
    others.length === 0 ? 'no version is in quarantine' : `in quarantine: ${others.join(', ')}`;
  return failed({ severity: 'error', kind: 'unknown-version', message, hint });
}

import { parseModuleId, parseVersion, type ModuleId } from '../../core/index.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { jsonLine } from '../output/answer-json.ts';
import { countOf } from '../output/count.ts';
import { failed } from '../registry/catalogue-options.ts';
import { withState } from './open-state.ts';
import { parseProblem, type Outcome } from '../problem.ts';
import { quarantineAsJson, quarantineTable } from './quarantine-table.ts';
import type { World } from '../world.ts';

interface Options {
  readonly json?: true;
}

/** `modreg quarantine list`: shows the versions that failed on this machine, and until when each is refused. */
export function quarantineListCommand({ json }: Options, world: World): Outcome {
  return withState(world, 'read', (state) => {
    const { quarantine } = state.memory();
    const schema = 'modreg/quarantine@1';
    const table = quarantineTable(quarantine, world.clock());
    const lines = table.length > 0 ? table : ['nothing is in quarantine'];
    const answer = json
      ? [jsonLine({ schema, quarantine: quarantine.map(quarantineAsJson) })]
      : lines;
    return { answer, notes: [], problems: [] };
  });
}

/** `modreg quarantine lift <module_id> <version>`: lets the version be selected again. */
export function quarantineLiftCommand(
  moduleIdText: string,
  versionText: string,
  { json }: Options,
  world: World,
): Outcome {
  const moduleId = parseModuleId(moduleIdText);
  const version = parseVersion(versionText);
  if (!moduleId.ok || !version.ok) {
    const problems = [moduleId, version].flatMap((read) => (read.ok ? [] : [read.error]));
    return failed(...problems.map(parseProblem));
  }
  const [id, { text }] = [moduleId.value, version.value];
  return withState(world, 'write', (state) => {
    const { quarantine } = state.memory();
    if (!state.lift(id, text)) return notInQuarantine(id, text, quarantine);
    const schema = 'modreg/quarantine-lift@1';
    const refused = quarantine.find((entry) => entry.moduleId === id && entry.version === text);
    const others = [...(refused?.rolledBack?.refused ?? [])].filter((one) => one !== text).length;
    const also =
      others === 0 ? '' : `, and so may the ${countOf(others, 'version')} refused with it`;
    const line = `${id} ${text} may be selected again${also}`;
    const answer = json ? [jsonLine({ schema, module_id: id, version: text })] : [line];
    return { answer, notes: [], problems: [] };
  });
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
  const others = quarantine.slice(0, 5).map(({ moduleId, version }) => `${moduleId} ${version}`);
  const hint =
    others.length === 0 ? 'no version is in quarantine' : `in quarantine: ${others.join(', ')}`;
  return failed({ severity: 'error', kind: 'unknown-version', message, hint });
}

import { parseModuleId } from '../../core/index.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { isModel } from '../component.ts';
import type { Finding } from '../fault.ts';
import type { MachineOutline, ModuleOutline } from './outline.ts';

/** A modular model. The groups are the module id and the module's name. */
const TRIPLET = /^([^:]+:([^:]+)):[^:]+$/;
/** The most models for which a similar module id is searched: a report shows no more problems. */
const MOST_COMPARED = 50;

/**
 * Components whose module is missing, modules that no component uses, duplicate modules, and local modules
 * without a version. If an entry cannot be read, nothing is reported as missing: it may be that entry.
 */
export function modelFindings({ components, modules }: MachineOutline): Finding[] {
  const models = components.map(({ model }) => TRIPLET.exec(model));
  const used = new Set(models.map((triplet) => triplet?.[1]));
  // A config without components is of a machine whose programs need none.
  const everyModelIsRead = components.length > 0 && components.every(({ model }) => isModel(model));
  const missing = missingModules(models, modules);
  const everyModelHasItsModule = missing.every(({ kind }) => kind !== 'model-mismatch');
  return [
    ...missing,
    ...(everyModelIsRead && everyModelHasItsModule ? unusedModules(modules, used) : []),
    ...sharedModules(modules),
    ...localWithoutVersion(modules),
  ];
}

function missingModules(
  models: readonly (RegExpExecArray | null)[],
  modules: readonly ModuleOutline[],
): Finding[] {
  // For entries with the same module_id, the last one is used; any would do.
  const entries = new Map(modules.map(({ module_id }, index) => [module_id, index]));
  const ids = [...entries.keys()];
  if (!ids.every((id) => parseModuleId(id).ok)) return [];
  const byName = new Map(ids.map((id) => [id.slice(id.indexOf(':') + 1), id]));
  let compared = 0;
  return models.flatMap((triplet, index): Finding[] => {
    const [, moduleId = '', name = ''] = triplet ?? [];
    if (!parseModuleId(moduleId).ok || entries.has(moduleId)) return [];
    const path: Path = ['components', index, 'model'];
    const similar =
      byName.get(name) ?? (++compared <= MOST_COMPARED ? nearestWord(moduleId, ids) : undefined);
    if (similar === undefined) {
      const message = `no module entry has the module_id ${moduleId}`;
      return [
        {
          kind: 'unknown-reference',
          path,
          message,
          hint: 'add the module that provides this model',
        },
      ];
    }
    const message = `no module entry has the module_id ${moduleId}; the most similar one is ${similar}`;
    const also = ['modules', entries.get(similar) ?? 0, 'module_id'];
    return [{ kind: 'model-mismatch', path, message, also }];
  });
}

function unusedModules(
  modules: readonly ModuleOutline[],
  used: ReadonlySet<string | undefined>,
): Finding[] {
  return modules.flatMap(({ module_id }, index): Finding[] => {
    if (used.has(module_id) || !parseModuleId(module_id).ok) return [];
    const message = `no component uses a model of ${module_id}`;
    return [{ kind: 'unused-module', path: ['modules', index], message }];
  });
}

function sharedModules(modules: readonly ModuleOutline[]): Finding[] {
  const firsts = new Map<string, number>();
  return modules.flatMap(({ module_id }, index): Finding[] => {
    const first = firsts.get(module_id);
    if (first === undefined) firsts.set(module_id, index);
    if (first === undefined || module_id === '') return [];
    const message = 'another entry has this module_id; each is resolved separately';
    const path: Path = ['modules', index, 'module_id'];
    return [
      { kind: 'conflicting-constraints', path, message, also: ['modules', first, 'module_id'] },
    ];
  });
}

function localWithoutVersion(modules: readonly ModuleOutline[]): Finding[] {
  return modules.flatMap(({ type, version }, index): Finding[] => {
    if (type !== 'local' || version !== null) return [];
    const message =
      'version is missing; modreg does not use it for a local module, but the platform requires it';
    return [{ kind: 'missing-version', path: ['modules', index], message }];
  });
}

import type { ModuleId } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { RegistryError } from './registry-error.ts';

const LISTED = 10;

/** The error for a module that the registry `where` lacks. `known` lists its modules; undefined if they cannot be listed. */
export function unknownModule(
  where: string,
  moduleId: ModuleId,
  known: readonly ModuleId[] | undefined,
): RegistryError {
  const message = `${where} has no module ${moduleId}`;
  if (!known) return new RegistryError('unknown-module', message);
  return new RegistryError('unknown-module', message, {
    suggestion: nearestWord(moduleId, known),
    hint: inventory(namespaceOf(moduleId), known),
  });
}

function inventory(namespace: string, known: readonly ModuleId[]): string {
  const names = known.filter((id) => namespaceOf(id) === namespace).map(nameOf);
  if (names.length > 0) return `namespace ${namespace} has ${listed(names, 'module')}`;
  const namespaces = [...new Set(known.map(namespaceOf))];
  return namespaces.length > 0
    ? `there is no namespace ${namespace}; found ${listed(namespaces, 'namespace')}`
    : 'it has no modules';
}

/** `3 modules: arm, cam, lidar`. */
function listed(names: readonly string[], noun: string): string {
  const plural = names.length === 1 ? noun : `${noun}s`;
  const rest = names.length > LISTED ? ', …' : '';
  return `${names.length} ${plural}: ${names.toSorted().slice(0, LISTED).join(', ')}${rest}`;
}

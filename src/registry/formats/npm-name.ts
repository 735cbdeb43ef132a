import type { ModuleId } from '../../core/index.ts';
import { nameOf, namespaceOf } from '../../core/releases/module-id.ts';

/** The name of the package of a module: `@acme/lidar` for `acme:lidar`, and `lidar` for `npm:lidar`. */
export function npmName(moduleId: ModuleId): string {
  const namespace = namespaceOf(moduleId);
  return namespace === 'npm' ? nameOf(moduleId) : `@${namespace}/${nameOf(moduleId)}`;
}

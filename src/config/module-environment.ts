import type { Result } from '../core/index.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { expand, variablesIn, type Environment } from './fields/environment-reference.ts';
import { isForbidden } from './cross-checks/module-variables.ts';
import { isName } from './fields/name.ts';
import { platformHome } from './platform-home.ts';
import { quote } from '../core/text/quote.ts';

/** What a module's environment is made of, besides its entry. */
export interface ModuleContext {
  /** The agent's own variables. */
  readonly environment: Environment;
  /** One segment of a path: not empty, without a slash, and neither `.` nor `..`. */
  readonly machineId: string;
  /** The folder that the module is installed in; undefined for a local module. */
  readonly moduleRoot: string | undefined;
  /** Secrets of the agent that this module may read, by the update policy. */
  readonly envAllow: readonly string[];
}

/** Why there is no environment: a variable that is not set, or that the module may not read. */
export interface EnvironmentError {
  readonly kind: 'unset-variable' | 'forbidden-variable';
  /** The variable of the agent. */
  readonly variable: string;
  /** The variable of the module that reads it. */
  readonly reader: string;
}

/**
 * The variables that modreg sets for a module: the default ones, then those of the entry's `env`,
 * expanded, which win. A local module gets no PLATFORM_MODULE_ROOT but that of its `env`. All errors
 * are reported. Throws a RangeError for a machine id that is no segment of a path.
 * (Module entry, Default environment variables)
 */
export function moduleEnvironment(
  entry: ModuleEntry,
  ground: ModuleContext,
): Result<Readonly<Record<string, string>>, readonly EnvironmentError[]> {
  const defaults = defaultVariables(entry, ground);
  const errors: EnvironmentError[] = [];
  if (defaults === undefined) {
    errors.push({ kind: 'unset-variable', variable: 'HOME', reader: 'PLATFORM_HOME' });
  }
  const own = Object.entries(entry.env).map(([reader, template]): [string, string] => {
    const forbidden = variablesIn(template).find((name) => isForbidden(name, ground.envAllow));
    if (forbidden !== undefined) {
      errors.push({ kind: 'forbidden-variable', variable: forbidden, reader });
      return [reader, ''];
    }
    const value = expand(template, ground.environment);
    if (value.ok) return [reader, value.value];
    errors.push({ kind: 'unset-variable', variable: value.error, reader });
    return [reader, ''];
  });
  if (errors.length > 0) return { ok: false, error: errors };
  return { ok: true, value: { ...defaults, ...Object.fromEntries(own) } };
}

function defaultVariables(
  { name, moduleId, type }: ModuleEntry,
  { environment, machineId, moduleRoot }: ModuleContext,
): Record<string, string> | undefined {
  if (!isName(machineId)) throw new RangeError(`${quote(machineId)} is no segment of a path`);
  const home = platformHome(environment);
  if (home === undefined) return undefined;
  const hasRoot = type === 'registry' && moduleRoot !== undefined;
  return {
    PLATFORM_HOME: home,
    ...(hasRoot ? { PLATFORM_MODULE_ROOT: moduleRoot } : {}),
    PLATFORM_MODULE_DATA: `${home}/module-data/${machineId}/${name}/`,
    PLATFORM_MODULE_ID: moduleId,
  };
}

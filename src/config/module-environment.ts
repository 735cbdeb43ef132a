import type { Result } from '../core/index.ts';
import { expectMembers, FUNCTION, LIST, OBJECT, optional, TEXT } from '../core/text/argument.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { expand, variablesIn } from './text/environment-template.ts';
import { secretParts } from './text/secret-template.ts';
import { isForbidden } from './agent-secrets.ts';
import { isName } from './text/name.ts';
import { platformHome } from './platform-home.ts';
import { quote } from '../core/text/quote.ts';

/**
 * The environment variables of a module: `PLATFORM_HOME`, `PLATFORM_MODULE_ROOT` (not for a local module),
 * `PLATFORM_MODULE_DATA` and `PLATFORM_MODULE_ID`, then the entry's `env`, which overrides them. Each
 * `${environment.NAME}` is replaced by the exact value of the agent's variable, which is not expanded again; with `secretOf`, so is
 * each `${secret.NAME}`.
 *
 * The error lists every variable that is unset or forbidden, and every secret without a value. Throws a RangeError if `machineId` is not a single
 * path segment.
 *
 * @example
 * ```ts
 * import { moduleEnvironment, readMachine } from 'modreg/config';
 *
 * const machine = readMachine('{ "components": [], "modules": [] }');
 * if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join('\n'));
 * for (const entry of machine.value.modules) {
 *   const environment = moduleEnvironment(entry, {
 *     environment: process.env,
 *     machineId: 'rover-7',
 *     moduleRoot: entry.type === 'registry' ? `/opt/modules/${entry.name}` : undefined,
 *     envAllow: [],
 *   });
 *   console.log(environment.ok ? environment.value : environment.error);
 * }
 * ```
 */
export function moduleEnvironment(
  entry: ModuleEntry,
  context: {
    /** The agent's own variables. `PLATFORM_HOME` or `HOME` must be set. */
    readonly environment: Readonly<Record<string, string | undefined>>;
    /** The machine's id, a single path segment: not empty, without a slash, and neither `.` nor `..`. */
    readonly machineId: string;
    /** The folder that the module is installed in; undefined for a local module. */
    readonly moduleRoot: string | undefined;
    /** The agent's secret variables that this module may read: `envAllow` of the module's policy terms. */
    readonly envAllow: readonly string[];
    /** The value of `${secret.NAME}` for a variable of the module; undefined if there is none. By default such text stays as it is. */
    readonly secretOf?:
      ((entry: ModuleEntry, reader: string, name: string) => string | undefined) | undefined;
  },
): Result<
  Readonly<Record<string, string>>,
  readonly {
    /** Whether the variable is not set, or is a secret that `envAllow` does not list, or whether `secretOf` has no value. */
    readonly kind: 'unset-variable' | 'forbidden-variable' | 'missing-secret';
    /** The agent's variable, or the name of the secret. */
    readonly variable: string;
    /** The module's variable that reads it. */
    readonly reader: string;
  }[]
> {
  expectMembers('moduleEnvironment()', 'entry', entry, ENTRY);
  expectMembers('moduleEnvironment()', 'context', context, CONTEXT);
  const defaults = defaultVariables(entry, context);
  const errors: EnvironmentError[] = [];
  if (defaults === undefined) {
    errors.push({ kind: 'unset-variable', variable: 'HOME', reader: 'PLATFORM_HOME' });
  }
  const own = Object.entries(entry.env).map(([reader, template]): [string, string] => {
    const value = valueFor(entry, { reader, template }, context);
    if (value.ok) return [reader, value.value];
    errors.push({ ...value.error, reader });
    return [reader, ''];
  });
  if (errors.length > 0) return { ok: false, error: errors };
  return { ok: true, value: { ...defaults, ...Object.fromEntries(own) } };
}

const ENTRY = { name: TEXT, moduleId: TEXT, type: TEXT, env: OBJECT };
const CONTEXT = {
  environment: OBJECT,
  machineId: TEXT,
  moduleRoot: optional(TEXT),
  envAllow: LIST,
  secretOf: optional(FUNCTION),
};

/** A variable that prevents the environment from being built. */
type EnvironmentError = Extract<
  ReturnType<typeof moduleEnvironment>,
  { ok: false }
>['error'][number];

/** The value of one variable. Both kinds of references are replaced at once: no value is expanded again (D361). */
function valueFor(
  entry: ModuleEntry,
  { reader, template }: { readonly reader: string; readonly template: string },
  { environment, envAllow, secretOf }: ModuleContext,
): Result<string, Omit<EnvironmentError, 'reader'>> {
  const forbidden = variablesIn(template).find((name) => isForbidden(name, envAllow));
  if (forbidden !== undefined) return unread('forbidden-variable', forbidden);
  const parts = secretOf ? secretParts(template) : [template];
  let value = '';
  for (const [place, part] of parts.entries()) {
    const isSecret = place % 2 === 1;
    const secret = isSecret ? secretOf?.(entry, reader, part) : undefined;
    if (isSecret && secret === undefined) return unread('missing-secret', part);
    const text =
      secret === undefined ? expand(part, environment) : { ok: true as const, value: secret };
    if (!text.ok) return unread('unset-variable', text.error);
    value += text.value;
  }
  return { ok: true, value };
}

function unread(
  kind: EnvironmentError['kind'],
  variable: string,
): { readonly ok: false; readonly error: Omit<EnvironmentError, 'reader'> } {
  return { ok: false, error: { kind, variable } };
}

type ModuleContext = Parameters<typeof moduleEnvironment>[1];

function defaultVariables(
  { name, moduleId, type }: ModuleEntry,
  { environment, machineId, moduleRoot }: ModuleContext,
): Record<string, string> | undefined {
  if (!isName(machineId)) throw new RangeError(`${quote(machineId)} is not a single path segment`);
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

import type { ResolveOptions } from './resolve/resolve-command.ts';

/** What `modreg resolve` is called with. */
export interface PlainResolve {
  readonly operands: readonly [moduleId: string, constraint: string];
  readonly options: ResolveOptions & { readonly color: 'auto' };
}

const FLAGS: ReadonlyMap<string, 'json' | 'offline'> = new Map([
  ['--json', 'json'],
  ['--offline', 'offline'],
]);
const VALUES: ReadonlyMap<string, 'registry' | 'policy'> = new Map([
  ['--registry', 'registry'],
  ['--policy', 'policy'],
]);

/**
 * The arguments of a `resolve` as scripts call it; undefined for all that needs help, an error or another option, which the complete parser has.
 * Loading and running that takes a third of the time of such a command (D430).
 */
export function plainResolve([command, ...words]: readonly string[]): PlainResolve | undefined {
  if (command !== 'resolve') return undefined;
  const options: Record<string, string | true> = {};
  const operands: string[] = [];
  for (const rest = [...words]; rest.length > 0;) {
    const word = rest.shift() ?? '';
    const name = FLAGS.get(word) ?? VALUES.get(word);
    const value = VALUES.has(word) ? rest.shift() : true;
    if (!isPlain(value) || (name !== undefined && name in options)) return undefined;
    // An unknown option is no plain operand.
    if (name === undefined) operands.push(word);
    else options[name] = value;
  }
  const [moduleId, constraint, ...others] = operands;
  if (!isPlain(moduleId) || !isPlain(constraint) || others.length > 0) return undefined;
  return { operands: [moduleId, constraint], options: { color: 'auto', ...options } };
}

/** Whether a parser has no reason to take it for anything but a value. */
function isPlain<T extends string | true>(value: T | undefined): value is T {
  return value === true || (value !== undefined && /^[^-]/.test(value) && value !== 'help');
}

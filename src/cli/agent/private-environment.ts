import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { isSecretVariable } from '../../config/agent-secrets.ts';
import type { World } from '../../base/world.ts';

/** Where the environment of a process begins and ends, counted from the third field of `/proc/<pid>/stat`. */
const BEGIN = 47;
const END = 48;

/**
 * The same world with an environment of its own. The secrets leave that of this process, which programs such as `sync` get,
 * and `/proc/<pid>/environ`, which modules of the same user can read (T272). `warning` names those that it still shows.
 */
export function withPrivateEnvironment(world: World): {
  readonly world: World;
  readonly warning: string | undefined;
} {
  const environment = { ...world.environment };
  const secrets = new Set(Object.keys(environment).filter(isSecretVariable));
  for (const name of secrets) delete process.env[name];
  try {
    overwrite(secrets);
  } catch {
    // There is no /proc, or the memory of this process cannot be opened: what is still shown says so.
  }
  return { world: { ...world, environment }, warning: warningAbout(shownOf(secrets)) };
}

/** Overwrites variables where the kernel shows them. Nothing in this process reads them there: they were deleted. */
function overwrite(names: ReadonlySet<string>): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The second field is the name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [begin, end] = [Number(fields[BEGIN]), Number(fields[END])];
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    const block = Buffer.alloc(end - begin);
    readSync(memory, block, 0, block.length, begin);
    for (const { name, at, length } of variablesIn(block)) {
      if (names.has(name)) writeSync(memory, Buffer.alloc(length), 0, length, begin + at);
    }
  } finally {
    closeSync(memory);
  }
}

function variablesIn(
  block: Buffer,
): { readonly name: string; readonly at: number; readonly length: number }[] {
  let at = 0;
  return block
    .toString('latin1')
    .split('\0')
    .map((text) => {
      const variable = { name: text.split('=', 1)[0] ?? '', at, length: text.length };
      at += text.length + 1;
      return variable;
    });
}

/** Modules of an agent that is root run as another user, or may read all of its memory. */
function warningAbout(shown: readonly string[]): string | undefined {
  if (shown.length === 0 || process.getuid?.() === 0) return undefined;
  const place = `/proc/${process.pid}/environ`;
  return `${shown.join(', ')} cannot be removed from ${place}, where modules can read it: put it into a credentials file or a token file instead`;
}

function shownOf(names: ReadonlySet<string>): string[] {
  try {
    const shown = variablesIn(readFileSync('/proc/self/environ'));
    return shown.flatMap(({ name }) => (names.has(name) ? [name] : []));
  } catch {
    // Nothing shows the environments of processes.
    return [];
  }
}

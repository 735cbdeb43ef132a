import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A usage error, with a message of one line. */
class UsageError extends Error {}

/** Parses the options in `config`. `--help` prints `help` and exits with 0; an unknown option exits with 2. */
export function optionsOf<T extends ParseArgsConfig>(
  config: T,
  help: string,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.includes('--help')) {
    console.log(help);
    process.exit(0);
  }
  return orUsage(() => parseArgs(config));
}

/** Parses a whole number of at least `least`; any other text prints a message and exits with 2. */
export function wholeNumber(name: string, text: string, least: number): number {
  return orUsage(() => {
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new UsageError(
      `${name} must be a whole number of at least ${least}, not ${JSON.stringify(text)}`,
    );
  });
}

/** Parses the name of one of `items`; any other text prints a message and exits with 2. */
export function oneOf<T extends { readonly name: string }>(
  option: string,
  text: string,
  items: readonly T[],
): T {
  return orUsage(() => {
    const item = items.find(({ name }) => name === text);
    if (item) return item;
    const names = items.map(({ name }) => name).join(', ');
    throw new UsageError(`${option} must be one of ${names}, not ${JSON.stringify(text)}`);
  });
}

/**
 * Runs the program that the first argument names, with the other arguments; without such a name, the program '' with all of
 * them. If there is none, it prints the names, and exits with 0 for `--help` and with 2 otherwise.
 */
export async function runNamed(
  programs: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const [, , name = ''] = process.argv;
  if (name !== '' && Object.hasOwn(programs, name)) {
    process.argv.splice(2, 1);
    await programs[name]?.();
  } else if (programs['']) {
    await programs['']();
  } else {
    console.log(
      `name one of ${Object.keys(programs).join(', ')}; --help after it lists its options`,
    );
    process.exitCode = name === '--help' ? 0 : USAGE;
  }
}

const USAGE = 2;

function orUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!(error instanceof UsageError) && !code.startsWith('ERR_PARSE_ARGS')) throw error;
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(USAGE);
  }
}

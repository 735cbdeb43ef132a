import { parseArgs, type ParseArgsConfig } from 'node:util';

/** What was asked for cannot be done; the message says why, in one line. */
class UsageError extends Error {}

/** The options of a tool, as `config` has them. `--help`, and whatever it does not have, ends the process. */
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

/** A whole number from `least` on, or the end of the process with a line that says so. */
export function wholeNumber(name: string, text: string, least: number): number {
  return orUsage(() => {
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new UsageError(
      `${name} takes a whole number from ${least} on, not ${JSON.stringify(text)}`,
    );
  });
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

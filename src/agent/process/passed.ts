import { excerpt } from '../../core/text/quote.ts';
import type { LaunchFailure } from './runnable.ts';

/** The kernel passes on no string that is longer. The shell would say so as if the program had ended (T271). */
const LONGEST_STRING = 131_071;
/** What it passes on in all, where a stack has the usual 8 MiB: of each string also its end and its address. */
const LONGEST_ALL = 2_097_152;
const PER_STRING = 9;

/** What a program is to get. */
interface Passed {
  readonly environment: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
  readonly folder: string;
}

/** Why the kernel would not give a program its variables and arguments, which are those of its entry; undefined if it would. */
export function whyNotPassed({
  environment,
  arguments: args,
}: Pick<Passed, 'environment' | 'arguments'>): LaunchFailure | undefined {
  const variables = Object.entries(environment).map(([name, value]) => ({
    bytes: Buffer.byteLength(`${name}=${value}`),
    what: `the variable ${name} has`,
    more: ' with its name',
  }));
  const words = args.map((text, at) => ({
    bytes: Buffer.byteLength(text),
    what: `its argument ${at + 1} has`,
    more: '',
  }));
  const strings = [...variables, ...words];
  const all = strings.reduce((sum, { bytes }) => sum + bytes + PER_STRING, 0);
  const long = strings.find(({ bytes }) => bytes > LONGEST_STRING);
  if (long) return refused(`${long.what} ${long.bytes} bytes${long.more}`, LONGEST_STRING);
  return all > LONGEST_ALL
    ? refused(`its variables and arguments have ${all} bytes in all`, LONGEST_ALL)
    : undefined;
}

function refused(what: string, most: number): LaunchFailure {
  return { blame: 'machine', reason: `${what}, expected at most ${most}` };
}

/** Why the system did not start a program, in words. */
export function whyNotSpawned(error: unknown, { folder }: Pick<Passed, 'folder'>): string {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  // The program is there: it was read before.
  if (code === 'ENOENT') return `its folder ${excerpt(folder)} is not there (ENOENT)`;
  return `the system does not start it (${excerpt(code)})`;
}

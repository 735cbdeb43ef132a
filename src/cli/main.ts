import { inspect, styleText } from 'node:util';
import { escapeUnprintable, excerpt } from '../core/text/quote.ts';
import { EXIT_CODES } from './codes.ts';
import { presentationOf, type Presentation } from './output/presentation.ts';
import { exitCodeOf, formatProblem, problemAsJson, type Outcome, type Problem } from './problem.ts';
import { runCommandLine } from './program.ts';

type Paint = (line: string) => string;

/**
 * Runs the command line as a process. Only this module writes output and sets the exit code. It escapes
 * every line it writes.
 */
export async function run(process: NodeJS.Process): Promise<void> {
  const { stdout, stderr } = process;
  const argv = process.argv.slice(2);
  const presentation = presentationOf(argv);
  const report = (notes: readonly string[], problems: readonly Problem[]): void => {
    const lines = presentation.isJson
      ? problems.map(problemAsJson)
      : problems.flatMap(formatProblem);
    const paint = isColoured(stderr, presentation, process) ? paintProblem : asIs;
    write(stderr, [...notes, ...lines], paint);
  };
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // The reader closed the pipe, so it needs no more output.
    if (code === 'EPIPE') return;
    process.exitCode = EXIT_CODES.internal;
    const message = `cannot write the answer (${code})`;
    report([], [{ severity: 'error', kind: 'internal', message }]);
  });
  // There is no stream left to report this on. The answer and the exit code stay as they are.
  stderr.on('error', () => undefined);

  const outcome = await outcomeOf(argv, presentation, process);
  const { answer, notes, problems } = outcome;
  process.exitCode = exitCodeOf(outcome);
  write(stdout, answer, isColoured(stdout, presentation, process) ? paintAnswer : asIs);
  report(notes, problems);
}

async function outcomeOf(
  argv: readonly string[],
  { isDebug }: Presentation,
  process: NodeJS.Process,
): Promise<Outcome> {
  try {
    return await runCommandLine(argv, {
      environment: process.env,
      platform: `${process.platform}/${process.arch}`,
      isTerminal: process.stderr.isTTY,
      clock: Date.now,
      print: (line) => write(process.stdout, [line], asIs),
      note: (line) => write(process.stderr, [line], asIs),
      untilSignal: async () =>
        await new Promise((resolve) => {
          process.once('SIGINT', resolve);
          process.once('SIGTERM', resolve);
        }),
      untilStdoutCloses: async () =>
        await new Promise((resolve) => {
          process.stdout.once('error', () => resolve());
        }),
    });
  } catch (error) {
    const problem = {
      severity: 'error',
      kind: 'internal',
      message: `this is a bug in modreg: ${excerpt(String(error))}`,
      because: isDebug ? inspect(error).split('\n') : [],
      hint: 'run the command again with --debug and report its output',
    } as const;
    return { answer: [], notes: [], problems: [problem] };
  }
}

function write(stream: NodeJS.WriteStream, lines: readonly string[], paint: Paint): void {
  if (lines.length === 0) return;
  stream.write(`${lines.map((line) => paint(escapeUnprintable(line))).join('\n')}\n`);
}

function isColoured(
  stream: NodeJS.WriteStream,
  { colour }: Presentation,
  { env }: NodeJS.Process,
): boolean {
  if (colour !== 'auto') return colour === 'always';
  return stream.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

const asIs: Paint = (line) => line;

const paintAnswer: Paint = (line) =>
  /^ {2}\S+ +YES {2}/.test(line)
    ? styled('green', line)
    : line.replace(/(?<=^\S+:\d+:\d+ +)(error|warning)\[\w+\]/, paintLabel);

const paintProblem: Paint = (line) => line.replace(/^(error|warning)\[\w+\]:/, paintLabel);

function paintLabel(label: string, severity: string): string {
  return styled(severity === 'error' ? 'red' : 'yellow', label);
}

function styled(colour: 'green' | 'red' | 'yellow', text: string): string {
  return styleText(colour, text, { validateStream: false });
}

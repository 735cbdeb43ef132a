import { inspect, styleText } from 'node:util';
import { escapeUnprintable, excerpt } from '../core/quote.ts';
import { exitCodeOf, formatProblem, problemAsJson, type Outcome } from './problem.ts';
import { runCommandLine } from './program.ts';

type Paint = (line: string) => string;

/**
 * The command line as a process: the only place that writes, and that sets the exit code. Every line
 * leaves it escaped.
 */
export async function run(process: NodeJS.Process): Promise<void> {
  const { stdout, stderr } = process;
  const argv = process.argv.slice(2);
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever read has read enough.
      if (error.code === 'EPIPE') return;
      process.exitCode = 70;
      if (stream === stdout)
        write(stderr, [`error[INTERNAL]: cannot write the answer (${error.code})`], asIs);
    });
  }

  const { answer, notes, problems } = await outcomeOf(argv, process);
  process.exitCode = exitCodeOf(problems);
  const told = argv.includes('--json')
    ? problems.map(problemAsJson)
    : problems.flatMap(formatProblem);
  write(stdout, answer, isColoured(stdout, argv, process) ? paintAnswer : asIs);
  write(stderr, [...notes, ...told], isColoured(stderr, argv, process) ? paintProblem : asIs);
}

async function outcomeOf(argv: readonly string[], process: NodeJS.Process): Promise<Outcome> {
  try {
    return await runCommandLine(argv, {
      environment: process.env,
      platform: `${process.platform}/${process.arch}`,
      isTerminal: process.stderr.isTTY,
      clock: Date.now,
    });
  } catch (error) {
    const problem = {
      severity: 'error',
      kind: 'internal',
      message: `this is a mistake in modreg: ${excerpt(String(error))}`,
      hint: 'run it again with --debug and report what it prints',
    } as const;
    const stack = argv.includes('--debug') ? inspect(error).split('\n') : [];
    return { answer: [], notes: stack, problems: [problem] };
  }
}

function write(stream: NodeJS.WriteStream, lines: readonly string[], paint: Paint): void {
  if (lines.length === 0) return;
  stream.write(`${lines.map((line) => paint(escapeUnprintable(line))).join('\n')}\n`);
}

// Looked up rather than parsed, because a command line that cannot be parsed is answered in it too.
function isColoured(
  stream: NodeJS.WriteStream,
  argv: readonly string[],
  { env }: NodeJS.Process,
): boolean {
  const [, when] = /--color[= ](always|never)/.exec(argv.join(' ')) ?? [];
  if (when !== undefined) return when === 'always';
  return stream.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

const asIs: Paint = (line) => line;

const paintAnswer: Paint = (line) =>
  /^ {2}\S+ +YES {2}/.test(line) ? styled('green', line) : line;

const paintProblem: Paint = (line) =>
  line.replace(/^(error|warning)\[\w+\]:/, (label, severity) =>
    styled(severity === 'error' ? 'red' : 'yellow', label),
  );

function styled(colour: 'green' | 'red' | 'yellow', text: string): string {
  return styleText(colour, text, { validateStream: false });
}

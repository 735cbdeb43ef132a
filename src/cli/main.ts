import { existsSync } from 'node:fs';
import { clockStateOf } from './clock-state.ts';
import { inspect } from 'node:util';
import { escapeUnprintable, excerpt } from '../core/text/quote.ts';
import { EXIT_CODES } from '../base/codes.ts';
import { boundedLog } from './base/bounded-log.ts';
import { systemClock, systemRandom } from '../registry/clock.ts';
import { asIs, paintAnswer, paintLog, paintProblem, paintState, type Paint } from './base/paint.ts';
import { outputOf, type Output } from './base/output.ts';
import { presentationOf, type Presentation } from './base/presentation.ts';
import { untilReaderLeaves } from './base/reader.ts';
import { statusLine } from './base/status-line.ts';
import { columnsOf, isColoured } from './base/terminal.ts';
import { wrapped } from './base/wrap.ts';
import {
  exitCodeOf,
  formatProblem,
  problemAsJson,
  UNREAD,
  type Outcome,
  type Problem,
} from '../base/problem.ts';
import { systemTags } from './system-tags.ts';
import { userName, type SystemUser } from './user-name.ts';
import { plainResolve } from './plain-resolve.ts';
import type { EndSignal, World } from '../base/world.ts';

/** How long the reader of a log may take for its last lines. */
const READER_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the command line as a process, of whose world `parts` are replaced. Only this module writes output and sets the exit
 * code. It escapes every line it writes.
 */
export async function run(process: NodeJS.Process, parts: Partial<World> = {}): Promise<void> {
  const argv = process.argv.slice(2);
  const presentation = presentationOf(argv);
  const report = (notes: readonly string[], problems: readonly Problem[]): void => {
    const lines = presentation.isJson
      ? problems.map(problemAsJson)
      : problems.flatMap(formatProblem);
    const paint = isColoured(stderr, presentation, process) ? paintProblem : asIs;
    const width = columnsOf(stderr, presentation, process);
    write(stderr.finish, [...notes, ...lines], { paint, width });
  };
  let broken: number | undefined;
  let hint: string | undefined;
  const stdout = outputOf(process, 'stdout', ({ code }) => {
    if (broken !== undefined) return;
    // The reader needs no more output, and no message. The exit code says that it did not get everything.
    process.exitCode = broken = code === 'EPIPE' ? UNREAD : EXIT_CODES.internal;
    if (code === 'EPIPE' && hint === undefined) return;
    const message = `cannot write the answer (${code})`;
    report([], [{ severity: 'error', kind: 'internal', message, hint }]);
  });
  // There is no stream left to report an error of this one on. The answer and the exit code stay as they are.
  const stderr = outputOf(process, 'stderr', () => undefined);

  const world = { ...worldOf(process, presentation, { stdout, stderr }), ...parts };
  const outcome = await outcomeOf(argv, presentation, world);
  const { answer, notes, problems, isData, isLog } = outcome;
  hint = outcome.ifLost;
  process.exitCode = broken ?? exitCodeOf(outcome);
  const isPainted = isColoured(stdout, presentation, process);
  const width = isData ? undefined : columnsOf(stdout, presentation, process);
  // The reader of a log is not waited for.
  const put = isLog ? stdout.write : stdout.finish;
  write(put, answer, { paint: isPainted ? paintingOf(outcome) : asIs, width });
  report(notes, problems);
  // Node would wait for the reader of a pipe, and a log may have none.
  if (isLog) setTimeout(() => process.exit(), READER_MS).unref();
}

function paintingOf({ states }: Outcome): (line: string, whole: string) => string {
  return (line, whole) => {
    const state = states?.get(whole);
    return state ? paintState(line, state) : paintLog(paintAnswer(line));
  };
}

async function outcomeOf(
  argv: readonly string[],
  presentation: Presentation,
  world: World,
): Promise<Outcome> {
  try {
    return await outcomeIn(argv, world);
  } catch (error) {
    const problem = {
      severity: 'error',
      kind: 'internal',
      message: `this is a bug in modreg: ${excerpt(String(error))}`,
      because: presentation.isDebug ? inspect(error).split('\n') : [],
      hint: 'run the command again with --debug and report its output',
    } as const;
    return { answer: [], notes: [], problems: [problem] };
  }
}

async function outcomeIn(argv: readonly string[], world: World): Promise<Outcome> {
  const plain = plainResolve(argv);
  if (plain) {
    const { resolveCommand } = await import('./resolve/resolve-command.ts');
    return await resolveCommand(...plain.operands, plain.options, world);
  }
  const { runCommandLine } = await import('./program.ts');
  return await runCommandLine(argv, world);
}

/** Read only by the few commands that need it. */
function systemUser(): SystemUser {
  const { userInfo } = process.getBuiltinModule('node:os');
  return { info: userInfo, uid: process.getuid?.() };
}

type Outputs = Readonly<Record<'stdout' | 'stderr', Output>>;

function worldOf(process: NodeJS.Process, presentation: Presentation, outputs: Outputs): World {
  const { stdout, stderr } = outputs;
  const { env } = process;
  const logs: Partial<Record<'stdout' | 'stderr', ReturnType<typeof boundedLog>>> = {};
  const status = statusLine(stdout, env);
  const widthOf = (stream: Output): number | undefined => columnsOf(stream, presentation, process);
  const paintOn = (stream: Output): Paint =>
    isColoured(stream, presentation, process) ? paintLog : asIs;
  return {
    environment: env,
    platform: `${process.platform}/${process.arch}`,
    isTerminal: stderr.isTTY,
    isAnswerShown: stdout.isTTY,
    columns: widthOf(stdout),
    clock: Date.now,
    timer: systemClock,
    random: systemRandom,
    clockState: clockStateOf(Date.now),
    userName: () => userName(systemUser()),
    hasSystemd: () => existsSync('/run/systemd/system'),
    systemTags: () => systemTags('/', process.arch),
    print: (line) =>
      write(stdout.write, [line], { paint: paintOn(stdout), width: widthOf(stdout) }),
    note: (line) => write(stderr.write, [line], { paint: asIs, width: widthOf(stderr) }),
    log: (name, line, lost) => {
      const log = logs[name] ?? boundedLog(outputs[name].stream());
      logs[name] = log;
      const text = paintOn(outputs[name])(escapeUnprintable(line));
      status.around(() => log(text, (count) => escapeUnprintable(lost(count))));
    },
    status: (text) => status.show(text && escapeUnprintable(text)),
    untilSignal: async (nth = 1) => await nthSignal(process, outputs, nth),
    untilStdoutCloses: async () => await untilClosed(process, stdout),
  };
}

async function untilClosed(process: NodeJS.Process, stdout: Output): Promise<void> {
  const failed = new Promise<void>((resolve) => {
    stdout.stream().once('error', () => resolve());
  });
  await Promise.race([failed, untilReaderLeaves(process)]);
}

async function nthSignal(
  process: NodeJS.Process,
  { stdout, stderr }: Outputs,
  nth: number,
): Promise<EndSignal> {
  // A signal ends what waits for one, whatever the readers do.
  stdout.stream();
  stderr.stream();
  return await new Promise((resolve) => {
    let seen = 0;
    const onSignal = (signal: EndSignal): void => {
      // A terminal that closes sends SIGHUP several times: it asks for no haste (T348).
      if (signal === 'SIGHUP' && (seen > 0 || nth > 1)) return;
      seen += 1;
      if (seen < nth) return;
      // Without a listener, the next signal ends the process.
      for (const name of SIGNALS) if (name !== 'SIGHUP') process.off(name, onSignal);
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, onSignal);
  });
}

function write(
  put: (text: string) => void,
  lines: readonly string[],
  {
    paint,
    width,
  }: {
    /** Writes a line, which is a part of `whole` if that is wrapped, in colour. */
    readonly paint: (line: string, whole: string) => string;
    readonly width: number | undefined;
  },
): void {
  if (lines.length === 0) return;
  const fitting = lines.flatMap((whole) =>
    wrapped(escapeUnprintable(whole), width).map((line) => paint(line, whole)),
  );
  put(`${fitting.join('\n')}\n`);
}

import type { DocumentKind } from '../config/index.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { ParseError } from '../core/index.ts';
import { textOf } from '../core/text/time-words.ts';
import type { Complaint } from '../core/explanation/complaint.ts';
import type { ParseErrorKind } from '../core/text/parse-error.ts';
import { escapeUnprintableInJson } from '../core/text/quote.ts';
import { EXIT_CODES, printedCode, type ErrorKind, type WarningKind } from './codes.ts';

/** An error or a warning as data. */
export type Problem = {
  /** What was found and where, in one escaped line. */
  readonly message: string;
  /** The input, the position at which parsing stopped, and what was expected there. */
  readonly input?: { readonly text: string; readonly position: number; readonly expected: string };
  readonly because?: readonly string[];
  /** The nearest value that would be accepted. */
  readonly suggestion?: string | undefined;
  /** What to do next. */
  readonly hint?: string | undefined;
  /** The name of the module entry or the subsystem that it alone concerns; absent if it concerns others too, or none. */
  readonly of?: string;
  /** The kind of the document whose errors the problem reports. */
  readonly document?: DocumentKind | undefined;
} & (
  | { readonly severity: 'error'; readonly kind: ErrorKind }
  | { readonly severity: 'warning'; readonly kind: WarningKind }
);

/** A word of a line that says a state, and how urgent that is. */
export interface StateWord {
  readonly word: string;
  readonly urgency: 'attention' | 'waiting' | 'settled';
}

/** The result of a command. */
export interface Outcome {
  /** Lines for stdout. */
  readonly answer: readonly string[];
  /** What lines of the answer say of a state, by the line: a terminal shows it in colour (D391). */
  readonly states?: ReadonlyMap<string, StateWord> | undefined;
  /** Further lines for a person, on stderr. */
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
  /** What to do if the answer cannot be written, and cannot be repeated. */
  readonly ifLost?: string;
  /** Whether the answer is text for programs, which is never wrapped. */
  readonly isData?: true;
  /** Whether the output was a log, whose reader the process does not wait for. */
  readonly isLog?: true;
  /**
   * How the command ended, unless an error says it: with the answer "no", with replacements pending, with a machine that needs attention, with another
   * decision than the recorded one, interrupted, or because nobody reads the answer.
   */
  readonly ending?:
    'no' | 'pending' | 'attention' | 'different' | 'interrupted' | 'unread' | undefined;
}

const LONGEST_FIRST_LINE = 300;
const PENDING = 10;
const DIFFERENT = 11;
const ATTENTION = 12;
const INTERRUPTED = 130;
/** As of a process that SIGPIPE ends. */
export const UNREAD = 141;
/** Input that a caret can point into: printable ASCII that fits on one line. */
const POINTABLE = /^[ -~]{1,80}$/;

// Not made from the table of types, which loads the parser: `modreg --version` needs neither.
const ACCEPTED_CONSTRAINTS = 'X.Y.Z   X.Y.*   X.*   latest   latest-with-prerelease';

/** The exit code for an outcome: that of its first error, if it has one. */
export function exitCodeOf({ problems, ending }: Outcome): number {
  const error = problems.find((problem) => problem.severity === 'error');
  if (error) return EXIT_CODES[error.kind];
  if (ending === 'interrupted') return INTERRUPTED;
  if (ending === 'unread') return UNREAD;
  if (ending === 'pending') return PENDING;
  if (ending === 'attention') return ATTENTION;
  if (ending === 'different') return DIFFERENT;
  return ending === 'no' ? EXIT_CODES['no-match'] : 0;
}

/** The lines that show `problem` to a person. */
export function formatProblem(problem: Problem): string[] {
  const { severity, kind, message, input, because = [], suggestion, hint } = problem;
  const first = `${severity}[${printedCode(kind)}]: ${message}`;
  return [
    first.length > LONGEST_FIRST_LINE ? `${first.slice(0, LONGEST_FIRST_LINE - 1)}…` : first,
    ...(input ? formatInput(input) : []),
    ...because.map((line, place) => (place === 0 ? `  because ${line}` : `  ${line}`)),
    ...(suggestion === undefined ? [] : [`  did you mean ${suggestion} ?`]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...(kind === 'bad-constraint' ? [`accepted: ${ACCEPTED_CONSTRAINTS}`] : []),
  ];
}

/** `problem` as one line of JSON: `{"error":{"code":"NO_MATCH",…}}`. */
export function problemAsJson(problem: Problem): string {
  const { severity, kind, message, input, because = [], suggestion, hint } = problem;
  const body = {
    code: printedCode(kind),
    message,
    input: input ?? null,
    because,
    suggestion: suggestion ?? null,
    hint: hint ?? null,
  };
  return escapeUnprintableInJson(JSON.stringify({ [severity]: body }));
}

/** The problem of a command whose arguments cannot be used together, or as they are. */
export function usage(message: string, hint?: string): Problem {
  return { severity: 'error', kind: 'usage', message, hint };
}

/** The outcome of a command that has only problems. */
export function failed(...problems: readonly Problem[]): Outcome {
  return { answer: [], notes: [], problems };
}

export function parseProblem(error: ParseError<ErrorKind & ParseErrorKind>): Problem {
  const { kind, message, text, position, expected, suggestion } = error;
  return { severity: 'error', kind, message, input: { text, position, expected }, suggestion };
}

/** Why a request was not sent, if that is a problem of this machine: a token that others can read is one, whichever command needs it (T518). */
export class OwnProblem extends Error {
  override readonly name = 'OwnProblem';
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The kind that a command prints for an error of a registry. */
export function printedKind(error: RegistryError): ErrorKind {
  const { cause, kind } = error;
  if (cause instanceof OwnProblem) return cause.kind;
  // The same error with a hint is caused by the one without.
  const isSame = cause instanceof RegistryError && cause.kind === kind;
  return isSame ? printedKind(cause) : kind;
}

export function registryProblem(error: RegistryError): Problem {
  const { message, suggestion, hint } = error;
  return { severity: 'error', kind: printedKind(error), message, suggestion, hint };
}

/** `more` is how a person sees the releases that the complaint leaves out; `shown` is how times are, in UTC by default. */
export function complaintProblem(
  { kind, message, because, unnamed, hint }: Complaint,
  {
    more = '--explain --all',
    shown,
  }: { readonly more?: string; readonly shown?: (ms: number) => string } = {},
): Problem {
  const lines = because.map((line) => textOf(line, shown));
  const rest = unnamed === 0 ? [] : [`… ${unnamed} more (${more})`];
  const text = textOf(message, shown);
  return { severity: 'error', kind, message: text, because: [...lines, ...rest], hint };
}

function formatInput({ text, position, expected }: NonNullable<Problem['input']>): string[] {
  if (!POINTABLE.test(text)) return [`  expected ${expected}, at character ${position + 1}`];
  return [`  ${text}`, `  ${' '.repeat(position)}^ expected ${expected}`];
}

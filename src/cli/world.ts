/** The machine and the process that a command runs in. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** In the words of Node: `linux/x64`. */
  readonly platform: string;
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Prints a line of the answer at once, for a command that continues afterwards. */
  print(line: string): void;
  /** Prints a line on stderr at once. */
  note(line: string): void;
  /** Resolves with the signal when the process receives SIGINT or SIGTERM. */
  untilSignal(): Promise<'SIGINT' | 'SIGTERM'>;
  /** Resolves when the reader of stdout closes it, as `| head` does. */
  untilStdoutCloses(): Promise<void>;
}

/** What a command knows of the machine and the process that it runs in. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As Node names it: `linux/x64`. */
  readonly platform: string;
  /** Whether a person reads stderr as it comes. */
  readonly isTerminal: boolean;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Prints a line of the answer at once, as a command does that goes on afterwards. */
  print(line: string): void;
  /** Tells a person something at once. */
  note(line: string): void;
  /** Resolves when the process is asked to end, with the signal that asks. */
  untilAsked(): Promise<'SIGINT' | 'SIGTERM'>;
  /** Resolves when nobody reads stdout any more, as after `| head`. */
  untilUnread(): Promise<void>;
}

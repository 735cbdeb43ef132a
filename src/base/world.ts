import type { ClockState } from '../registry/certain-clock.ts';
import type { Clock } from '../registry/clock.ts';

/** A signal that ends a command: SIGHUP, of a terminal that closes, as SIGTERM does. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The machine and the process that a command runs in. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** In the words of Node: `linux/x64`. */
  readonly platform: string;
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean;
  /** Whether stdout is a terminal: what it shows is not kept in a journal. */
  readonly isAnswerShown: boolean;
  /** The width that lines for a person are wrapped to; undefined if stdout is not a terminal, and COLUMNS is not set. */
  readonly columns: number | undefined;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Elapsed time, and sleep. */
  readonly timer: Pick<Clock, 'monotonic' | 'sleep'>;
  /** A number from 0 to 1. */
  random(): number;
  /** Whether something keeps the machine's clock right; absent if that cannot be found out. */
  clockState?(): ClockState;
  /** The name of the user of this process, as the system knows it, else `uid 1001`; absent if that cannot be found out. */
  userName?(): string;
  /** Whether systemd manages the services of the machine; absent if that cannot be found out. */
  hasSystemd?(): boolean;
  /** What the machine's system is tagged with: `distro:debian`, `arch:amd64-v3`; absent if nothing. */
  systemTags?(): readonly string[];
  /** Prints a line of the answer at once, for a command that continues afterwards. */
  print(line: string): void;
  /** Prints a line on stderr at once. */
  note(line: string): void;
  /**
   * Writes a line of a log. It is dropped while the reader of `stream` is too far behind; `lost` words the number of
   * dropped lines for the reader. The process then ends without waiting for the reader.
   */
  log(stream: 'stdout' | 'stderr', line: string, lost: (count: number) => string): void;
  /** Shows `text` below the log on stdout if that is a terminal, in place of what it showed; undefined shows nothing. */
  status(text: string | undefined): void;
  /**
   * Resolves with the signal when the process receives the first, or the nth, of these signals from now on. The signals
   * before it do not end the process. SIGHUP is never more than the first.
   */
  untilSignal(nth?: number): Promise<EndSignal>;
  /** Resolves when the reader of stdout closes it, as `| head` does. */
  untilStdoutCloses(): Promise<void>;
}

/** The source of time of what a command runs. */
export function clockOf(world: World): Clock {
  return { ...world.timer, now: () => world.clock() };
}

/** What a command knows of the machine and the process that it runs in. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As Node names it: `linux/x64`. */
  readonly platform: string;
  /** Whether a person reads stderr as it comes. */
  readonly isTerminal: boolean;
  /** Milliseconds since the epoch. */
  clock(): number;
}

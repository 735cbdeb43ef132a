import { formatTime } from '../text/rfc3339.ts';

/** What a site can have a machine do, in the order in which its page offers them. */
export const COMMAND_KINDS = [
  'hold',
  'unhold',
  'upgrade',
  'restart',
  'rollback',
  'unquarantine',
] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** What operators sign of a command to a machine. Times are milliseconds since the epoch. */
export interface SignedCommand {
  readonly machine: string;
  /** 16 random bytes in base64url, so that no other command has it. */
  readonly id: string;
  readonly kind: string;
  /** Undefined for the whole machine. */
  readonly module: string | undefined;
  readonly version: string | undefined;
  readonly givenAt: number;
  readonly expiresAt: number;
  readonly reason: string;
}

/** The text that operators of the site `name` sign (D392). As JSON, each text of a person is one line. */
export function commandText(name: string, command: SignedCommand): string {
  const { machine, id, kind, module, version, givenAt, expiresAt, reason } = command;
  const what = [kind, JSON.stringify(module ?? null), JSON.stringify(version ?? null)];
  const times = [formatTime(givenAt), formatTime(expiresAt)];
  const lines = [name, machine, id, ...what, ...times, JSON.stringify(reason)];
  return `modreg/command@1\n${lines.join('\n')}\n`;
}

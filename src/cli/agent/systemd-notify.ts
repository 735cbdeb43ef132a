import { execFile } from 'node:child_process';
import type { World } from '../../base/world.ts';

/** Tells systemd that the agent runs: once when it is ready, and then so often that the watchdog does not end it. */
export interface SystemdNotify {
  readonly ready: () => void;
  readonly stop: () => void;
}

const MICROSECONDS = 1000;
const PATH = '/usr/bin:/bin';
/** A message that takes longer is not waited for. */
const LIMIT_MS = 10_000;

/**
 * Sends the messages of a service of type `notify`; none if it is not one. Node has no datagram sockets of Unix, so
 * `systemd-notify` sends each message. `onTrouble` is called once with what it answers.
 */
export function systemdNotify(
  { environment }: World,
  onTrouble: (reason: string) => void,
): SystemdNotify {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: limit } = environment;
  if (!socket) return { ready: () => undefined, stop: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  let hasTrouble = false;
  const send = (message: string): void => {
    const args = [`--pid=${process.pid}`, message];
    const options = { env: { PATH, NOTIFY_SOCKET: socket }, cwd: '/', timeout: LIMIT_MS };
    execFile('systemd-notify', args, options, (error) => {
      if (error && !hasTrouble)
        onTrouble(`systemd is not told that the agent runs: ${error.message}`);
      hasTrouble = error !== null;
    });
  };
  return {
    ready: () => {
      send('READY=1');
      const watchdogMs = Number(limit) / MICROSECONDS;
      if (watchdogMs > 0) timer = setInterval(() => send('WATCHDOG=1'), watchdogMs / 3);
    },
    stop: () => clearInterval(timer),
  };
}

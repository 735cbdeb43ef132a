import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { runIdOf } from './process-table.ts';
import type { RunAs } from './run-as.ts';

/** Where a module opens its socket, in a folder that only its user can enter. */
export interface ReadySocket {
  readonly path: string;
  readonly close: () => void;
}

const SOCKET = 'module.sock';
/** The kernel accepts no path of a socket that is longer. */
const LONGEST_PATH = 107;
/** Others must be able to pass through to a folder of theirs, whatever the umask is. */
const PARENT_MODE = 0o711;
/** What `tmpdir` answers where nothing else is said. It is cleaned from time to time. */
const SHARED = '/tmp';

interface Place {
  /** What the path of a folder for a socket begins with. */
  readonly prefix: string;
  /** Whether the folder that contains it is of this agent alone. */
  readonly isOwn: boolean;
}

/** Where sockets can be, the best place first. What an operator chose with TMPDIR is the only one. */
function placesFor(home: string, isRoot: boolean): Place[] {
  const chosen = tmpdir();
  if (chosen !== SHARED) return [{ prefix: join(chosen, 'modreg-'), isOwn: false }];
  const run = { prefix: `/run/modreg-${runIdOf(home)}/`, isOwn: true };
  const own = { prefix: join(home, 'sockets/'), isOwn: true };
  const shared = { prefix: join(SHARED, 'modreg-'), isOwn: false };
  return isRoot ? [run, own, shared] : [own, shared];
}

/** Creates a folder for the socket of a module of `home`, or says why there is none (T350). */
export function readySocket({
  home,
  runAs,
  isRoot = process.getuid?.() === 0,
}: {
  /** Of the agent. */
  readonly home: string;
  readonly runAs: RunAs | undefined;
  readonly isRoot?: boolean;
}): Result<ReadySocket, string> {
  const found: string[] = [];
  for (const place of placesFor(home, isRoot)) {
    const parent = dirname(`${place.prefix}x`);
    if (Buffer.byteLength(`${place.prefix}XXXXXX/${SOCKET}`) > LONGEST_PATH) {
      found.push(
        `${excerpt(parent)} (the path of the socket is longer than ${LONGEST_PATH} bytes)`,
      );
      continue;
    }
    try {
      return { ok: true, value: socketIn(place, parent, runAs) };
    } catch (error) {
      found.push(`${excerpt(parent)} (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  const error = `no folder for its socket can be created in ${found.join(', or in ')}; create it, or start the agent with TMPDIR set to another one`;
  return { ok: false, error };
}

const prepared = new Set<string>();

function socketIn({ prefix, isOwn }: Place, parent: string, runAs: RunAs | undefined): ReadySocket {
  if (isOwn && !prepared.has(parent)) {
    // An agent that was killed has left its folders.
    rmSync(parent, { recursive: true, force: true });
    prepared.add(parent);
  }
  if (isOwn && !existsSync(parent)) {
    mkdirSync(parent);
    chmodSync(parent, PARENT_MODE);
  }
  const folder = mkdtempSync(prefix);
  if (runAs) chownSync(folder, runAs.uid, runAs.gid);
  return {
    path: join(folder, SOCKET),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The fourth field of a socket that accepts connections. */
const ACCEPTS = '00010000';

/** Whether a process listens on a socket whose file is gone: something has cleaned its folder (T350). */
export function listensUnseen(path: string): boolean {
  return readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .some((line) => line.endsWith(` ${path}`) && line.split(/ +/)[3] === ACCEPTS);
}

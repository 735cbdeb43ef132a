import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { logDestination } from '../../config/log-destination.ts';
import { LOCAL_MACHINE } from '../../config/machine-id.ts';
import type { UpdatePolicy } from '../../config/index.ts';
import { secret, type Secret } from '../../core/text/secret.ts';
import { LOG_FILE } from '../../logs/log-file.ts';
import type { Destination } from '../../logs/log-sender.ts';
import { LogUpload } from '../../logs/log-upload.ts';
import { logWriter } from '../../logs/log-writer.ts';
import { systemClock, systemRandom } from '../../registry/clock.ts';
import type { LoggedLine } from '../poll/poll-report.ts';
import { ownVersion } from '../version.ts';
import type { Credentials } from '../../host/credentials.ts';
import { machineKeyFor } from '../../host/registry-token.ts';
import { fetchIn } from '../../base/network.ts';
import type { World } from '../../base/world.ts';

/** The log of an agent: each line that it prints is kept, and sent where the policy says. */
export interface AgentLog {
  readonly onLine: (line: LoggedLine) => void;
  /** Sends the log where `policy` says, from now on. */
  readonly follow: (policy: UpdatePolicy) => void;
  /** Writes what waits, and sends it if that takes at most two seconds. */
  readonly close: () => Promise<void>;
}

interface LogPlace {
  readonly statePath: string;
  readonly machineId: string | undefined;
  /** The value of `--registry`. */
  readonly registry: string | undefined;
  /** The credentials of the machine. */
  readonly machine: Credentials | undefined;
}

/** The log of the machine whose state is at `statePath`. */
export function agentLog(
  { statePath, machineId = LOCAL_MACHINE, ...owner }: LogPlace,
  world: World,
  onNotice: (level: 'info' | 'warn', text: string) => void,
): AgentLog {
  const path = join(dirname(statePath), LOG_FILE);
  const writer = logWriter(path, (reason) => onNotice('warn', reason));
  let isOver = false;
  const upload = new LogUpload(path, {
    source: { machineId, host: hostname(), version: ownVersion() },
    clock: systemClock,
    random: systemRandom,
    fetch: fetchIn(world),
    onNotice: (level, text) => {
      // The writer is closed before the last lines are sent.
      if (!isOver) onNotice(level, text);
    },
  });
  return {
    onLine({ at, level, target, name, version, text }) {
      writer.write({ at, severity: level, module: target, event: name, version, text });
      upload.wake();
    },
    follow: (policy) => {
      const keyFor = (endpoint: string): Secret | undefined =>
        machineKeyFor(endpoint, world, owner);
      upload.follow(withKey(logDestination(policy, world.environment), keyFor));
    },
    async close() {
      isOver = true;
      writer.close();
      await upload.close();
    },
  };
}

/** Where logs are sent; the registry of the machine gets its key, unless the policy has another authorization (D309). */
function withKey(
  destination: Destination,
  keyFor: (endpoint: string) => Secret | undefined,
): Destination {
  if (!destination.ok || !destination.value) return destination;
  const { endpoint, headers } = destination.value;
  const isAuthorized = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const key = isAuthorized ? undefined : keyFor(endpoint);
  if (!key) return destination;
  const authorization = secret(`Bearer ${key.reveal()}`);
  return { ok: true, value: { endpoint, headers: { ...headers, authorization } } };
}

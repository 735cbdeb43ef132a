import { spawnSync } from 'node:child_process';

/** The first one of which a server syncs each message before it acknowledges it. */
const OLDEST = [2, 10, 27] as const;

/** The programs that the tests of a cluster start. */
export interface Programs {
  readonly natsServer: string;
  readonly nginx: string;
}

/** The programs that MODREG_NATS_SERVER and MODREG_NGINX name, or those in PATH; or the sentence that says what is missing. */
export function programs(): Programs | string {
  const { MODREG_NATS_SERVER: natsServer = 'nats-server', MODREG_NGINX: nginx = 'nginx' } =
    process.env;
  const found = versionOf(natsServer, '--version', /v(\d+)\.(\d+)\.(\d+)/);
  const trouble = found ? tooOld(natsServer, found) : `there is no program ${natsServer}`;
  const missing = trouble ?? (versionOf(nginx, '-v', /./) ? undefined : `there is no ${nginx}`);
  if (missing === undefined) return { natsServer, nginx };
  return `${missing}: run eval "$(tools/cluster/unpack-servers /tmp/servers)" first`;
}

function versionOf(program: string, flag: string, pattern: RegExp): string[] | undefined {
  const { stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' });
  // Of a program that cannot be started, both are null.
  return (
    pattern.exec([stdout, stderr].filter((text) => typeof text === 'string').join('')) ?? undefined
  );
}

function tooOld(program: string, [, ...numbers]: readonly string[]): string | undefined {
  const place = numbers.findIndex((part, index) => Number(part) !== OLDEST[index]);
  if (place === -1 || Number(numbers[place]) > (OLDEST[place] ?? 0)) return undefined;
  return `${program} is ${numbers.join('.')}, expected at least ${OLDEST.join('.')}`;
}

import type { Result } from '../../core/text/result.ts';
import { runProgram, type SystemHost } from './host.ts';
import type { Observation, RoamingCommand } from './roaming.ts';

const CONNECTIVITY = ['full', 'limited', 'portal', 'none', 'unknown'] as const;
const PHYSICAL = new Set(['802-11-wireless', '802-3-ethernet', 'gsm', 'cdma', 'bluetooth']);

/** The fields of a line of `nmcli --terse`, which puts a backslash before each colon and backslash of a value. */
export function terseFields(line: string): string[] {
  const fields = [''];
  for (const [part, escaped] of line.matchAll(/\\(.)|[^]/g)) {
    if (part === ':') fields.push('');
    else fields.push(`${fields.pop()}${escaped ?? part}`);
  }
  return fields;
}

/** The connectivity, and the connections, in the output of two commands; undefined if it is not such output. */
export function observationIn(connectivity: string, active: string): Observation | undefined {
  const word = CONNECTIVITY.find((one) => one === connectivity.trim());
  if (word === undefined) return undefined;
  const lines = active.split('\n').filter((line) => line !== '');
  return {
    connectivity: word,
    active: lines
      .map(terseFields)
      .map(([uuid = '', type = '', state = '']) => ({
        uuid,
        isUp: state === 'activated',
        isPhysical: PHYSICAL.has(type),
      })),
  };
}

const FIELDS = ['-f', 'UUID,TYPE,STATE'];

/** Asks NetworkManager. */
export async function observe(host: SystemHost): Promise<Result<Observation, string>> {
  const connectivity = await nmcli(host, ['networking', 'connectivity', 'check']);
  if (!connectivity.ok) return connectivity;
  const active = await nmcli(host, [...FIELDS, 'connection', 'show', '--active']);
  if (!active.ok) return active;
  const observation = observationIn(connectivity.value, active.value);
  if (observation) return { ok: true, value: observation };
  return { ok: false, error: 'nmcli printed an unknown connectivity' };
}

/** Carries out a command, without waiting for the connection. */
export async function command(
  host: SystemHost,
  { kind, uuid }: RoamingCommand,
): Promise<Result<string, string>> {
  const change = kind === 'close-hotspot' ? 'down' : 'up';
  return await nmcli(host, ['--wait', '0', 'connection', change, 'uuid', uuid]);
}

/** Whether NetworkManager says of a connection that it is metered, or guesses so; not if it cannot be asked. */
export async function isMetered(host: SystemHost): Promise<boolean> {
  const shown = await nmcli(host, ['-f', 'GENERAL.METERED', 'device', 'show']);
  return shown.ok && /^GENERAL\.METERED:yes/m.test(shown.value);
}

/** Has NetworkManager read its keyfiles again. */
export async function reload(host: SystemHost): Promise<Result<string, string>> {
  return await nmcli(host, ['connection', 'reload']);
}

async function nmcli(host: SystemHost, words: readonly string[]): Promise<Result<string, string>> {
  return await runProgram(host, ['nmcli', '--terse', ...words]);
}

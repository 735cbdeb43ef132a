import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { BREAKS, FLOODS, HONEST, STALLS, type WireFault } from '../../mocks/hostile-answers.ts';
import { wireServer } from '../../mocks/wire-server.ts';

/** The result of one hostile response, read in a separate process. */
export interface HostileRow {
  readonly fault: string;
  readonly outcomes: readonly string[];
  /** The median time of a read, in milliseconds. */
  readonly ms: number;
  /** The most memory above idle, in MiB. */
  readonly mib: number;
}

const READER = fileURLToPath(new URL('hostile-reader.ts', import.meta.url));

export const HOSTILE: Readonly<Record<string, () => WireFault>> = {
  ...FLOODS,
  ...STALLS,
  ...BREAKS,
};

/** Reads each hostile response `times` times, for `patience` times 1.5 s, in a separate process with a heap limit of 64 MiB. */
export async function readHostile(
  hostile: Readonly<Record<string, () => WireFault>>,
  times: number,
  patience = 1,
): Promise<HostileRow[]> {
  const faults = Object.entries(hostile);
  const made = faults.map(([, make]) => make());
  const server = await wireServer();
  server.answer((socket, request) => {
    const [, place] = /wire\/f(\d+) /.exec(request) ?? [];
    (made[Number(place)] ?? HONEST)(socket, request);
  });
  const rows: HostileRow[] = [];
  for (const [place, [fault]] of faults.entries()) {
    const row = await readOnce([server.address, String(times), `wire:f${place}`, String(patience)]);
    rows.push({ ...row, fault });
  }
  await server.close();
  return rows;
}

async function readOnce(given: readonly string[]): Promise<Omit<HostileRow, 'fault'>> {
  const flags = ['--max-old-space-size=64', '--expose-gc'];
  const args = [...flags, READER, ...given];
  const reader = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(reader.stdout)) as Omit<HostileRow, 'fault'>;
}

/*
 * Memory of `modreg poll` with 1,000 modules of 1,000 releases each, once it has read all lists: `node command.ts`; append
 * `<modules> <releases>` for other sizes. Prints rows as JSON.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { moduleEntries, openSite } from './publishing.ts';
import { printRows } from '../row.ts';

const [, , modules = '1000', releases = '1000'] = process.argv;
const MODREG = join(import.meta.dirname, '../../bin/modreg.mjs');
const LIMITS_MIB = { plain: 200, signed: 290 } as const;
/** It looks every ten seconds whether its heap grew. */
const SETTLED_MS = 30_000;

/** Resident memory in MiB: `peak` until the first action, and a while later. */
async function memoryOf(kind: 'plain' | 'signed'): Promise<{ peak: number; settled: number }> {
  const site = await openSite(Number(modules), Number(releases), kind);
  const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-poll-'));
  const path = (name: string): string => join(folder, name);
  const entries = moduleEntries(Number(modules));
  writeFileSync(path('machine.json'), JSON.stringify({ modules: entries }));
  writeFileSync(path('policy.json'), JSON.stringify(site.policy));
  const last = Number(releases) - 1;
  const newest = `1.${Math.trunc(last / 100)}.${last % 100}`;
  const deployed = Object.fromEntries(entries.map(({ name }) => [name, newest]));
  writeFileSync(path('deployed.json'), JSON.stringify(deployed));
  // What it does about this release says that it has read all lists.
  site.publish('bench:m0', '1.999.0');
  const documents = [path('machine.json'), '--deployed', path('deployed.json')];
  const poller = spawn(
    process.execPath,
    [MODREG, 'poll', ...documents, '--exec', '/bin/true', '--platform', 'linux/arm64'],
    { env: { ...process.env, PLATFORM_HOME: path('home') }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    for (let lines = ''; !lines.includes('1.999.0');) {
      const [chunk] = (await once(poller.stdout, 'data')) as [Buffer];
      lines += chunk.toString();
    }
    await sleep(SETTLED_MS);
    const status = readFileSync(`/proc/${poller.pid}/status`, 'utf8');
    return { peak: mib(status, 'VmHWM'), settled: mib(status, 'VmRSS') };
  } finally {
    poller.kill();
    await once(poller, 'exit');
    site.close();
    rmSync(folder, { recursive: true });
  }
}

function mib(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}

const rows = [];
for (const kind of ['plain', 'signed'] as const) {
  const { peak, settled } = await memoryOf(kind);
  rows.push({
    measured: `memory of modreg poll, ${Number(modules).toLocaleString('en')} modules with ${Number(releases).toLocaleString('en')} releases each, ${kind === 'plain' ? 'unsigned' : 'signed'}`,
    figure: `${settled.toFixed(0)} MiB resident, ${peak.toFixed(0)} MiB at most`,
    target: `< ${LIMITS_MIB[kind]} MiB`,
    isMet: settled < LIMITS_MIB[kind],
  });
}
printRows(rows);

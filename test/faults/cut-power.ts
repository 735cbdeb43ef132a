import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { openForPoller, type ClaimedFile } from '../../src/store/index.ts';
import { agentScene } from './agent-scene.ts';
import { described } from './agent-task.ts';
import { changesIn, recordingArguments, type FileChange } from './recorded-writes.ts';
import { runRecorded } from './run-traced.ts';

const SECTOR = 512;
const STATE_FILES = ['', '-wal', '-journal', '.creating'].map((suffix) => `machine.db${suffix}`);

/** What a disk has of a file, and the changes that are not synced. */
interface DiskFile {
  synced: Buffer;
  pending: FileChange[];
}

/** What is wrong after a loss of power, at the change with this number. */
export interface PowerCut {
  readonly change: number;
  readonly findings: readonly string[];
}

/** Runs an agent that polls the registry at `address`, and returns every change that it made to files. */
export async function recordAgent(address: string): Promise<FileChange[]> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-recorded-`);
  const scene = agentScene(address);
  await scene.prepare(folder);
  const paths = [
    ...STATE_FILES.map((name) => `${folder}/home/${name}`),
    `${folder}/home.outside/log`,
  ];
  const log = `${folder}/calls`;
  const ended = await runRecorded(recordingArguments(paths, log), scene.command(folder));
  const findings = await scene.judge(folder, ended);
  if (findings.length > 0) throw new Error(findings.join('; '));
  const changes = changesIn(log);
  rmSync(folder, { recursive: true });
  return changes;
}

/**
 * Cuts the power after a random change: of what is not synced, each sector of each write is on the disk or not. Files are
 * created and removed at once.
 */
export function cutPower(changes: readonly FileChange[], random: () => number): PowerCut {
  const change = Math.floor(random() * (changes.length + 1));
  const files = new Map<string, DiskFile>();
  const outside: Buffer[] = [];
  for (const one of changes.slice(0, change)) {
    if (one.name === 'log' && one.kind === 'append') outside.push(one.bytes);
    else if (STATE_FILES.includes(one.name)) applyTo(files, one);
  }
  const folder = mkdtempSync(`${tmpdir()}/modreg-cut-`);
  for (const [name, { synced, pending }] of files) {
    const bytes = pending.reduce((before, one) => changed(before, one, random), synced);
    writeFileSync(`${folder}/${name}`, bytes);
  }
  const facts = Buffer.concat(outside).toString().split('\n');
  const findings = judged(`${folder}/machine.db`, facts);
  rmSync(folder, { recursive: true });
  return { change, findings };
}

function applyTo(files: Map<string, DiskFile>, one: FileChange): void {
  const file = files.get(one.name) ?? { synced: Buffer.alloc(0), pending: [] };
  if (one.kind === 'remove') {
    files.delete(one.name);
    return;
  }
  files.set(one.name, file);
  if (one.kind === 'sync') {
    file.synced = file.pending.reduce((before, each) => changed(before, each), file.synced);
    file.pending = [];
  } else if (one.kind !== 'create') file.pending.push(one);
}

/** The bytes after a change; with `random`, after some sectors of it. */
function changed(before: Buffer, one: FileChange, random?: () => number): Buffer {
  if (one.kind === 'truncate') {
    return random && random() < 0.5 ? before : before.subarray(0, one.size);
  }
  if (one.kind !== 'write') return before;
  const { at, bytes } = one;
  // All of it, nothing, or some sectors.
  const share = random ? [0, 0.5, 1][Math.floor(random() * 3)] : 1;
  let after = before;
  for (let start = 0; start < bytes.length; start += SECTOR) {
    if (random && random() >= (share ?? 1)) continue;
    const part = bytes.subarray(start, start + SECTOR);
    const grown = Buffer.alloc(Math.max(after.length, at + start + part.length));
    after.copy(grown);
    part.copy(grown, at + start);
    after = grown;
  }
  return after;
}

function judged(path: string, facts: readonly string[]): string[] {
  let file: ClaimedFile;
  try {
    file = openForPoller(path);
  } catch (error) {
    return [`the file does not open: ${String(error)}`];
  }
  try {
    const { setAside, lostRows } = file;
    if (setAside) return [`the file is set aside: ${setAside.because}`];
    return [...lostRows, ...facts.flatMap((fact) => factFindings(file, fact))];
  } finally {
    file.close();
  }
}

/** What the file does not have of a fact that the outside knows. */
function factFindings(file: ClaimedFile, fact: string): string[] {
  const [what, id = '', name = '', , times = ''] = fact.split(' ');
  if (what !== 'delivered' && what !== 'acknowledged') return [];
  const [identity, number = ''] = id.split('-');
  const row = file.sql.get(
    'SELECT state, deliveries, failures FROM actions, identity WHERE file = ? AND number = ?',
    identity ?? '',
    Number(number),
  );
  const found = `${fact}: the file has ${JSON.stringify(row)}; ${described(file)}`;
  if (!row) return [found];
  if (what === 'delivered') return Number(row['deliveries']) >= Number(times) ? [] : [found];
  const isRecorded = row['state'] === name || (name === 'failed' && Number(row['failures']) > 0);
  return isRecorded ? [] : [found];
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { ModuleId } from '../../src/core/index.ts';
import { SavedListsError, type SavedList } from '../../src/registry/saved-lists.ts';
import {
  DatabaseError,
  openForPoller,
  savedListsIn,
  type ClaimedFile,
} from '../../src/store/index.ts';
import { upgrade } from '../support/claimed.ts';
import { moduleQuestion } from '../support/decided.ts';
import { logged } from '../support/machine-home.ts';
import { randomFrom } from '../support/mutate.ts';
import { targetOf } from './agent-task.ts';

const HERE = 'modreg:https://registry.example/';
const TARGETS = ['lidar', 'arm', 'cam'].map(targetOf);
const [LIDAR, ARM, CAM] = TARGETS as [
  (typeof TARGETS)[0],
  (typeof TARGETS)[0],
  (typeof TARGETS)[0],
];

/** How many flipped bits had which outcome. */
export interface Flips {
  /** Every answer is the same: SQLite does not use the bit, or the file has the same content. */
  readonly harmless: number;
  /** The whole file was set aside. */
  readonly files: number;
  /** Rows were set aside. */
  readonly rows: number;
  /** The file or a part of it could not be read, and the error says so. */
  readonly errors: number;
  /** An answer is another one, and nothing says so: the bit, and the parts. */
  readonly silent: readonly string[];
}

/** Flips `count` bits of a machine's file with something in each table, one at a time in a new copy. */
export function flipBits(count: number, seed: number): Flips {
  const folder = mkdtempSync(`${tmpdir()}/modreg-flips-`);
  const path = `${folder}/machine.db`;
  try {
    fillMachineFile(path);
    const whole = readFileSync(path);
    const expected = partsOf(path).parts;
    const random = randomFrom(seed);
    const counts = { harmless: 0, files: 0, rows: 0, errors: 0 };
    const silent: string[] = [];
    for (let flip = 0; flip < count; flip++) {
      const bit = Math.floor(random() * whole.length * 8);
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      mkdirSync(`${folder}/flipped`);
      writeFileSync(`${folder}/flipped/machine.db`, bytes);
      const { parts, report } = partsOf(`${folder}/flipped/machine.db`);
      rmSync(`${folder}/flipped`, { recursive: true });
      const changed = Object.keys(expected).filter((name) => parts[name] !== expected[name]);
      if (changed.length === 0) counts.harmless++;
      else if (report) counts[report]++;
      else silent.push(`bit ${bit}: ${changed.join()}`);
    }
    return { ...counts, silent };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function savedList(releases: number): SavedList {
  return {
    records: Array.from({ length: releases }, (_, patch) => ({
      version: `1.0.${patch}`,
      publishedAt: patch,
      artifacts: [{ platform: 'linux/arm64', digest: `sha256:${String(patch).padStart(64, '0')}` }],
    })),
    dropped: [],
    lost: [{ version: '0.9.0', platform: 'any', digest: 'sha256:aa' }],
    digest: 'd0'.repeat(32),
    size: 1000,
    etag: '"e"',
    generation: 41,
    firstSeen: { since: 5, added: new Map([['1.0.1', { after: 6, at: 7 }]]) },
    confirmedAt: 8,
    sequence: 9,
    history: 'h',
  };
}

/** A machine with something in each table. */
export function fillMachineFile(path: string): void {
  const file = openForPoller(path);
  const { state } = file;
  state.report(LIDAR, '1.0.0', 1);
  state.report(LIDAR, '1.1.0', 2);
  state.report(ARM, '2.0.0', 2);
  state.start(3);
  state.commit([upgrade({ target: LIDAR })], [], 1);
  const [action] = state.commit([upgrade({ target: CAM })], [], 3);
  state.deliver(action?.id ?? '', 4);
  state.quarantine({
    moduleId: 'acme:arm' as ModuleId,
    version: '3.0.0',
    digest: 'sha256:bb',
    reason: 'health check failed',
    since: 4,
    until: 99,
    rolledBack: undefined,
  });
  const input = moduleQuestion({ wanted: '1.*', deployed: '1.0.0', list: ['1.0.0'] });
  const round = { at: 5, trouble: 'one list is not current' };
  state.log([logged('lidar'), logged('arm')], round, new Map([['module lidar', input]]));
  const lists = savedListsIn(file);
  for (const name of ['lidar', 'arm']) lists.save(HERE, `acme:${name}` as ModuleId, savedList(300));
  file.close();
}

interface Parts {
  /** What is read from the file by name; undefined if it cannot be read. */
  readonly parts: Record<string, string | undefined>;
  /** How damage was reported. */
  readonly report: 'files' | 'rows' | 'errors' | undefined;
}

function partsOf(path: string): Parts {
  let file: ClaimedFile;
  try {
    file = openForPoller(path);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // It says, for instance, that another program wrote the file.
    return { parts: {}, report: 'errors' };
  }
  try {
    const { state, setAside, lostRows } = file;
    const unread: string[] = [];
    const part = (name: string, read: () => unknown): string | undefined => {
      try {
        return JSON.stringify(read(), (_, value: unknown) =>
          value instanceof Map || value instanceof Set ? [...value] : value,
        );
      } catch (error) {
        if (!(error instanceof DatabaseError) && !(error instanceof SavedListsError)) throw error;
        unread.push(name);
        return undefined;
      }
    };
    const lists = savedListsIn(file);
    const memory = state.memory();
    const parts = {
      memory: part('memory', () => [memory.open, memory.quarantine, memory.starts, memory.isBlank]),
      targets: part('targets', () => TARGETS.map((target) => memory.of(target))),
      decisions: part('decisions', () => state.decisions()),
      round: part('round', () => state.poller().round),
      history: part('history', () => state.history(LIDAR)),
      lidar: part('lidar', () => lists.read(HERE, 'acme:lidar' as ModuleId)),
      arm: part('arm', () => lists.read(HERE, 'acme:arm' as ModuleId)),
    };
    if (setAside) return { parts, report: 'files' };
    if (lostRows.length > 0) return { parts, report: 'rows' };
    return { parts, report: unread.length > 0 ? 'errors' : undefined };
  } finally {
    file.close();
  }
}

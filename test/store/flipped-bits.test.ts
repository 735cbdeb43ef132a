import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import { SavedListsError, type SavedList } from '../../src/registry/saved-lists.ts';
import { DatabaseError, openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { ARM, claimed, commitOne, LIDAR, moduleNamed, upgrade } from '../support/claimed.ts';
import { moduleQuestion } from '../support/decided.ts';
import { logged } from '../support/machine-home.ts';

const FLIPS = Number(process.env['MODREG_FLIPS'] ?? 500);
const HERE = 'modreg:https://registry.example/';

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
function remembered(): string {
  const file = claimed();
  const { state } = file;
  state.report(LIDAR, '1.0.0', 1);
  state.report(LIDAR, '1.1.0', 2);
  state.report(ARM, '2.0.0', 2);
  state.start(3);
  commitOne(state);
  const [action] = state.commit([upgrade({ target: moduleNamed('cam') })], [], 3);
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
  return file.path;
}

/** What is read from the file: its parts by name. A part that is reported as damaged is undefined. */
function partsOf(path: string): { parts: Record<string, string | undefined>; reported: boolean } {
  const file = claimed(path);
  try {
    const { state, setAside, lostRows } = file;
    let isReported = setAside !== undefined || lostRows.length > 0;
    const part = (read: () => unknown): string | undefined => {
      try {
        return JSON.stringify(read(), (_, value: unknown) =>
          value instanceof Map || value instanceof Set ? [...value] : value,
        );
      } catch (error) {
        if (!(error instanceof DatabaseError) && !(error instanceof SavedListsError)) throw error;
        isReported = true;
        return undefined;
      }
    };
    const lists = savedListsIn(file);
    const memory = state.memory();
    const targets = [LIDAR, ARM, moduleNamed('cam')];
    const parts = {
      memory: part(() => [memory.open, memory.quarantine, memory.starts, memory.isBlank]),
      targets: part(() => targets.map((target) => memory.of(target))),
      decisions: part(() => state.decisions()),
      round: part(() => state.poller().round),
      history: part(() => state.history(LIDAR)),
      lidar: part(() => lists.read(HERE, 'acme:lidar' as ModuleId)),
      arm: part(() => lists.read(HERE, 'acme:arm' as ModuleId)),
    };
    return { parts, reported: isReported };
  } finally {
    file.close();
  }
}

/** Random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('[T90] a flipped bit', () => {
  it(`changes no answer without a report, in ${FLIPS} places`, { timeout: 240_000 }, () => {
    const path = remembered();
    const whole = readFileSync(path);
    const expected = partsOf(path).parts;
    const random = randomFrom(Number(process.env['MODREG_SEED'] ?? 1));
    const silent: string[] = [];
    const counts = { harmless: 0, file: 0, reported: 0 };
    for (let flip = 0; flip < FLIPS; flip++) {
      const bit = Math.floor(random() * whole.length * 8);
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const copy = `${path}-${flip}.db`;
      writeFileSync(copy, bytes);
      const { parts, reported } = partsOf(copy);
      const changed = Object.keys(expected).filter((name) => parts[name] !== expected[name]);
      if (changed.length === 0) counts.harmless++;
      else if (reported) counts.reported++;
      else silent.push(`bit ${bit}: ${changed.join()}`);
    }
    expect(silent).toEqual([]);
    expect(counts.reported).toBeGreaterThan(FLIPS / 10);
  });
});

it('[T90] a reader refuses a file with a damaged row, and the poller sets the row aside alone', () => {
  const path = remembered();
  const file = claimed(path);
  // A change without the triggers that a program has.
  file.database.exec(`DROP TRIGGER seal_quarantine; DROP TRIGGER seal_deployed;
    UPDATE quarantine SET version = '3.0.1'; UPDATE deployed SET text = '1.2.0' WHERE name = 'lidar'`);
  file.close();
  expect(() => openMachineFile(path, { mode: 'read' })).toThrow(
    `"${path}": a row of the table deployed is damaged; a poller sets it aside when it starts`,
  );
  const healed = claimed(path);
  expect(healed.lostRows).toEqual([
    'a damaged row: the deployed version of module lidar; it is unknown until it is reported',
    'a damaged row: the quarantine of acme:arm 3.0.1; it stays until it is lifted: check its version',
  ]);
  const { quarantine, open } = healed.state.memory();
  expect([healed.setAside, open.length, healed.state.memory().of(ARM).deployed.kind]).toEqual([
    undefined,
    2,
    'version',
  ]);
  expect(quarantine).toMatchObject([
    { until: undefined, reason: 'its record was damaged, so it stays until it is lifted' },
  ]);
  healed.close();
  const reader = openMachineFile(path, { mode: 'read' });
  expect(machineStateIn(reader).memory().of(LIDAR).deployed.kind).toBe('unknown');
  reader.close();
});

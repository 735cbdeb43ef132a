import { expect, it } from 'vitest';
import type { ActionReason } from '../../src/core/plan/action.ts';
import type { NewAction } from '../../src/core/plan/committed-action.ts';
import { moduleOf } from '../../src/core/plan/target.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import { AGENT, ARM, claimed, LIDAR, moduleNamed, upgrade } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

const CAMERA = moduleNamed('camera');
const URL = 'https://a.example/agent';
const SENTENCE = 'the reason as a sentence';

const failed = { kind: 'failure', version: '1.2.0', text: SENTENCE } as const;

const ACTIONS: readonly [Partial<NewAction>, ActionReason][] = [
  [{ target: LIDAR }, { kind: 'constraint', constraint: '1.*', text: SENTENCE }],
  [
    { target: ARM, direction: 'rollback', from: '1.2.0' },
    { ...failed, until: 900, isRolledBack: false },
  ],
  [
    { target: CAMERA, direction: 'rollback', from: '1.2.0' },
    { ...failed, until: undefined, isRolledBack: true },
  ],
  [
    { target: AGENT, to: URL, artifact: { platform: 'any', url: URL } },
    { kind: 'pin-url', text: SENTENCE },
  ],
];

it('a file of the second schema keeps its open actions, and their reasons become data', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const earlier = { ...LAYOUT, migrations: LAYOUT.migrations.slice(0, 2) };
  const database = openDatabase(path, earlier, { mode: 'create', busyTimeoutMs: 0 });
  const decided = { target: '1.1.0', latest: '1.1.0', decision: 'upgrade', reason: SENTENCE };
  const lidar = { kind: 'module', name: 'lidar', moduleId: 'acme:lidar' } as const;
  const logged = { ...lidar, ...decided, constraint: '1.*' };
  database
    .prepare("INSERT INTO decisions VALUES ('module', 'lidar', 0, ?)")
    .run(JSON.stringify(logged));
  const insert = database.prepare(`
    INSERT INTO actions (kind, name, module_id, state, content, changed_at)
    VALUES (?, ?, ?, 'waiting', ?, 1)`);
  for (const [changes] of ACTIONS) {
    const action = { ...upgrade(changes), reason: SENTENCE };
    const { target } = action;
    insert.run(target.kind, target.name, moduleOf(target), JSON.stringify(action));
  }
  database.exec(`
    INSERT INTO quarantine VALUES ('acme:arm', '1.2.0', NULL, 1, 900, 'it is hot', 0, NULL);
    INSERT INTO quarantine VALUES ('acme:camera', '1.2.0', NULL, 1, NULL, 'by hand', 1, '1.1.0')`);
  database.close();

  const { setAside, state } = claimed(path);
  const { open, quarantine } = state.memory();
  expect([setAside, quarantine.length]).toEqual([undefined, 2]);
  expect(open.map(({ action }) => [action.target, action.reason])).toEqual(
    ACTIONS.map(([{ target }, reason]) => [target, reason]),
  );
});

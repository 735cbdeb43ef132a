import { existsSync, readFileSync } from 'node:fs';
import type { ActionTarget } from '../../src/core/index.ts';
import { openForPoller, savedListsIn } from '../../src/store/index.ts';
import type { NewAction } from '../../src/core/plan/committed-action.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { npmEntries } from '../../src/registry/formats/npm-packument.ts';
import { moduleId, version } from '../support/ask.ts';
import { decodeEntries, decodeReleaseDocument, type PlainList } from '../support/decoded-list.ts';
import { LISTS } from './list-documents.ts';
import { emptyFolder } from './scratch.ts';

/** The bytes of machine.db and of its write-ahead log. */
export interface StoreBytes {
  readonly main: Buffer;
  readonly log: Buffer;
}

export const LIDAR: ActionTarget = moduleNamed('lidar');
export const AGENT: ActionTarget = { kind: 'subsystem', name: 'platform-agent' };
export const TARGETS: readonly ActionTarget[] = [
  LIDAR,
  moduleNamed('arm'),
  moduleNamed('cam'),
  AGENT,
  { kind: 'subsystem', name: 'platform-server' },
];
export const ADDRESSES: readonly string[] = ['modreg:https://registry.example/', 'npm:https://x/'];

function moduleNamed(name: string): ActionTarget {
  return { kind: 'module', name: `acme_${name}`, moduleId: moduleId(`acme:${name}`) };
}

export function upgrade(target: ActionTarget, to = '1.1.0'): NewAction {
  return {
    kind: 'restart-and-upgrade',
    target,
    from: '1.0.0',
    to,
    direction: 'upgrade',
    artifact: { platform: 'linux/amd64', url: 'https://x.example/a', digest: 'sha256:aa', size: 1 },
    stops: [{ component: 'scanner', dependsOn: ['base'] }],
    reason: { kind: 'constraint', constraint: '1.*', text: 'newest minor of 1' },
    decidedAt: 1,
    restart: { of: 'modules', targets: [target.name], stops: [] },
  };
}

export function decisionOn(target: ActionTarget): LoggedDecision {
  return {
    kind: target.kind,
    name: target.name,
    moduleId: target.kind === 'module' ? target.moduleId : 'platform:agent',
    constraint: '1.*',
    target: '1.1.0',
    latest: '2.0.0',
    decision: 'up-to-date',
    reason: 'already the newest release of 1',
    until: 7,
  };
}

let templates: readonly StoreBytes[] | undefined;

/** Three states of one machine.db: closed with lists, as a crash would leave it, and closed without lists. */
export function storeTemplates(): readonly StoreBytes[] {
  templates ??= makeTemplates();
  return templates;
}

function makeTemplates(): StoreBytes[] {
  const path = `${emptyFolder('template')}/machine.db`;
  const first = openForPoller(path);
  fill(first.state);
  first.close();
  const closed = bytesAt(path);
  const second = openForPoller(path);
  const saved = savedListsIn(second);
  second.state.start(3);
  second.state.report(LIDAR, '1.1.0', 4);
  for (const [place, address] of ADDRESSES.entries()) {
    for (const name of ['lidar', 'arm']) {
      const { records, dropped } = listAt(place);
      const lost = [{ version: '1.2.3', platform: 'any', digest: 'sha256:ab' }];
      saved.save(address, moduleId(`acme:${name}`), {
        records,
        dropped,
        lost,
        digest: `${place}`.repeat(64),
        size: 420,
        generation: 57,
        etag: '"57"',
        firstSeen: { since: 4, added: new Map([['1.2.3', { after: 4, at: 5 }]]) },
        confirmedAt: 5,
        sequence: 7,
        history: 'h',
      });
    }
  }
  const crashed = bytesAt(path);
  second.close();
  return [bytesAt(path), crashed, closed];
}

function listAt(place: number): PlainList {
  const lists = LISTS.filter(({ format }) => format === (place === 0 ? 'modreg' : 'npm'));
  const json = JSON.parse(String(lists.at(0)?.bytes)) as object;
  return place === 0
    ? decodeReleaseDocument(json, moduleId('acme:lidar'))
    : decodeEntries(npmEntries({ ...json }));
}

/** Writes rows to every table except the saved lists. */
function fill(state: MachineState): void {
  state.start(1);
  const running = ['1.0.0', '2.4.0', null, 'https://x.example/agent', undefined];
  for (const [place, target] of TARGETS.entries()) state.report(target, running[place], 1);
  const actions = state.commit(
    TARGETS.map((target) => upgrade(target)),
    [],
    2,
  );
  const outcomes = [
    { kind: 'done' },
    { kind: 'failed', reason: 'no points', running: '2.4.0', blame: 'release' },
    { kind: 'failed', reason: 'no disk', running: null, blame: 'machine' },
  ] as const;
  for (const [place, { id }] of actions.slice(0, 4).entries()) {
    state.deliver(id, 2);
    const outcome = outcomes[place];
    if (outcome) state.acknowledge(id, outcome, { at: 3, quarantineUntil: 9, retryAt: 8 });
  }
  state.rollBack(
    LIDAR,
    { from: version('1.1.0'), to: version('1.0.0') },
    { at: 3, until: undefined },
  );
  const round = { at: 3, trouble: 'the registry is busy' };
  state.log(TARGETS.map(decisionOn), round);
}

function bytesAt(path: string): StoreBytes {
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.of();
  return { main: readFileSync(path), log };
}

import { existsSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { quarantineListCommand } from '../../src/cli/machine/quarantine-command.ts';
import { rollbackCommand } from '../../src/cli/machine/rollback-command.ts';
import { statusCommand } from '../../src/cli/machine/status-command.ts';
import type { World } from '../../src/base/world.ts';
import { SavedListsError } from '../../src/registries/index.ts';
import {
  openForPoller,
  DatabaseError,
  savedListsIn,
  type ClaimedFile,
  type ActionOutcome,
} from '../../src/store/index.ts';
import { moduleId, version } from '../support/ask.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { wrongList } from './lists.ts';
import { emptyFolder } from './scratch.ts';
import { edited, storeEdits, type StoreEdit } from './store-edits.ts';
import {
  ADDRESSES,
  AGENT,
  decisionOn,
  LIDAR,
  storeTemplates,
  TARGETS,
  upgrade,
  type StoreBytes,
} from './store-template.ts';
import { isOneLine, target, type Target } from './target.ts';

interface StoreInput {
  readonly template: number;
  readonly edits: readonly StoreEdit[];
}

function judgeStore({ template, edits }: StoreInput): string | undefined {
  const templates = storeTemplates();
  const whole = templates[template % templates.length];
  if (!whole) throw new Error('no template exists');
  const bytes = edits.reduce(edited, whole);
  const home = emptyFolder('store');
  write(home, bytes);
  runCommands(home);
  return polled(`${home}/machine.db`);
}

function write(home: string, { main, log }: StoreBytes): void {
  writeFileSync(`${home}/machine.db`, main);
  if (log.length > 0) writeFileSync(`${home}/machine.db-wal`, log);
}

/** Runs commands that read the file without a poller. */
function runCommands(home: string): void {
  const environment = { PLATFORM_HOME: home };
  const world: World = { ...quietWorld('linux/x64'), environment, clock: () => 10 };
  for (const json of [undefined, true] as const) {
    const options = json ? { json } : {};
    statusCommand(options, world);
    quarantineListCommand(options, world);
  }
  rollbackCommand('acme_lidar', {}, world);
}

/** What is wrong when a poller reads and writes the file. */
function polled(path: string): string | undefined {
  let wrong: string | undefined;
  const trying = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      const isOurs = error instanceof DatabaseError || error instanceof SavedListsError;
      if (!isOurs) throw error;
      if (!isOneLine(error.message)) wrong ??= `printed ${JSON.stringify(error.message)}`;
      return undefined;
    }
  };
  const file = trying(() => openForPoller(path));
  if (!file) return wrong;
  try {
    return (
      (file.setAside && !existsSync(file.setAside.path)
        ? 'the file that was set aside is missing'
        : undefined) ??
      read(file, trying) ??
      written(file, trying) ??
      wrong
    );
  } finally {
    trying(() => file.close());
  }
}

type Trying = <T>(work: () => T) => T | undefined;

function read(file: ClaimedFile, trying: Trying): string | undefined {
  const { state, setAside } = file;
  const memory = trying(() => state.memory());
  if (setAside && memory?.isBlank === false)
    return 'still knows the content of the file that was set aside';
  const remembered = TARGETS.map((one) => memory?.of(one));
  trying(() => state.decisions());
  trying(() => state.poller());
  const odd = memory?.open.find(({ action: { id, target: of, to, restart } }) => {
    return [id, of.name, to, restart.of].some((text) => typeof text !== 'string');
  });
  if (odd) return `accepted the open action ${JSON.stringify(odd)}`;
  const times = remembered.flatMap((one) => one?.restarts.map(({ at }) => at) ?? []);
  if (times.some(Number.isNaN)) return 'accepted a restart without a time';
  const saved = savedListsIn(file);
  trying(() => saved.version());
  for (const address of ADDRESSES) {
    for (const name of ['lidar', 'arm']) {
      const id = moduleId(`acme:${name}`);
      trying(() => saved.stamp(address, id));
      const list = trying(() => saved.read(address, id));
      const wrong = list && wrongList({ ...list, generation: undefined });
      if (wrong !== undefined) return `the list of ${id}: ${wrong}`;
    }
  }
  return undefined;
}

const OUTCOMES: readonly ActionOutcome[] = [
  { kind: 'done' },
  { kind: 'failed', reason: 'no points', running: '1.0.0', blame: 'release' },
  { kind: 'failed', reason: 'no disk', running: undefined, blame: 'machine' },
];

/** Writes everything that a poller writes. */
function written(file: ClaimedFile, trying: Trying): undefined {
  const { state } = file;
  trying(() => state.start(10));
  const open = trying(() => state.memory().open) ?? [];
  for (const [place, { action }] of open.entries()) {
    const outcome = OUTCOMES[place % OUTCOMES.length] ?? { kind: 'done' };
    trying(() => state.deliver(action.id, 11));
    trying(() =>
      state.acknowledge(action.id, outcome, { at: 12, quarantineUntil: 13, retryAt: 14 }),
    );
  }
  const isFree = !(trying(() => state.memory().open) ?? []).some(
    ({ action }) => action.target.name === AGENT.name,
  );
  if (isFree) {
    const committed = trying(() => state.commit([upgrade(AGENT, '9.9.9')], [], 15));
    for (const action of committed ?? []) {
      trying(() => state.deliver(action.id, 16));
      trying(() => state.withdraw(action, 17));
    }
  }
  trying(() => state.report(LIDAR, '1.1.0', 18));
  trying(() =>
    state.rollBack(LIDAR, { from: version('1.1.0'), to: undefined }, { at: 19, until: undefined }),
  );
  trying(() => state.lift(moduleId('acme:lidar'), '1.1.0'));
  trying(() => state.log(TARGETS.map(decisionOn), { at: 20, trouble: undefined }));
  const saved = savedListsIn(file);
  const id = moduleId('acme:lidar');
  const list = {
    records: [],
    dropped: [],
    lost: [],
    digest: 'd',
    size: 2,
    etag: undefined,
    generation: 58,
    firstSeen: { since: 20, added: new Map([['1.2.4', { after: 20, at: 21 }]]) },
    confirmedAt: 21,
    sequence: undefined,
    history: undefined,
  };
  trying(() => saved.save(ADDRESSES[0] ?? '', id, list));
  trying(() => saved.confirm(ADDRESSES[0] ?? '', new Map([[id, list]])));
  trying(() => saved.replace(ADDRESSES[1] ?? '', id, list));
}

export const STORE: readonly Target[] = [
  target<StoreInput>({
    name: 'store-file',
    faults: 'T53',
    perMille: 15,
    inputs: fc.record({
      template: fc.nat({ max: 2 }),
      edits: fc.array(storeEdits, { minLength: 1, maxLength: 3 }),
    }),
    judge: judgeStore,
  }),
];

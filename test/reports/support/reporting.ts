import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { moduleId } from '../../support/ask.ts';
import type { CommittedAction } from '../../../src/core/plan/committed-action.ts';
import { secret } from '../../../src/core/index.ts';
import { openOutbound, type OutboundFile } from '../../../src/reports/outbound-file.ts';
import { ReportSender, type Reporter } from '../../../src/reports/report-sender.ts';
import { fleetClient, type FleetClient } from '../../../src/registry/fleet-client.ts';
import type { ReportedModule } from '../../../src/registry/machine-report.ts';
import type { SettledAction } from '../../../src/store/outbox.ts';
import { formatTime } from '../../../src/core/text/rfc3339.ts';
import { testClock, type TestClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { loopbackRegistry, type Loopback } from '../../support/loopback.ts';
import { reportedModule } from '../../support/machine-report.ts';
import { tokenFor } from '../../support/token.ts';

const DEPLOYED_AT = Date.parse('2026-11-21T01:02:03Z');

/** A machine that reports to a registry on a loopback port. */
export interface ReportingMachine {
  readonly clock: TestClock;
  readonly reporter: Reporter;
  readonly file: OutboundFile;
  /** Of the queue. */
  readonly path: string;
  readonly notices: string[];
  /** What the machine reports about its modules. */
  modules: ReportedModule[];
  /** Ends as many further actions. */
  act(count: number, result?: SettledAction['result']): void;
  /** Sends all that is possible now, until the machine has to wait for longer than a throttle; returns for how long. */
  send(): Promise<number | undefined>;
  /** The queue begins as a process does that may carry out actions. */
  begin(): void;
  /** Copies the queue and what has ended; the result goes back to the copy. */
  copy(): () => void;
  /** The actions that have ended, each with its time, as outcomes have them. */
  ended(): readonly string[];
  /** Another process of the same machine, or the one with this id. */
  restart(instance?: string): void;
  /** The queue becomes an older copy of itself: it was not written since it began. */
  forgetNumbers(): void;
  counts(): Promise<Record<string, unknown>>;
}

export interface ReportingOptions {
  readonly registry?: Loopback;
  readonly mostKept?: number;
  /** The random number that the machine draws. */
  readonly random?: number;
  /** Wraps the client of the machine, to make requests fail. */
  readonly through?: (client: FleetClient) => Pick<FleetClient, 'report'>;
}

export async function reportingMachine({
  registry,
  mostKept,
  random = 0,
  through = (client) => client,
}: ReportingOptions = {}): Promise<ReportingMachine> {
  const { address, catalogue } = registry ?? (await loopbackRegistry());
  const clock = testClock();
  const clientWith = (scope: string): FleetClient => {
    const token = secret(tokenFor(catalogue, [scope], scope.replace(':', '-')));
    const url = { kind: 'modreg', url: new URL(address) } as const;
    const client = fleetClient(url, 'report to', { clock, token: () => token });
    if (!client.ok) throw client.error;
    return client.value;
  };
  const actions: SettledAction[] = [];
  const notices: string[] = [];
  const path = `${temporaryFolder()}/outbound.db`;
  const file = openOutbound(path, mostKept);
  onTestFinished(() => file.close());
  const client = through(clientWith('machine:rover-7'));
  const reader = clientWith('fleet:read');
  let process = 1;
  let acted = 0;
  const reporter: Reporter = {
    machine: 'rover-7',
    version: '0.2.0',
    platform: 'linux/arm64',
    client,
    state: { settled: (known) => actions.filter(({ action }) => !known.has(action.id)) },
    modules: () => machine.modules,
    clock,
    random: () => random,
    onNotice: (level, text) => notices.push(`${level} ${text.replace(address, 'ADDRESS')}`),
  };
  const newSender = (instance = `process-${process++}`): ReportSender =>
    new ReportSender(reporter, instance);
  let sender = newSender();
  const machine: ReportingMachine = {
    clock,
    reporter,
    file,
    path,
    notices,
    modules: [reportedModule()],
    act(count, result = 'done') {
      for (let place = 0; place < count; place++) {
        actions.push(settled(`a1b2-${actions.length + 1}`, result, DEPLOYED_AT + 1000 * acted++));
      }
    },
    begin: () => sender.begin(() => openOutbound(path, mostKept)),
    ended: () => actions.map(({ action, at }) => `${action.id} ${formatTime(at)}`),
    copy() {
      const { length } = actions;
      const restore = tablesOf(path, ['queue', 'outcomes', 'taken', 'sqlite_sequence']);
      return () => {
        actions.length = length;
        restore();
      };
    },
    async send() {
      for (;;) {
        const wait = await sender.drain(file, new AbortController().signal);
        if (wait !== 1000) return wait;
        clock.advance(wait);
      }
    },
    restart: (instance) => void (sender = newSender(instance)),
    forgetNumbers() {
      const older = new DatabaseSync(path);
      older.exec(`DELETE FROM outcomes; DELETE FROM sqlite_sequence WHERE name = 'outcomes';
        UPDATE queue SET known_to = 0`);
      older.close();
    },
    counts: async () => await reader.read(''),
  };
  return machine;
}

/** Copies tables of a file; the result goes back to the copy. */
export function tablesOf(path: string, tables: readonly string[]): () => void {
  const from = new DatabaseSync(path);
  const copies = tables.map(
    (table) => [table, from.prepare(`SELECT * FROM ${table}`).all()] as const,
  );
  from.close();
  return () => {
    const to = new DatabaseSync(path);
    for (const [table, rows] of copies) {
      to.exec(`DELETE FROM ${table}`);
      for (const row of rows) {
        const columns = Object.keys(row);
        const places = columns.map(() => '?').join();
        to.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${places})`).run(
          ...Object.values(row),
        );
      }
    }
    to.close();
  };
}

function settled(id: string, result: SettledAction['result'], at = DEPLOYED_AT): SettledAction {
  const target = { kind: 'module', name: 'acme_lidar', moduleId: moduleId('acme:lidar') } as const;
  const action: CommittedAction = {
    kind: 'restart-and-upgrade',
    id,
    target,
    from: '1.2.8',
    to: '1.2.9',
    artifact: undefined,
    direction: 'upgrade',
    stops: [],
    reason: { kind: 'constraint', constraint: '1.*', text: 'newest release of 1' },
    decidedAt: DEPLOYED_AT,
    restart: { of: 'modules', targets: ['acme_lidar'], stops: [] },
  };
  const reason = result === 'failed' ? 'motor stalled' : undefined;
  return { action, result, at, reason, isUndecided: false };
}

import { onTestFinished, vi } from 'vitest';
import type { AgentEvent } from '../../../src/agent/event.ts';
import { agentLine, isOwn, reportedBy } from '../../../src/cli/agent/agent-event-words.ts';
import { PollReport, type LoggedLine } from '../../../src/cli/poll/poll-report.ts';
import { describeAddress } from '../../../src/core/explanation/decision-words.ts';
import { LOG_FILE } from '../../../src/logs/log-file.ts';
import type { LogRecord } from '../../../src/logs/log-record.ts';
import { LogUpload } from '../../../src/logs/log-upload.ts';
import { logWriter } from '../../../src/logs/log-writer.ts';
import type { Delivery } from '../../../src/poller/index.ts';
import { day, MINUTE, SECOND, type Day, type DayOptions } from '../../support/day.ts';
import type { LogCollector } from '../../../mocks/log-collector.ts';
import { to } from '../../support/log-sending.ts';
import { quietWorld } from '../../support/quiet-world.ts';
import { roamingLink, type Networks } from './roaming-link.ts';
import { simulatedDisk, type SimulatedDisk } from './simulated-disk.ts';

interface FieldRoverOptions extends DayOptions {
  readonly networks: Networks;
  readonly collector: LogCollector;
  /** Why a release does not work; undefined if it does. */
  readonly fault: (version: string) => string | undefined;
}

/** A line that the agent logged. */
interface Written extends LogRecord {
  readonly onFullDisk: boolean;
}

/** A simulated rover that roams, and whose agent logs what it does. */
export interface FieldRover extends Day {
  readonly disk: SimulatedDisk;
  /** The path of its log. */
  readonly logPath: string;
  readonly written: readonly Written[];
  /** Logs a line of a module. */
  say(name: string, level: LoggedLine['level'], text: string): void;
  /** Calls `act` again and again, with the number of the call, until `stop` is called. */
  every(ms: number, act: (count: number) => void): void;
  stop(): void;
}

/** Timers of the process stand still, except that lines are written a second later, on the virtual clock. */
export async function fieldRover(options: FieldRoverOptions): Promise<FieldRover> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const disk = simulatedDisk();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const written: Written[] = [];
  let isFlushing = false;
  const flushLater = async (): Promise<void> => {
    if (isFlushing) return;
    isFlushing = true;
    await rover.clock.sleep(SECOND);
    isFlushing = false;
    vi.advanceTimersByTime(SECOND);
  };
  const report = reportTo(
    () => rover.clock.now(),
    (record) => {
      written.push({ ...record, onFullDisk: disk.isFull() });
      writer.write(record);
      upload.wake();
      void flushLater();
    },
  );
  const onEvent = (event: AgentEvent): void => reportEvent(event, report);
  const link = roamingLink({ networks: options.networks, clock: () => rover.clock, onEvent });
  const rover = await day({ ...options, takesUp: 'later', isBusy: link.isBusy, onEvent });
  const logPath = `${rover.home}/${LOG_FILE}`;
  const writer = logWriter(logPath, (reason) => report.note('warn', reason));
  const upload = new LogUpload(logPath, {
    source: { machineId: 'rover-7', host: 'rover', version: '0.1.0' },
    clock: rover.clock,
    random: () => 1,
    onNotice: (level, text) => report.note(level, text),
  });
  onTestFinished(async () => {
    writer.close();
    await upload.close();
  });
  upload.follow(to(options.collector));
  const every: FieldRover['every'] = (ms, act) => {
    void (async () => {
      for (let count = 0; ; count++) {
        await rover.clock.sleep(ms, stopping.signal);
        act(count);
      }
    })().catch(() => undefined);
  };
  void link.roam((isOnline) => {
    rover.registry.mend();
    if (!isOnline) rover.registry.break({ kind: 'offline', times: Infinity });
  });
  void carryOutAll(rover, report, options.fault);
  return {
    ...rover,
    disk,
    logPath,
    written,
    every,
    say: (name, level, text) => report.about(name, level, text),
    stop: () => stopping.abort(),
  };
}

/** The report of `modreg agent run`, without a terminal. */
function reportTo(now: () => number, write: (record: LogRecord) => void): PollReport {
  const onLine = ({ at, level, target, name, version, text }: LoggedLine): void => {
    write({ at, severity: level, module: target, event: name, version, text });
  };
  const world = { ...quietWorld('linux/arm64'), clock: now };
  return new PollReport({ of: 'agent', onLine }, () => undefined, world);
}

function reportEvent(event: AgentEvent, report: PollReport): void {
  if (!isOwn(event)) return report.onEvent(event);
  const line = agentLine(event);
  if (!line) return;
  const reported = reportedBy(event);
  if ('name' in event) report.about(event.name, line.level, line.text, reported);
  else report.note(line.level, line.text, reported);
}

/** Takes a minute for each action. */
async function carryOutAll(
  rover: Day,
  report: PollReport,
  fault: FieldRoverOptions['fault'],
): Promise<void> {
  for await (const delivery of rover.poller.deliveries()) {
    await rover.clock.sleep(MINUTE);
    await carryOut(delivery, report, fault);
  }
}

async function carryOut(
  delivery: Delivery,
  report: PollReport,
  fault: FieldRoverOptions['fault'],
): Promise<void> {
  const { target, to: address } = delivery.action;
  const version = describeAddress(address);
  const reason = fault(version);
  const state = reason === undefined ? 'running' : 'rolling-back';
  const { name } = target;
  reportEvent({ kind: 'module', name, state, version, reason, waitMs: undefined }, report);
  if (reason === undefined) await delivery.done();
  else await delivery.failed({ reason, running: null, blame: 'release' });
}

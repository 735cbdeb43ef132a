import { describe, expect, it } from 'vitest';
import { Poller, type PollerEvent, type PollerOptions } from '../../src/poller/index.ts';
import { claimed, running } from '../support/claimed.ts';
import { HOUR, MINUTE, SECOND } from '../support/day.ts';
import {
  CONFIGURATIONS,
  promptRegistry,
  racer,
  TARGETS,
  track,
  type Racer,
} from '../support/racing.ts';
import { thenable } from './support/thenable.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

/** A machine with 1.0.0 of two modules, whose 1.0.1 is published. */
function machine(options: Partial<Omit<PollerOptions, 'clock'>> = {}): Racer {
  const registry = promptRegistry(() => 1);
  return racer(track(), { registries: [registry, registry], deployed: '1.0.0', ...options });
}

/** The options of a poller with a separate file. */
function withNewFile(more: Partial<PollerOptions> = {}): PollerOptions {
  return {
    file: claimed(),
    configuration: () => CONFIGURATIONS.lidar,
    registryFor: () => promptRegistry(() => 1),
    platform: 'linux/arm64',
    clock: virtualClock(),
    ...more,
  };
}

function kindsOf(events: readonly PollerEvent[]): string[] {
  return events.map(({ kind }) => kind);
}

describe('an agent whose onEvent throws', () => {
  const NO_LOG = new Error('no log');
  // An unhandled rejection would fail the run.
  it.each<[string, NonNullable<PollerOptions['onEvent']>]>([
    [
      'at each event',
      () => {
        throw NO_LOG;
      },
    ],
    [
      'at each event except callback errors',
      ({ kind }) => {
        if (kind !== 'callback-error') throw NO_LOG;
      },
    ],
    ['later, at each event', async () => await Promise.reject(NO_LOG)],
    ['later, with a Promise of its own', () => thenable(NO_LOG) as never],
  ])('%s gets its deliveries, and its acknowledgements are recorded', async (_, onEvent) => {
    const { clock, poller, state, deliveries } = machine({ onEvent });
    await clock.pass(MINUTE);
    const [lidar, arm] = deliveries;
    await expect(lidar?.done()).resolves.toBeUndefined();
    const failure = { reason: 'no points', running: '1.0.0', blame: 'release' } as const;
    await expect(arm?.failed(failure)).resolves.toBeUndefined();
    await poller.stop();
    expect(deliveries.map(({ action }) => action.target)).toEqual([TARGETS.lidar, TARGETS.arm]);
    expect(running(state, TARGETS.lidar)).toBe('1.0.1 after 1.0.0');
    expect(state.memory().quarantine).toMatchObject([{ moduleId: 'acme:arm', version: '1.0.1' }]);
  });

  it('gets a callback-error event for each error that it throws', async () => {
    const error = new Error('no log');
    const { clock, poller, events } = machine({
      onEvent: ({ kind }) => {
        if (kind === 'committed') throw error;
      },
    });
    await clock.pass(MINUTE);
    await poller.stop();
    expect(events.filter(({ kind }) => kind === 'callback-error')).toEqual([
      { kind: 'callback-error', error },
      { kind: 'callback-error', error },
    ]);
    expect(kindsOf(events).filter((kind) => kind !== 'callback-error')).toEqual([
      'committed',
      'committed',
      'delivered',
      'delivered',
    ]);
  });
});

describe('a report after the file was closed', () => {
  it('rejects, because it would be lost', async () => {
    const events: PollerEvent[] = [];
    const [registry, clock] = [promptRegistry(() => 1), virtualClock()];
    const onEvent = (event: PollerEvent): void => void events.push(event);
    const options = withNewFile({ registryFor: () => registry, clock, onEvent });
    options.file.state.report(TARGETS.lidar, '1.0.0', 0);
    const poller = new Poller(options);
    poller.start();
    const reading = poller.deliveries().next();
    await clock.pass(5 * MINUTE);
    const { value: delivery } = await reading;
    await poller.stop();
    options.file.close();
    const closed = new Error("the machine's file was closed, so the report was not recorded");
    const failure = { version: '1.0.0', reason: 'no points', running: '1.0.0' };
    await expect(poller.reportFailure(TARGETS.lidar, failure)).rejects.toEqual(closed);
    await expect(delivery?.done()).rejects.toEqual(closed);
    await expect(delivery?.failed({ ...failure, blame: 'release' })).rejects.toEqual(closed);
    expect(kindsOf(events)).toEqual(['committed', 'delivered', 'state-unavailable']);
  });
});

describe('a poller', () => {
  it.each<[Partial<PollerOptions>, string]>([
    [{ intervalMs: 4999 }, 'the interval is 4999 ms, expected 5000 to 86400000'],
    [{ intervalMs: 24 * HOUR + 1 }, 'the interval is 86400001 ms, expected 5000 to 86400000'],
    [{ intervalMs: Number.NaN }, 'the interval is NaN ms, expected 5000 to 86400000'],
    [{ acknowledgeWithinMs: 999 }, 'acknowledgeWithinMs is 999, expected 1000 or more'],
    [{ acknowledgeWithinMs: -1 }, 'acknowledgeWithinMs is -1, expected 1000 or more'],
    [{ acknowledgeWithinMs: Number.NaN }, 'acknowledgeWithinMs is NaN, expected 1000 or more'],
  ])('refuses the options %o', (options, message) => {
    expect(() => machine(options)).toThrow(new RangeError(message));
  });

  it.each<[Partial<PollerOptions>]>([
    [{ intervalMs: 5000 }],
    [{ intervalMs: 24 * HOUR }],
    [{ acknowledgeWithinMs: 1000 }],
    [{ acknowledgeWithinMs: Infinity }],
  ])('accepts the options %o, and delivers', async (options) => {
    const { clock, poller, deliveries } = machine(options);
    await clock.pass(0);
    await poller.stop();
    expect(deliveries).toHaveLength(2);
  });

  it('refuses a second start', async () => {
    const { poller } = machine();
    expect(() => poller.start()).toThrow(
      new Error('this poller was already started, and can be started only once'),
    );
    await poller.stop();
  });

  it('refuses to start while another poller polls its file, and starts once that has stopped', async () => {
    const options = withNewFile();
    const message = `another poller is already polling "${options.file.path}"`;
    const [first, second, third] = [new Poller(options), new Poller(options), new Poller(options)];
    first.start();
    expect(() => second.start()).toThrow(message);
    await first.stop();
    second.start();
    await first.stop();
    expect(() => third.start()).toThrow(message);
    await second.stop();
  });

  it('reports that its file was closed', async () => {
    const events: PollerEvent[] = [];
    const options = withNewFile({ onEvent: (event) => events.push(event) });
    options.file.close();
    const poller = new Poller(options);
    poller.start();
    await poller.stop();
    expect(events).toMatchObject([
      {
        kind: 'state-unavailable',
        error: { kind: 'unreadable', message: `"${options.file.path}": it was closed` },
      },
    ]);
  });
});

describe('failed() [D313]', () => {
  const FAILURE = { reason: 'no points', running: '1.0.0', blame: 'release' };
  it.each<[object, string]>([
    [
      { ...FAILURE, running: 7 },
      'failed(): found the number 7 as running, expected a version, null if nothing is deployed, or undefined if that is not known',
    ],
    [
      { ...FAILURE, running: 'x'.repeat(2049) },
      `failed(): found "${'x'.repeat(200)}…" as running, expected a version, null if nothing is deployed, or undefined if that is not known`,
    ],
    [
      { ...FAILURE, running: 'latest' },
      'failed(): found "latest" as running, expected a version, null if nothing is deployed, or undefined if that is not known',
    ],
    [
      { ...FAILURE, running: '1.2.*' },
      'failed(): found "1.2.*" as running, expected a version, null if nothing is deployed, or undefined if that is not known',
    ],
    [
      { ...FAILURE, blame: 'me' },
      'failed(): found "me" as blame, expected release, machine or undecided',
    ],
    [
      { ...FAILURE, blame: undefined },
      'failed(): found nothing as blame, expected release, machine or undecided',
    ],
    [
      { reason: 'no points', runing: null, blame: 'release' },
      'failed(): found "runing" in the report, expected "running"',
    ],
    [{}, 'failed(): found nothing as blame, expected release, machine or undecided'],
  ])('refuses report %#, and records nothing about the action', async (report, message) => {
    const { clock, poller, state, events, deliveries } = machine({ acknowledgeWithinMs: HOUR });
    await clock.pass(MINUTE);
    const [lidar, arm] = deliveries;
    await expect(lidar?.failed(report as never)).rejects.toThrow(new TypeError(message));
    await arm?.done();
    await clock.pass(HOUR);
    await poller.stop();
    expect(running(state, TARGETS.arm)).toBe('1.0.1 after 1.0.0');
    expect(kindsOf(events).slice(4)).toEqual(['acknowledged', 'overdue']);
    expect(lidar?.signal.aborted).toBe(true);
  });

  it.each<[unknown, string]>([
    [new Error('no points'), 'Error: no points'],
    [undefined, 'undefined'],
    ['x'.repeat(1024), 'x'.repeat(1024)],
    ['x'.repeat(1025), `${'x'.repeat(1024)}…`],
    ['a\nb', String.raw`a\u{a}b`],
  ])('accepts %o as a reason', async (reason, recorded) => {
    const { clock, poller, state, deliveries } = machine();
    await clock.pass(MINUTE);
    await deliveries[0]?.failed({ ...FAILURE, reason } as never);
    await poller.stop();
    expect(state.memory().quarantine[0]?.reason).toBe(recorded);
  });
});

it('failed() accepts 2048 characters as the deployed version', async () => {
  const { clock, poller, state, deliveries } = machine();
  await clock.pass(MINUTE);
  const address = `https://cdn.example/${'x'.repeat(2048 - 20)}`;
  await deliveries[0]?.failed({ reason: 'no points', running: address, blame: 'release' });
  await poller.stop();
  expect(running(state, TARGETS.lidar)).toBe(`${address} after 1.0.0`);
});

describe('a configuration that is not available within ten seconds', () => {
  it('is reported once, and the last one stays in force', async () => {
    const times: [number, string][] = [];
    let isAvailable = true;
    let newest = 1;
    const registry = promptRegistry(() => newest);
    const { clock, poller, deliveries } = racer(track(), {
      registries: [registry, registry],
      deployed: '1.0.0',
      random: () => 0.5,
      configuration: async () => {
        if (!isAvailable) await new Promise(() => undefined);
        return await Promise.resolve(CONFIGURATIONS.lidar);
      },
      onEvent: (event) => {
        if (!event.kind.startsWith('configuration')) return;
        const { error } = { error: undefined, ...event };
        times.push([clock.monotonic() / SECOND, `${event.kind} ${String(error)}`]);
      },
    });
    await clock.pass(MINUTE);
    await deliveries[0]?.done();
    [isAvailable, newest] = [false, 2];
    await clock.pass(5 * MINUTE);
    isAvailable = true;
    await clock.pass(2 * MINUTE);
    await poller.stop();
    expect(deliveries.map(({ action }) => action.to)).toEqual(['1.0.1', '1.0.2']);
    expect(times).toEqual([
      [
        101,
        'configuration-unreadable Error: the configuration was not available within ten seconds',
      ],
      [371, 'configuration-readable undefined'],
    ]);
  });
});

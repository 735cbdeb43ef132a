import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { day, HOUR, MINUTE, SECOND, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { delivered, inHand, ROVER } from './support/rover.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
  policy: { restart_cooldown: '12h' },
} as const satisfies DayOptions;

/** Each hour. A day begins at 01:02:03. */
const FOR_TEN_MINUTES = {
  ...LIDAR.policy,
  maintenance: [{ start: '0 * * * *', duration: '10m', time_zone: 'UTC' }],
};

/** Allows maintenance `times` times, and then answers no more. */
function slowlyAfter(times: number): () => unknown {
  let asked = 0;
  return async () => (++asked <= times ? true : await new Promise(() => undefined));
}

/** A machine whose upgrade was delivered at 01:02:33, and is being downloaded at 01:03:03. */
async function downloading(options: Partial<DayOptions> = {}): Promise<Day> {
  const machine = await day({ ...LIDAR, ...options });
  await machine.pass(MINUTE);
  expect(machine.story()).toEqual([
    '01:02:33 committed acme_lidar 1.2.3 → 1.2.4',
    '01:02:33 delivered acme_lidar 1.2.3 → 1.2.4',
  ]);
  return machine;
}

const WINDOW_CLOSED = {
  mayProceed: false,
  because: [{ reason: 'window-closed', until: Date.parse('2026-11-21T02:00:00Z') }],
  text: 'the maintenance window is closed until 2026-11-21T02:00:00Z',
};
const NOT_ALLOWED = {
  mayProceed: false,
  because: [{ reason: 'maintenance-not-allowed', answer: 'not-allowed' }],
  text: 'maintenance is not allowed now',
};

describe('[D72, T18, T51] before an action is begun, its consumer asks whether it may be', () => {
  it('which it may if nothing has changed', async () => {
    const machine = await downloading({ policy: FOR_TEN_MINUTES });
    const delivery = inHand(machine, 'acme_lidar');
    expect(await delivery.mayProceed()).toEqual({ mayProceed: true });
    await delivery.done();
    expect(machine.story()).toEqual(['01:03:03 acknowledged done']);
  });

  it('which it may although a newer release was published: else frequent releases would never be installed', async () => {
    const machine = await downloading();
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(MINUTE);
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({ mayProceed: true });
  });

  it.each<[string, (machine: Day) => void, string]>([
    [
      'its release was yanked',
      ({ registry }) =>
        void registry.catalogue.yank(moduleId('acme:lidar'), '1.2.4', 'stops the motor'),
      'stays at 1.2.3: 1.2.4 is yanked: stops the motor',
    ],
    [
      'an operator has put its release into quarantine',
      ({ state, clock }) => {
        const since = clock.now();
        const what = { moduleId: moduleId('acme:lidar'), version: '1.2.4', digest: undefined };
        state.quarantine({ ...what, reason: 'by hand', since, until: undefined });
      },
      'stays at 1.2.3: 1.2.4 is quarantined on this machine (by hand)',
    ],
    [
      'the config pins the deployed version',
      (machine) => machine.configure({ machine: { modules: [entry('acme:lidar', '1.2.3')] } }),
      'pinned',
    ],
    [
      'its entry has left the config',
      (machine) => machine.configure({ machine: { modules: [] } }),
      'acme_lidar is not in the config',
    ],
  ])('not if %s', async (_, change, text) => {
    const machine = await downloading();
    const { action, mayProceed } = inHand(machine, 'acme_lidar');
    change(machine);
    await machine.pass(MINUTE);
    expect(await mayProceed()).toEqual({ mayProceed: false, because: [], text });
    await machine.pass(0);
    expect(machine.story()).toEqual(['01:04:03 superseded acme_lidar 1.2.3 → 1.2.4']);
    // Nothing was changed, so the deployed version is as known as before.
    expect(machine.state.memory().of(action.target)).toMatchObject({
      deployed: { kind: 'version', version: { text: '1.2.3' } },
      restarts: [],
    });
  });

  it('not if the window has closed: it counts as no restart, and gives way to a newer release when the window opens', async () => {
    const machine = await downloading({ policy: FOR_TEN_MINUTES });
    const { mayProceed, signal, done } = inHand(machine, 'acme_lidar');
    await machine.pass(8 * MINUTE);
    expect(await mayProceed()).toEqual(WINDOW_CLOSED);
    await machine.pass(0);
    expect(machine.story()).toEqual(['01:11:03 superseded acme_lidar 1.2.3 → 1.2.4']);
    expect(machine.begun()).toEqual([`01:11:03 held upgrade of acme_lidar: ${WINDOW_CLOSED.text}`]);
    expect(String(signal.reason)).toMatch(/was taken back, because it must not be begun now$/);
    await expect(done()).rejects.toThrow(/^done\(\): action .* of acme_lidar was taken back, /);
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(50 * MINUTE);
    // Despite the cooldown of twelve hours.
    expect(machine.story()).toEqual([
      '02:00:00 committed acme_lidar 1.2.3 → 1.2.5',
      '02:00:00 delivered acme_lidar 1.2.3 → 1.2.5',
    ]);
  });

  it('not if a blackout has begun: it is delivered again when that ends [D74]', async () => {
    const span = { from: '2026-11-21T01:10', to: '2026-11-21T03:00', time_zone: 'UTC' };
    const machine = await downloading({
      policy: { ...LIDAR.policy, blackout: [{ ...span, reason: 'fair' }] },
    });
    await machine.pass(6 * MINUTE);
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({ mayProceed: true });
    await machine.pass(MINUTE);
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({
      mayProceed: false,
      because: [
        { reason: 'blackout', until: Date.parse('2026-11-21T03:00:00Z'), reasons: ['fair'] },
      ],
      text: 'no maintenance until 2026-11-21T03:00:00Z (blackout: fair)',
    });
    await machine.pass(2 * HOUR);
    expect(machine.story()).toEqual([
      '01:10:03 superseded acme_lidar 1.2.3 → 1.2.4',
      '03:00:00 committed acme_lidar 1.2.3 → 1.2.4',
      '03:00:00 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
  });

  it('not if the policy has closed the window since the last round', async () => {
    const machine = await downloading();
    const maintenance = [{ start: '0 2 * * *', duration: '10m', time_zone: 'UTC' }];
    machine.configure({ policy: { maintenance } });
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual(WINDOW_CLOSED);
  });

  it('not while the server is processing its config', async () => {
    let isServerBusy = false;
    const machine = await downloading({ isServerBusy: () => isServerBusy });
    isServerBusy = true;
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({
      mayProceed: false,
      because: [{ reason: 'server-busy' }],
      text: 'the server is processing config changes',
    });
  });

  it('not while a module that it depends on is about to be replaced', async () => {
    const machine = await day({
      ...ROVER,
      releases: { ...ROVER.releases, 'acme:lidar': [{ version: '1.0.0' }] },
    });
    await machine.pass(MINUTE);
    const { mayProceed } = inHand(machine, 'acme_map');
    machine.publish('acme:lidar', '1.1.0');
    await machine.pass(MINUTE);
    const text = 'waits for acme_lidar';
    expect(await mayProceed()).toEqual({ mayProceed: false, because: [], text });
    machine.story();
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([]);
    await inHand(machine, 'acme_lidar').done();
    await machine.pass(0);
    expect(delivered(machine)).toEqual(['01:05:03 acme_map 1.0.0 → 1.1.0 again (2)']);
  });
});

describe('[D29, D72] an answer that alone holds a replacement', () => {
  it('is asked again each five seconds', async () => {
    let asked = 0;
    let isAllowed = true;
    const machine = await downloading({ isMaintenanceAllowed: () => ++asked > 0 && isAllowed });
    isAllowed = false;
    asked = 0;
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual(NOT_ALLOWED);
    await machine.pass(18 * SECOND);
    // By the consumer, for the next plan, and after 5, 10 and 15 s.
    expect(asked).toBe(5);
    isAllowed = true;
    await machine.pass(2 * SECOND);
    expect(machine.story()).toEqual([
      '01:03:03 superseded acme_lidar 1.2.3 → 1.2.4',
      '01:03:23 committed acme_lidar 1.2.3 → 1.2.4',
      '01:03:23 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
  });

  it('is not asked while the window is closed', async () => {
    let asked = 0;
    const machine = await downloading({
      policy: FOR_TEN_MINUTES,
      isMaintenanceAllowed: () => ++asked < 3,
    });
    await machine.pass(8 * MINUTE);
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual(WINDOW_CLOSED);
    await machine.pass(10 * MINUTE);
    expect(asked).toBe(2);
  });
});

describe('[D72] the question of a consumer', () => {
  it('that no longer has the action takes it from nobody', async () => {
    const machine = await day({ ...LIDAR, policy: FOR_TEN_MINUTES, takesUp: 'later' });
    const [first, second] = [machine.poller.deliveries(), machine.poller.deliveries()];
    const early = first.next();
    await machine.pass(MINUTE);
    const { value: before } = await early;
    await first.return();
    const late = second.next();
    await machine.pass(8 * MINUTE);
    const { value: now } = await late;
    const ended = { mayProceed: false, because: [], text: `action ${now?.action.id} has ended` };
    await machine.pass(MINUTE);
    expect(await before?.mayProceed()).toEqual(ended);
    expect(now?.signal.aborted).toBe(false);
    expect(await now?.mayProceed()).toEqual(WINDOW_CLOSED);
    expect(await now?.mayProceed()).toEqual(ended);
  });

  it('ends with the poller', async () => {
    const machine = await downloading({ isMaintenanceAllowed: slowlyAfter(2) });
    const asking = inHand(machine, 'acme_lidar').mayProceed();
    await machine.restart();
    await expect(asking).rejects.toThrow('the poller was stopped');
    await machine.pass(MINUTE);
    expect(delivered(machine)).toEqual([]);
  });
});

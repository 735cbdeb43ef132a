import { describe, expect, it } from 'vitest';
import { readDeployed } from '../../../src/core/index.ts';
import { blockingDependency } from '../../../src/core/plan/blocking-dependency.ts';
import type { OpenAction } from '../../../src/core/plan/committed-action.ts';
import type { MachineMemory, Remembered } from '../../../src/core/plan/machine-memory.ts';
import { AGENT, moduleNamed, upgrade } from '../../support/claimed.ts';
import { NOW } from '../../support/decides.ts';
import { component, entry, machineQuestion } from '../../support/planned.ts';
import { delivered, waiting } from '../../support/open-actions.ts';

const MAP = moduleNamed('acme_map', 'acme:map');
const LIDAR = waiting(upgrade({ target: moduleNamed('acme_lidar', 'acme:lidar') }));
const OWN = waiting(upgrade({ target: MAP }));

/** The map needs the lidar; in a circle the lidar needs the map as well. */
const COMPONENTS = [
  component('scanner', 'acme:lidar:vlp16'),
  component('floor', 'acme:map:grid', 'scanner'),
];
const CIRCLE = [...COMPONENTS, component('probe', 'acme:lidar:vlp16', 'floor')];

const NO_LIST = { error: { kind: 'registry-unreachable', message: 'down' } };

interface Situation {
  readonly own?: OpenAction;
  readonly open?: readonly OpenAction[];
  /** What is remembered of the lidar, which runs 1.0.0 unless said otherwise. */
  readonly lidar?: Partial<Remembered>;
  readonly type?: 'local';
  readonly components?: readonly object[];
}

function waitsFor({ own = OWN, open = [own], lidar, type, components = COMPONENTS }: Situation) {
  const lidarEntry = {
    ...entry('acme:lidar', '1.*'),
    ...(type && { type, executable_path: '/x' }),
  };
  const modules = [lidarEntry, entry('acme:map', '1.*')];
  const { machine } = machineQuestion({ components, modules }, {});
  const remembered = {
    deployed: readDeployed('1.0.0'),
    previous: undefined,
    restarts: [],
    quarantine: [],
  };
  const memory: MachineMemory = {
    open,
    quarantine: [],
    starts: [],
    isBlank: false,
    of: ({ name }) => (name === 'acme_lidar' ? { ...remembered, ...lidar } : remembered),
  };
  return blockingDependency(own, {
    machine,
    memory,
    platform: 'linux/arm64',
    now: NOW,
    listOf: () => NO_LIST,
  });
}

const NONE = { deployed: readDeployed(null) };
const UNKNOWN = { deployed: readDeployed(undefined) };
const quarantined = (until: number): Partial<Remembered> => ({
  quarantine: [{ version: '1.0.0', until }],
});

describe('an action [T62]', () => {
  it.each<[string, Situation, string | undefined]>([
    ['waits for nothing while its dependency runs', {}, undefined],
    ['waits for an earlier action of its dependency', { open: [LIDAR, OWN] }, 'acme_lidar'],
    ['waits for a later action of its dependency', { open: [OWN, LIDAR] }, 'acme_lidar'],
    [
      'waits after it was delivered, too',
      { own: delivered(upgrade({ target: MAP })), open: [LIDAR] },
      'acme_lidar',
    ],
    ['waits for a dependency that is not installed', { lidar: NONE }, 'acme_lidar'],
    [
      'waits for one whose action failed',
      { lidar: { ...UNKNOWN, restarts: [{ action: 'a-1', at: 1 }] } },
      'acme_lidar',
    ],
    ['does not wait for one that was never touched', { lidar: UNKNOWN }, undefined],
    ['waits for one in quarantine', { lidar: quarantined(NOW + 1) }, 'acme_lidar'],
    ['does not wait once the quarantine is over', { lidar: quarantined(NOW) }, undefined],
    ['does not wait for a local module', { lidar: NONE, type: 'local' }, undefined],
    [
      'in a circle goes first where it was committed first',
      { open: [OWN, LIDAR], components: CIRCLE },
      undefined,
    ],
    [
      'in a circle waits where it was committed later',
      { open: [LIDAR, OWN], components: CIRCLE },
      'acme_lidar',
    ],
    [
      'in a circle goes first though the other one is not installed',
      { open: [OWN, LIDAR], components: CIRCLE, lidar: NONE },
      undefined,
    ],
    [
      'that goes back waits for nothing',
      { own: waiting(upgrade({ target: MAP, direction: 'rollback' })), open: [LIDAR] },
      undefined,
    ],
    [
      'of a subsystem waits for nothing',
      { own: waiting(upgrade({ target: AGENT })), open: [LIDAR] },
      undefined,
    ],
  ])('%s', (_, situation, expected) => {
    expect(waitsFor(situation)).toBe(expected);
  });
});

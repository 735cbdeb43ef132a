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

/** The map needs the lidar. With `CYCLE`, the lidar needs the map as well. */
const COMPONENTS = [
  component('scanner', 'acme:lidar:vlp16'),
  component('floor', 'acme:map:grid', 'scanner'),
];
const CYCLE = [...COMPONENTS, component('probe', 'acme:lidar:vlp16', 'floor')];

const NO_LIST = { error: { kind: 'registry-unreachable', message: 'down' } };

interface Situation {
  readonly own?: OpenAction;
  readonly open?: readonly OpenAction[];
  /** The remembered state of the lidar. By default, 1.0.0 is deployed. */
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
    failed: undefined,
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
    ['waits for nothing while its dependency works', {}, undefined],
    ['waits for an earlier action of its dependency', { open: [LIDAR, OWN] }, 'acme_lidar'],
    ['waits for a later action of its dependency', { open: [OWN, LIDAR] }, 'acme_lidar'],
    [
      'also waits after it was delivered',
      { own: delivered(upgrade({ target: MAP })), open: [LIDAR] },
      'acme_lidar',
    ],
    ['waits for a dependency that is not installed', { lidar: NONE }, 'acme_lidar'],
    [
      'waits for a dependency whose last action left its version unknown',
      { lidar: { ...UNKNOWN, restarts: [{ action: 'a-1', at: 1 }] } },
      'acme_lidar',
    ],
    ['does not wait for a dependency that was never replaced', { lidar: UNKNOWN }, undefined],
    ['waits for a dependency in quarantine', { lidar: quarantined(NOW + 1) }, 'acme_lidar'],
    ['does not wait after the quarantine has ended', { lidar: quarantined(NOW) }, undefined],
    ['does not wait for a local module', { lidar: NONE, type: 'local' }, undefined],
    [
      'in a cycle does not wait if it was committed first',
      { open: [OWN, LIDAR], components: CYCLE },
      undefined,
    ],
    [
      'in a cycle waits if it was committed later',
      { open: [LIDAR, OWN], components: CYCLE },
      'acme_lidar',
    ],
    [
      'in a cycle does not wait if it was committed first, although the other module is not installed',
      { open: [OWN, LIDAR], components: CYCLE, lidar: NONE },
      undefined,
    ],
    [
      'for a rollback waits for nothing',
      { own: waiting(upgrade({ target: MAP, direction: 'rollback' })), open: [LIDAR] },
      undefined,
    ],
    [
      'for a subsystem waits for nothing',
      { own: waiting(upgrade({ target: AGENT })), open: [LIDAR] },
      undefined,
    ],
  ])('%s', (_, situation, expected) => {
    expect(waitsFor(situation)).toBe(expected);
  });
});

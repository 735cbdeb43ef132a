import { describe, expect, it } from 'vitest';
import {
  indexReleases,
  readDeployed,
  type Artifact,
  type ReleaseRecord,
} from '../../../src/core/index.ts';
import { blockingDependency } from '../../../src/core/plan/blocking-dependency.ts';
import type { OpenAction } from '../../../src/core/plan/committed-action.ts';
import type { MachineMemory, Remembered } from '../../../src/core/plan/machine-memory.ts';
import { keyOf } from '../../../src/core/plan/target.ts';
import { BLANK_MEMORY } from '../../support/blank-memory.ts';
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
  /** The remembered state of the map itself. */
  readonly map?: Partial<Remembered>;
  /** The releases of the lidar; its list is missing if absent. */
  readonly list?: readonly ReleaseRecord[];
  readonly type?: 'local';
  readonly components?: readonly object[];
}

function waitsFor({
  own = OWN,
  open = [own],
  lidar,
  map,
  list,
  type,
  components = COMPONENTS,
}: Situation) {
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
    ...BLANK_MEMORY,
    // A copy, because its order is remembered for each list.
    open: [...open],
    isBlank: false,
    of: (target) => ({ ...remembered, ...(keyOf(target) === 'module acme_lidar' ? lidar : map) }),
  };
  return blockingDependency(own, {
    machine,
    memory,
    platform: 'linux/arm64',
    now: NOW,
    listOf: ({ name }) =>
      list && name === 'acme_lidar' ? { index: indexReleases(list) } : NO_LIST,
  });
}

const NONE = { deployed: readDeployed(null) };
const RESTARTED = [{ action: 'a-1', at: 1 }];
const OF_AGENT = waiting(upgrade({ target: AGENT }));
const UNKNOWN = { deployed: readDeployed(undefined) };
/** A second action of the lidar, of another entry. */
const SECOND = waiting(upgrade({ target: moduleNamed('lidar_2', 'acme:lidar') }));
const [FAILED, REPAIRED] = ['aa', 'bb'].map((digits) => `sha256:${digits.repeat(32)}`);
const released = (...artifacts: readonly Artifact[]): ReleaseRecord => {
  return { version: '1.0.0', artifacts };
};
const FILE_FAILED = { quarantine: [{ version: '1.0.0', digest: FAILED }] };
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
      { lidar: { ...UNKNOWN, restarts: RESTARTED } },
      'acme_lidar',
    ],
    ['does not wait for a dependency that was never replaced', { lidar: UNKNOWN }, undefined],
    ['waits for a dependency in quarantine', { lidar: quarantined(NOW + 1) }, 'acme_lidar'],
    ['does not wait after the quarantine has ended', { lidar: quarantined(NOW) }, undefined],
    [
      'waits while the file that failed is published',
      { lidar: FILE_FAILED, list: [released({ platform: 'any', digest: FAILED })] },
      'acme_lidar',
    ],
    [
      'does not wait after the file that failed was replaced',
      { lidar: FILE_FAILED, list: [released({ platform: 'any', digest: REPAIRED })] },
      undefined,
    ],
    [
      'waits if the file was only replaced for another platform',
      {
        lidar: FILE_FAILED,
        list: [
          released(
            { platform: 'linux/arm64', digest: FAILED },
            { platform: 'linux/amd64', digest: REPAIRED },
          ),
        ],
      },
      'acme_lidar',
    ],
    [
      'waits for a file that failed and is not listed any more',
      { lidar: FILE_FAILED, list: [{ version: '1.1.0' }] },
      'acme_lidar',
    ],
    ['does not wait for itself', { map: NONE }, undefined],
    ['waits for a file that failed without a release list', { lidar: FILE_FAILED }, 'acme_lidar'],
    [
      'does not wait for text that is not a version',
      { lidar: { deployed: readDeployed('reload-7'), quarantine: [{ version: 'reload-7' }] } },
      undefined,
    ],
    [
      'does not wait for an address',
      { lidar: { deployed: readDeployed('https://b.example/x'), restarts: RESTARTED } },
      undefined,
    ],
    ['waits for the first of two actions', { open: [OWN, SECOND, LIDAR] }, 'lidar_2'],
    ['does not wait for an action of a subsystem', { open: [OF_AGENT, OWN] }, undefined],
    [
      'in a cycle waits if it is not open any more',
      { open: [LIDAR], components: CYCLE },
      'acme_lidar',
    ],
    [
      'in a cycle waits if another action of the module was committed first',
      { open: [SECOND, OWN, LIDAR], components: CYCLE },
      'lidar_2',
    ],
    [
      'in a cycle waits although it was committed first, if the version of the other module is unknown',
      { open: [OWN, LIDAR], components: CYCLE, lidar: UNKNOWN },
      'acme_lidar',
    ],
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
      {
        own: OF_AGENT,
        open: [LIDAR],
        components: [...COMPONENTS, component('camera', 'fake', 'scanner')],
      },
      undefined,
    ],
  ])('%s', (_, situation, expected) => {
    expect(waitsFor(situation)).toBe(expected);
  });
});

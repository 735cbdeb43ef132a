import { describe, expect, it } from 'vitest';
import { component, entry, known, plan, restarts } from '../../support/planned.ts';

const DUE = known('1.0.0', ['1.1.0']);
const LIDAR = component('lidar', 'acme:lidar:vlp16');

describe('the components that stop', () => {
  it.each([
    ['none for a module without components', [], []],
    [
      'the components of the module, in the order of the config',
      [LIDAR, component('rear', 'acme:lidar:x')],
      ['lidar', 'rear'],
    ],
    [
      'not the components that it depends on',
      [component('board', 'gpio'), component('lidar', 'acme:lidar:x', 'board')],
      ['lidar'],
    ],
    [
      'components that depend on them, before them',
      [LIDAR, component('base', 'wheeled', 'lidar')],
      ['base < lidar', 'lidar'],
    ],
    [
      'indirect dependents too',
      [LIDAR, component('base', 'wheeled', 'lidar'), component('arm', 'xarm', 'base')],
      ['arm < base', 'base < lidar', 'lidar'],
    ],
    [
      'each component once, after all its dependents',
      [
        component('arm', 'xarm', 'base', 'lidar'),
        LIDAR,
        component('base', 'wheeled', 'lidar'),
        component('map', 'slam', 'arm', 'base'),
      ],
      ['map < arm < base', 'arm < base < lidar', 'base < lidar', 'lidar'],
    ],
    [
      'a component after a direct and an indirect dependent',
      [LIDAR, component('base', 'wheeled', 'lidar'), component('map', 'slam', 'lidar', 'base')],
      ['map < lidar < base', 'base < lidar', 'lidar'],
    ],
    [
      'with only those of its dependencies that stop',
      [LIDAR, component('board', 'gpio'), component('base', 'wheeled', 'lidar', 'board')],
      ['base < lidar', 'lidar'],
    ],
    [
      'components of the module that depend on each other, the dependent one first',
      [LIDAR, component('rear', 'acme:lidar:x', 'lidar')],
      ['rear', 'lidar'],
    ],
    [
      'only components with a model of exactly this module_id',
      [component('a', 'acme:arm:x'), component('b', 'lidar')],
      [],
    ],
  ])('%s', (_, components, stopped) => {
    const [module] = plan(
      { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')], components },
      { acme_lidar: DUE },
    ).modules;
    expect(
      module?.stops.map(({ component: name, dependsOn }) => [name, ...dependsOn].join(' < ')),
    ).toEqual(stopped);
  });

  it('each has the module of its model, unless the server has it', () => {
    const document = {
      modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')],
      components: [
        component('arm', 'acme:arm:six', 'base'),
        component('base', 'wheeled', 'lidar'),
        LIDAR,
      ],
    };
    const { modules } = plan(document, { acme_lidar: DUE });
    expect(modules[0]?.stops).toStrictEqual([
      { component: 'arm', moduleId: 'acme:arm', dependsOn: ['base'] },
      { component: 'base', dependsOn: ['lidar'] },
      { component: 'lidar', moduleId: 'acme:lidar', dependsOn: [] },
    ]);
  });

  it.each([
    ['a module that is up to date stops nothing', known('1.1.0', ['1.1.0']), 0],
    ['a first install stops nothing', known(null, ['1.1.0']), 0],
    ['a stuck module stops nothing', known('1.0.0', ['2.0.0']), 0],
    [
      'a held replacement lists the component that it will stop',
      { ...DUE, restarts: [Date.parse('2026-11-20T23:59:59Z')] },
      1,
    ],
  ])('%s', (_, module, count) => {
    const document = { modules: [entry('acme:lidar', '1.*')], components: [LIDAR] };
    expect(plan(document, { acme_lidar: module }).modules[0]?.stops).toHaveLength(count);
  });

  it('a chain of 12,000 dependents does not overflow the stack', () => {
    const chain = Array.from({ length: 12_000 }, (_, place) =>
      component(`c${place}`, 'wheeled', place === 0 ? 'lidar' : `c${place - 1}`),
    );
    const document = { modules: [entry('acme:lidar', '1.*')], components: [LIDAR, ...chain] };
    const [module] = plan(document, { acme_lidar: DUE }).modules;
    expect(module?.stops.map((stop) => stop.component)).toEqual([
      ...Array.from(chain, (_, place) => `c${place}`).toReversed(),
      'lidar',
    ]);
  });
});

describe('restarts', () => {
  const modules = [entry('acme:arm', '1.*'), entry('acme:lidar', '1.*'), entry('acme:cam', '1.*')];
  const all = { acme_arm: DUE, acme_lidar: DUE, acme_cam: DUE };
  const ARM = component('arm', 'acme:arm:six');
  const CAM = component('cam', 'acme:cam:x');

  it.each([
    [
      'modules that share no component restart separately',
      [ARM, LIDAR, CAM],
      [
        'modules: acme_arm upgrade 1.1.0 | arm',
        'modules: acme_lidar upgrade 1.1.0 | lidar',
        'modules: acme_cam upgrade 1.1.0 | cam',
      ],
    ],
    [
      'a module and its dependent share a restart, the module first',
      [component('arm', 'acme:arm:six', 'lidar'), LIDAR, CAM],
      [
        'modules: acme_lidar upgrade 1.1.0, acme_arm upgrade 1.1.0 | arm, lidar',
        'modules: acme_cam upgrade 1.1.0 | cam',
      ],
    ],
    [
      'two modules that would stop the same component share a restart',
      [ARM, CAM, component('base', 'wheeled', 'arm', 'cam'), LIDAR],
      [
        'modules: acme_arm upgrade 1.1.0, acme_cam upgrade 1.1.0 | base < arm < cam, arm, cam',
        'modules: acme_lidar upgrade 1.1.0 | lidar',
      ],
    ],
    [
      'a component that two groups would stop joins them',
      [
        ARM,
        CAM,
        component('lidar', 'acme:lidar:x', 'arm'),
        component('base', 'wheeled', 'lidar', 'cam'),
      ],
      [
        'modules: acme_arm upgrade 1.1.0, acme_lidar upgrade 1.1.0, acme_cam upgrade 1.1.0 | base < lidar < cam, lidar, arm, cam',
      ],
    ],
    [
      'two modules share a restart through a third',
      [
        ARM,
        CAM,
        LIDAR,
        component('one', 'wheeled', 'arm', 'lidar'),
        component('two', 'wheeled', 'cam', 'lidar'),
      ],
      [
        'modules: acme_arm upgrade 1.1.0, acme_lidar upgrade 1.1.0, acme_cam upgrade 1.1.0 | one < arm < lidar, arm, two < cam < lidar, cam, lidar',
      ],
    ],
    [
      'the last module of the config joins two separate restarts',
      [
        ARM,
        LIDAR,
        CAM,
        component('one', 'wheeled', 'arm', 'cam'),
        component('two', 'wheeled', 'lidar', 'cam'),
      ],
      [
        'modules: acme_arm upgrade 1.1.0, acme_lidar upgrade 1.1.0, acme_cam upgrade 1.1.0 | one < arm < cam, arm, two < lidar < cam, lidar, cam',
      ],
    ],
    [
      'a module that depends on modules in a cycle comes after them',
      [
        component('arm', 'acme:arm:six', 'cam'),
        component('cam', 'acme:cam:x', 'lidar2'),
        LIDAR,
        component('lidar2', 'acme:lidar:x'),
        component('cam2', 'acme:cam:x'),
        component('lidar3', 'acme:lidar:x', 'cam2'),
      ],
      [
        'modules: acme_lidar upgrade 1.1.0, acme_cam upgrade 1.1.0, acme_arm upgrade 1.1.0 | arm, cam, lidar, lidar2, lidar3, cam2',
      ],
    ],
    [
      'modules that depend on each other share a restart, in the order of the config',
      [
        component('arm', 'acme:arm:six', 'lidar2'),
        component('arm2', 'acme:arm:six'),
        component('lidar', 'acme:lidar:x', 'arm2'),
        component('lidar2', 'acme:lidar:x'),
        CAM,
      ],
      [
        'modules: acme_arm upgrade 1.1.0, acme_lidar upgrade 1.1.0 | arm, lidar, arm2, lidar2',
        'modules: acme_cam upgrade 1.1.0 | cam',
      ],
    ],
    [
      'three modules that depend on each other in a circle, too',
      [
        component('arm', 'acme:arm:six', 'lidar2'),
        component('arm2', 'acme:arm:six'),
        component('lidar', 'acme:lidar:x', 'cam2'),
        component('lidar2', 'acme:lidar:x'),
        component('cam', 'acme:cam:x', 'arm2'),
        component('cam2', 'acme:cam:x'),
      ],
      [
        'modules: acme_arm upgrade 1.1.0, acme_lidar upgrade 1.1.0, acme_cam upgrade 1.1.0 | arm, lidar, lidar2, cam, arm2, cam2',
      ],
    ],
  ])('%s', (_, components, expected) => {
    expect(restarts(plan({ modules, components }, all))).toEqual(expected);
  });

  const onLidar = [component('arm', 'acme:arm:six', 'lidar'), LIDAR];
  it.each([
    [
      'two entries of one module come before a module that depends on its component',
      [entry('acme:arm', '1.*'), entry('acme:lidar', '1.*'), entry('acme:lidar', '1.*', 'second')],
      { acme_arm: DUE, acme_lidar: DUE, second: DUE },
      'modules: acme_lidar upgrade 1.1.0, second upgrade 1.1.0, acme_arm upgrade 1.1.0 | arm, lidar',
    ],
    [
      'a first install stops nothing, even with an installed dependent',
      [entry('acme:arm', '1.*'), entry('acme:lidar', '1.*')],
      { acme_arm: known('1.1.0', ['1.1.0']), acme_lidar: known(null, ['1.1.0']) },
      'modules: acme_lidar install 1.1.0 | ',
    ],
    [
      'a module may have the name of a subsystem',
      [entry('acme:lidar', '1.*', 'platform-server'), entry('acme:arm', '1.*')],
      { 'platform-server': DUE, acme_arm: known('1.1.0', ['1.1.0']) },
      'modules: platform-server upgrade 1.1.0 | arm < lidar, lidar',
    ],
  ])('%s', (_, entries, states, expected) => {
    expect(restarts(plan({ modules: entries, components: onLidar }, states))).toEqual([expected]);
  });

  it('an install comes before an upgrade that depends on it', () => {
    const states = { acme_arm: DUE, acme_lidar: known(null, ['1.1.0']) };
    const answer = plan({ modules: modules.slice(0, 2), components: onLidar }, states);
    expect(restarts(answer)).toEqual([
      'modules: acme_lidar install 1.1.0, acme_arm upgrade 1.1.0 | arm',
    ]);
  });

  it.each([
    ['for exactly the platform', ['any', 'linux/aarch64'], 'linux/aarch64'],
    ['for any platform', ['linux/amd64', 'any'], 'any'],
    ['undefined if none is listed', [], undefined],
  ])('the artifact of an action: %s', (_, platforms, expected) => {
    const artifacts = platforms.map((platform) => ({ platform }));
    const release = platforms.length === 0 ? '1.1.0' : { version: '1.1.0', artifacts };
    const document = { modules: [entry('acme:lidar', '1.*')] };
    const [restart] = plan(document, { acme_lidar: known('1.0.0', [release]) }).restarts;
    expect(restart?.actions[0]?.artifact?.platform).toBe(expected);
  });

  it('a restart contains the complete action', () => {
    const list = [
      {
        version: '1.1.0',
        artifacts: [
          { platform: 'any', digest: 'sha256:aa' },
          { platform: 'linux/aarch64', digest: 'sha256:bb' },
        ],
      },
    ];
    const document = { modules: [entry('acme:lidar', '1.*')], components: [LIDAR] };
    const [restart] = plan(document, { acme_lidar: known('1.0.0', list) }).restarts;
    expect(restart?.actions).toEqual([
      {
        kind: 'restart-and-upgrade',
        target: { kind: 'module', name: 'acme_lidar', moduleId: 'acme:lidar' },
        from: '1.0.0',
        to: '1.1.0',
        artifact: { platform: 'linux/aarch64', digest: 'sha256:bb' },
        direction: 'upgrade',
        stops: [{ component: 'lidar', moduleId: 'acme:lidar', dependsOn: [] }],
        reason: { kind: 'constraint', constraint: '1.*', text: 'newest release of 1' },
        decidedAt: Date.parse('2026-11-21T00:00:00Z'),
      },
    ]);
  });
});

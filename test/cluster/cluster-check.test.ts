import { expect, it } from 'vitest';
import {
  checkCluster,
  type ClusterFacts,
  type NodeFacts,
} from '../../src/cluster/cluster-check.ts';

type JetStream = NonNullable<NodeFacts['jetStream']>;

function node(place: number, change: Partial<NodeFacts> = {}): NodeFacts {
  const name = `n${place}`;
  return {
    id: `id-${place}`,
    name,
    version: '2.10.27',
    cluster: 'modreg',
    jetStream: jetStream(),
    ...change,
  };
}

function jetStream(change: Partial<JetStream> = {}): JetStream {
  return {
    syncsAlways: true,
    syncIntervalMs: 120_000,
    leader: 'n1',
    others: [],
    size: 3,
    ...change,
  };
}

function facts(...nodes: readonly (NodeFacts | string)[]): ClusterFacts {
  return {
    nodes: new Map(nodes.map((one, place) => [`10.0.0.${place + 1}:8222`, one])),
    streams: [],
    fronts: [],
  };
}

/** What is wrong, a line for each. */
function wrongIn(found: ClusterFacts): string[] {
  return checkCluster(found)
    .filter(({ isWrong }) => isWrong)
    .map(({ subject, text }) => `${subject}: ${text}`);
}

it.each([
  ['2.9.10', ['n3: nats-server 2.9.10, expected at least 2.10.27']],
  ['2.10.26', ['n3: nats-server 2.10.26, expected at least 2.10.27']],
  ['2.10.27-RC.1', ['n3: nats-server 2.10.27-RC.1, expected at least 2.10.27']],
  ['strange', ['n3: nats-server strange, expected at least 2.10.27']],
  ['2.10.28', []],
  ['2.15.1', []],
])('a node of version %s', (version, expected) => {
  expect(wrongIn(facts(node(1), node(2), node(3, { version })))).toEqual(expected);
});

it.each([
  ['without JetStream', { jetStream: undefined }, ['n3: JetStream is off']],
  [
    'that writes later',
    { jetStream: jetStream({ syncsAlways: false }) },
    ['n3: writes its files to the disk every 2 min, expected before each acknowledgement'],
  ],
  ['of another cluster', { cluster: 'other' }, ['cluster: 2 clusters: modreg, other']],
  ['without a cluster', { cluster: '' }, ['cluster: 2 clusters: modreg, none']],
  [
    'that knows another leader',
    { jetStream: jetStream({ leader: 'n2' }) },
    ['cluster: the nodes name different leaders'],
  ],
  [
    'of a larger cluster',
    { jetStream: jetStream({ size: 5 }) },
    ['cluster: it has 5 nodes, and 3 are named'],
  ],
  ['with the id of another', { id: 'id-1' }, ['cluster: two addresses are of one node']],
])('a node %s', (_name, change, expected) => {
  expect(wrongIn(facts(node(1), node(2), node(3, change)))).toEqual(expected);
});

it('a cluster of two nodes loses its majority with one', () => {
  const two = { jetStream: jetStream({ size: 2 }) };
  expect(wrongIn(facts(node(1, two), node(2, two)))).toEqual([
    'cluster: 2 named, expected at least 3 nodes',
  ]);
});

it('a cluster without a leader', () => {
  const none = { jetStream: jetStream({ leader: '' }) };
  expect(wrongIn(facts(node(1, none), node(2, none), node(3, none)))).toEqual([
    'cluster: no leader',
  ]);
});

it('escapes what a node says about itself', () => {
  const name = 'n\u001B[31m';
  expect(wrongIn(facts(node(1), node(2), node(3, { name, version: '1\n' })))).toEqual([
    String.raw`n\u{1b}[31m: nats-server 1\u{a}, expected at least 2.10.27`,
  ]);
});

it('a stream that no node leads', () => {
  const stored = { settings: [], leader: '', replicas: [] };
  const found = { ...facts(node(1), node(2), node(3)), streams: [{ name: 'RELEASES', stored }] };
  expect(wrongIn(found)).toEqual(['RELEASES: no node leads it']);
});

it('[T260] each event that cannot be read, and what to do about it', () => {
  const event = 'event 4 of the stream (modreg.release.acme.lidar) cannot be read: it has schema 3';
  const stored = { settings: [], leader: 'n1', replicas: [], unreadable: [event] };
  const found = { ...facts(node(1), node(2), node(3)), streams: [{ name: 'RELEASES', stored }] };
  const fix =
    'upgrade modreg on all fronts, and start them again; docs/fleet-cluster.md says what to do if the newest modreg cannot read it either';
  expect(checkCluster(found).at(-1)).toEqual({
    subject: 'RELEASES',
    isWrong: true,
    text: event,
    fix,
  });
});

it('[T248] a stream of which something was passed over', () => {
  const stored = { settings: [], leader: 'n1', replicas: [] };
  const passedOver = 'reports in 2 messages were passed over';
  const streams = [{ name: 'REPORTS', stored, passedOver }];
  expect(wrongIn({ ...facts(node(1), node(2), node(3)), streams })).toEqual([
    'REPORTS: reports in 2 messages were passed over',
  ]);
});

it('[D205] a front that could not read what others write', () => {
  const fronts = [
    { at: '10.0.0.7:51234', version: undefined, reads: 1 },
    { at: '10.0.0.8:51234', version: '0.3.0', reads: 2 },
    { at: '10.0.0.9:51234', version: '0.9.0', reads: 3 },
    { at: '10.0.0.10:51234', version: '1.9.0', reads: 4 },
  ];
  const found = checkCluster({ ...facts(node(1), node(2), node(3)), fronts });
  expect(found.filter(({ isWrong }) => isWrong)).toEqual([
    {
      subject: 'front 10.0.0.7:51234',
      isWrong: true,
      text: 'modreg before 0.3, which reads events up to schema 1, expected schema 3',
      fix: 'upgrade modreg on it before a change that needs that',
    },
    {
      subject: 'front 10.0.0.8:51234',
      isWrong: true,
      text: 'modreg 0.3.0, which reads events up to schema 2, expected schema 3',
      fix: 'upgrade modreg on it before a change that needs that',
    },
  ]);
});

import { expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import {
  APPROVER,
  AUTHOR,
  digestOf,
  role,
  signed,
  STRANGER,
  trustOf,
  VENDOR,
} from '../support/signed.ts';
import { testRegistry } from './support/registry.ts';

const NAMES = [AUTHOR.id, APPROVER.id].join(', ');

function release(version: string) {
  const url = `https://files.example/${version}`;
  const artifacts = [{ platform: 'any', url, digest: digestOf(version), size: 5 }];
  return { version, published_at: '2026-11-21T01:02:03Z', artifacts };
}

const ONE = release('1.2.0');
const BY_AUTHOR = signed('acme:lidar', ONE, AUTHOR);
const [wrong] = Object.values(signed('acme:lidar', release('1.3.0'), AUTHOR).signatures);

/** A registry whose releases of acme need two signatures, with 1.1.0 from before it had keys. */
function trusted() {
  const registry = testRegistry();
  const old = readRelease(release('1.1.0'));
  if (!old.ok) throw new Error(old.error.join());
  registry.catalogue.publish(moduleId('acme:lidar'), old.value, registry.now);
  registry.catalogue.trust.store(trustOf().text);
  return registry;
}

function refusal(version: string, found: string, module = 'acme:lidar', keys = NAMES): string {
  const [namespace] = module.split(':');
  return `/signatures: ${module} ${version} has ${found}, and this registry takes only what a key of ${namespace} signed (${keys}): sign it with modreg registry publish ${module} ${version} --key <file>, and the same files`;
}

const NO_SIZE = { ...ONE, artifacts: [{ ...ONE.artifacts[0], size: undefined }] };

it.each<[string, string, object, string]>([
  ['without signatures', 'acme/lidar', ONE, refusal('1.2.0', 'no signature')],
  [
    'that only another key signed',
    'acme/lidar',
    signed('acme:lidar', ONE, STRANGER),
    refusal('1.2.0', `a signature of key ${STRANGER.id}`),
  ],
  [
    'that another key signed besides',
    'acme/lidar',
    signed('acme:lidar', ONE, AUTHOR, STRANGER),
    refusal('1.2.0', `a signature of key ${STRANGER.id}`),
  ],
  [
    'with the signature of another version',
    'acme/lidar',
    { ...ONE, signatures: { [AUTHOR.id]: wrong } },
    refusal('1.2.0', `a signature of key ${AUTHOR.id} that is not of this release`),
  ],
  [
    'that says no time',
    'acme/lidar',
    { ...BY_AUTHOR, published_at: undefined },
    refusal('1.2.0', `a signature of key ${AUTHOR.id} that is not of this release`),
  ],
  [
    'with a file without a size',
    'acme/lidar',
    { ...NO_SIZE, signatures: BY_AUTHOR.signatures },
    refusal('1.2.0', `a signature of key ${AUTHOR.id} that is not of this release`),
  ],
  [
    'of the agent, signed by a key of *',
    'platform/agent',
    signed('platform:agent', ONE, APPROVER),
    refusal('1.2.0', `a signature of key ${APPROVER.id}`, 'platform:agent', VENDOR.id),
  ],
])('[D146] refuses a release %s', async (_title, path, body, detail) => {
  const registry = trusted();
  const answer = await registry.ask('POST', `/v1/modules/${path}/releases`, { body });
  expect([answer.status, answer.json]).toEqual([
    422,
    {
      type: 'urn:modreg:bad-release',
      title: 'The body has errors',
      status: 422,
      detail,
      errors: [detail],
    },
  ]);
  expect(registry.events.map(({ kind }) => kind)).not.toContain('published');
  expect(registry.catalogue.sequence()).toBe(1);
});

it('[D146] refuses a release whose namespace no key signs for', async () => {
  const registry = testRegistry();
  registry.catalogue.trust.store(trustOf([role('namespace other', 1, AUTHOR)]).text);
  const answer = await registry.ask('POST', '/v1/modules/acme/lidar/releases', { body: BY_AUTHOR });
  expect([answer.status, Object(answer.json).detail]).toEqual([
    422,
    '/signatures: acme:lidar 1.2.0 cannot be signed: the trust document of the registry names no key for acme',
  ]);
});

it('[D146] takes one of two signatures, and then only right ones of other keys', async () => {
  const registry = trusted();
  const published = signed('acme:lidar', ONE, AUTHOR, APPROVER).signatures;
  const steps: [object, number, string | undefined][] = [
    [BY_AUTHOR, 201, 'published'],
    [ONE, 200, 'unchanged'],
    [{ ...ONE, signatures: { [AUTHOR.id]: wrong } }, 422, undefined],
    [signed('acme:lidar', ONE, AUTHOR, STRANGER), 422, undefined],
    [{ ...ONE, signatures: published }, 200, 'signed'],
    // One from before the registry had keys: it does not change, and its signatures are added.
    [release('1.1.0'), 200, 'unchanged'],
    [signed('acme:lidar', release('1.1.0'), STRANGER), 422, undefined],
    [signed('acme:lidar', release('1.1.0'), APPROVER), 200, 'signed'],
  ];
  for (const [body, status, result] of steps) {
    const answer = await registry.ask('POST', '/v1/modules/acme/lidar/releases', { body });
    expect([answer.status, Object(answer.json).result]).toEqual([status, result]);
  }
  const yank = '/v1/modules/acme/lidar/releases/1.1.0/yank';
  expect((await registry.ask('PUT', yank, { body: { reason: 'brake' } })).status).toBe(200);
});

it('[D146] refuses a list with one unsigned release as a whole', () => {
  const { catalogue } = trusted();
  const releases = [BY_AUTHOR, release('1.3.0')].flatMap((one) => {
    const read = readRelease(one);
    return read.ok ? [read.value] : [];
  });
  const id = moduleId('acme:lidar');
  expect(catalogue.publishAll(id, releases, 0)).toEqual(['published', 'unsigned']);
  expect(catalogue.isYanked(id, '1.2.0')).toBeUndefined();
});

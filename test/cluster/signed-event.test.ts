import { expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '../../src/cluster/event.ts';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { AUTHOR, signed } from '../support/signed.ts';

const PLAIN = { version: '1.2.0', published_at: '2026-11-23T10:00:00Z' };

it.each([
  [signed('acme:lidar', PLAIN, AUTHOR), 2],
  [PLAIN, 1],
])('[T461] the publication of %j has schema %s, and its signatures', (fields, schema) => {
  const release = readRelease(fields);
  if (!release.ok) throw new Error(release.error.join());
  const event = { kind: 'publish', moduleId: moduleId('acme:lidar'), start: undefined, now: 5 };
  const text = encodeEvent({ ...event, release: release.value } as never);
  expect(Object(JSON.parse(text)).schema).toBe(schema);
  const read = decodeEvent(text);
  expect(read.ok && read.value.event).toMatchObject({ kind: 'publish', release: release.value });
});

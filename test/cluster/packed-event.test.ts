import { zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '../../src/cluster/event.ts';
import { MACHINE_SCHEMA } from '../../src/cluster/machine-event.ts';
import { publication } from './support/following-front.ts';

const LARGEST = 64 * 1024 * 1024;

it.each([
  [LARGEST, true],
  [LARGEST + 1, false],
])('[D397] an event of %i bytes once it is unpacked is read: %s', (bytes, isRead) => {
  const text = encodeEvent(publication('acme:lidar', '1.0.0')).padEnd(bytes);
  const zstd = zstdCompressSync(text).toString('base64');
  expect(decodeEvent(JSON.stringify({ schema: MACHINE_SCHEMA, zstd })).ok).toBe(isRead);
});

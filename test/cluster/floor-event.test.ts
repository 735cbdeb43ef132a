import { expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '../../src/cluster/event.ts';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';

function publication(fields: object): string {
  const release = readRelease({ version: '1.2.0', ...fields });
  if (!release.ok) throw new Error(release.error.join());
  const start = undefined;
  const published = { kind: 'publish', moduleId: moduleId('acme:lidar'), start, now: 5 } as const;
  return encodeEvent({ ...published, release: release.value });
}

it.each([
  [{ floor: true }, 2],
  [{ floor: false }, 1],
  [{}, 1],
])(
  '[T392] the publication of %j has schema %s, and is read as it was written',
  (fields, schema) => {
    const text = publication(fields);
    expect(Object(JSON.parse(text)).schema).toBe(schema);
    const read = decodeEvent(text);
    expect(read.ok && read.value.event).toMatchObject({
      kind: 'publish',
      release: { version: '1.2.0', ...(schema === 2 ? { floor: true } : {}) },
    });
  },
);

it('[T392] a later schema than that of floors is not understood', () => {
  const later = publication({ floor: true }).replace('"schema":2', '"schema":4');
  expect(decodeEvent(later)).toEqual({
    ok: false,
    error: { kind: 'later', message: 'it has schema 4, and this modreg understands 3' },
  });
});

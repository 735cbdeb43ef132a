import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '../../src/cluster/event.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = moduleId('acme:lidar');
const NOW = Date.parse('2026-11-21T01:02:03Z');

function schemaOf(text: string): unknown {
  // An event is a JSON object.
  return (JSON.parse(text) as { schema: unknown }).schema;
}

describe('[T399] the event that a release is deprecated', () => {
  it.each(['use 1.3', '', null])('is the same once it is read: %o', (reason) => {
    const event = {
      kind: 'deprecate',
      moduleId: LIDAR,
      version: '1.2.9',
      reason,
      now: NOW,
    } as const;
    const text = encodeEvent(event);
    expect(decodeEvent(text)).toEqual({ ok: true, value: { event, mended: undefined } });
  });

  it('has a schema that earlier fronts take for that of a later modreg', () => {
    const event = { moduleId: LIDAR, version: '1.2.9', reason: '', now: NOW } as const;
    expect(schemaOf(encodeEvent({ kind: 'deprecate', ...event }))).toBe(2);
    expect(schemaOf(encodeEvent({ kind: 'yank', ...event }))).toBe(1);
    const later = JSON.stringify({ schema: 4, kind: 'deprecate', ...event });
    expect(decodeEvent(later)).toEqual({
      ok: false,
      error: { kind: 'later', message: 'it has schema 4, and this modreg understands 3' },
    });
  });
});

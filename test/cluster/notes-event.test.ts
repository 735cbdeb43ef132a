import { expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '../../src/cluster/event.ts';
import { moduleId } from '../support/ask.ts';

const schemaOf = (body: string): unknown => Object(JSON.parse(body)).schema;

it('[D379] release notes are an event that earlier fronts do not take, as are the rows of them', () => {
  const release = { moduleId: moduleId('acme:lidar'), version: '1.0.0' };
  const event = { kind: 'notes', ...release, notes: '# Faster\n' } as const;
  const text = encodeEvent(event);
  expect(decodeEvent(text)).toEqual({ ok: true, value: { event, mended: undefined } });
  const rows = [['release_notes', 1, '# Faster\n']] as const;
  expect([text, encodeEvent({ kind: 'rows', rows })].map(schemaOf)).toEqual([2, 2]);
});

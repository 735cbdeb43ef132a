import { describe, expect, it } from 'vitest';
import { testRegistry } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';

describe('[D86] [T446] a release that requires something', () => {
  it.each<[unknown, string]>([
    [
      { 'acme:base': '1.*', kernel: '6' },
      '/requires: "kernel" is not a module id, expected platform-server, platform-agent, a module id or tags',
    ],
    [{}, '/requires: expected platform-server, platform-agent, a module id or tags'],
    [
      { 'acme:base': 'latest' },
      '/requires/acme:base: expected a range of npm such as >=1.4.0 <2, or a list of ranges that must all fit',
    ],
    [
      { 'acme:base': 2 },
      '/requires/acme:base: expected a range of npm such as >=1.4.0 <2, or a list of ranges that must all fit',
    ],
    [{ tags: 'rack:b4' }, '/requires/tags: expected a list of tags'],
    [
      { tags: ['rack:b4', 'Rack'] },
      '/requires/tags/1: "Rack" is not a tag, expected one such as distro:debian',
    ],
    [
      { 'acme:base': ['1.*', 'x.y'] },
      '/requires/acme:base/1: "x.y" is not a range, expected a range of npm such as >=1.4.0 <2',
    ],
  ])('is not published with %j', async (requires, detail) => {
    const registry = testRegistry();
    const answer = await registry.ask('POST', RELEASES, { body: { version: '1.3.0', requires } });
    expect([answer.status, Object(answer.json).detail]).toEqual([422, detail]);
  });
});

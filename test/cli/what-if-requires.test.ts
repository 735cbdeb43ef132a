import { expect, it } from 'vitest';
import { indexReleases } from '../../src/core/index.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import { groupedEffects } from '../../src/site/effect-groups.ts';
import { effectsOf } from '../../src/site/what-if.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { requiring } from '../support/required.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

it('[T389] what-if does not count on what a machine did not report', () => {
  const index = indexReleases(['1.2.9', requiring('1.4.0', { 'platform-server': '>=1.4' })]);
  const whatIf = { index, version: '1.4.0', now: NOW, isStaged: false };
  const state = {
    ...lidarReport({}, NOW),
    facts: Object(lidarReport({}, NOW).facts),
    platform: 'linux/arm64',
  };
  const effects = uninterrupted(
    effectsOf([{ state, machines: ['rover-1'] }], whatIf, { monotonic: () => 0 }),
  );
  const { groups } = groupedEffects(effects, { version: '1.4.0', now: NOW });
  expect(groups.map(({ when, what }) => `${when}, ${what}`)).toEqual([
    'never, requires platform-server >=1.4, but what is deployed is not known',
  ]);
});

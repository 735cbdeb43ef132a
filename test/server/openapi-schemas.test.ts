import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { readReason, yankBody } from '../../src/server/catalogue/published-reason.ts';
import { readReport } from '../../src/server/fleet/report.ts';
import { readRolloutRequest } from '../../src/server/rollout/rollout-request.ts';
import { OPENAPI } from '../../src/server/routes/openapi.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';

const READERS = {
  NewRelease: readRelease,
  YankReason: (json: unknown) => readReason(json),
  NewYank: (json: unknown) => readReason(json, yankBody),
  RolloutChange: readRolloutRequest,
  MachineReport: readReport,
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(OPENAPI, 'openapi');

const HEX = 'a'.repeat(64);
const artifact = { platform: 'any', url: 'https://acme.example/a', digest: `sha256:${HEX}` };
const platforms = ['any', 'linux/any', 'any/amd64', 'any/arm64', 'linux/amd64', 'linux/arm64'];
const everyPlatform = platforms.map((platform) => Object.assign({}, artifact, { platform }));

it.each<[keyof typeof READERS, string, unknown, boolean]>([
  ['NewRelease', 'only a version', { version: '1.2.3' }, true],
  ['NewRelease', 'no version', {}, false],
  ['NewRelease', 'an unknown field', { version: '1.2.3', platforms: [] }, false],
  [
    'NewRelease',
    'an artifact for each platform',
    { version: '1.2.3', artifacts: everyPlatform },
    true,
  ],
  ['NewRelease', 'one more', { version: '1.2.3', artifacts: [...everyPlatform, artifact] }, false],
  [
    'NewRelease',
    'a size below 0',
    { version: '1.2.3', artifacts: [{ ...artifact, size: -1 }] },
    false,
  ],
  [
    'NewRelease',
    'a soak of 31 days',
    { version: '1.2.3', rollout: { soak_ms: 2_678_400_000 } },
    false,
  ],
  [
    'NewRelease',
    'null for what is absent',
    { version: '1.2.3', deprecated: null, rollout: null },
    true,
  ],
  ['NewRelease', 'a long reason', { version: '1.2.3', yanked: 'x'.repeat(1001) }, false],
  [
    'NewRelease',
    '1,000 characters of two units',
    { version: '1.2.3', yanked: '🤖'.repeat(1000) },
    true,
  ],
  ['YankReason', 'no reason', {}, true],
  ['YankReason', 'a long reason', { reason: 'x'.repeat(1001) }, false],
  ['RolloutChange', 'a start without a soak', { event: 'start' }, true],
  ['RolloutChange', 'a step of 0 %', { event: 'raise', after: 1, percent: 0 }, false],
  ['RolloutChange', 'a step of 150 %', { event: 'raise', after: 1, percent: 150 }, false],
  ['RolloutChange', 'the next step', { event: 'raise', after: 1 }, true],
  ['RolloutChange', 'a halt that names no event', { event: 'halt', reason: '' }, false],
  ['RolloutChange', 'another event', { event: 'stop', after: 1 }, false],
  [
    'MachineReport',
    'outcomes and a state',
    machineReport([1, 2], { state: reportedState(1, {}) }),
    true,
  ],
  ['MachineReport', 'no state', machineReport([1], { state: null }), true],
  ['MachineReport', 'a field of a later modreg', { ...machineReport([1]), later: 1 }, true],
  ['MachineReport', 'a short queue', machineReport([1], { queue: 'q' }), false],
  ['MachineReport', 'a number below 0', machineReport([], { after: -1 }), false],
  [
    'MachineReport',
    'a decision of two words',
    machineReport([], { state: reportedState(1, { decision: 'up to' }) }),
    false,
  ],
  [
    'MachineReport',
    'a module id that is none',
    machineReport([], { state: reportedState(1, { module_id: 'acme' }) }),
    false,
  ],
])('%s in OpenAPI and its reader agree on %s', (name, _, body, isAccepted) => {
  const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
  expect([READERS[name](body).ok, validate(body)]).toEqual([isAccepted, isAccepted]);
});

import { describe, expect, it } from 'vitest';
import { decide, planMachine } from '../../../src/core/index.ts';
import { waitsForMoment } from '../../../src/core/decision/timing-policies.ts';
import { decidesOn, moduleQuestion } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';
import { entry, known, machineQuestion } from '../../support/planned.ts';

const HOUR = DAY / 24;
const DUE = { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.3', '1.2.5'] } as const;
const OF_POLICY = {
  of: 'policy',
  path: '/maintenence',
  suggestion: 'maintenance',
  more: 0,
} as const;
const OF_AGENT = {
  of: 'agent',
  path: '/agent/version_control',
  suggestion: undefined,
  more: 2,
} as const;
const HELD = { unknownFields: [OF_POLICY] };
const WORDS = 'the policy has the unknown field /maintenence; did you mean maintenance ?';
const REQUEST = {
  requestedAt: NOW - HOUR / 2,
  by: 'ann',
  because: undefined,
  from: '1.2.3',
  to: '1.2.5',
  despite: [],
};

describe('D240: a field of a document is not known', () => {
  decidesOn([
    { case: 'D240 an upgrade', ...DUE, timing: HELD, expected: `upgrade to 1.2.5 waits: ${WORDS}` },
    {
      case: 'D240 a first install, which no window holds',
      ...DUE,
      deployed: null,
      timing: HELD,
      expected: `install of 1.2.5 waits: ${WORDS}`,
    },
    {
      case: 'D240 a downgrade',
      ...DUE,
      deployed: '2.0.0',
      timing: HELD,
      expected: `downgrade to 1.2.5 waits: ${WORDS}`,
      warns: ['downgrade'],
    },
    {
      case: 'D240 a requested restart, which a window would hold',
      ...DUE,
      deployed: '1.2.5',
      timing: HELD,
      restartRequest: { requestedAt: NOW - HOUR, isImmediate: false },
      expected: `restart of 1.2.5 waits: ${WORDS}; an operator requested a restart at 2026-11-20T23:00:00Z`,
    },
    {
      case: 'D240 no immediate restart',
      ...DUE,
      deployed: '1.2.5',
      timing: HELD,
      restartRequest: { requestedAt: NOW - HOUR, isImmediate: true },
      expected:
        'restart of 1.2.5: an operator requested an immediate restart at 2026-11-20T23:00:00Z',
    },
    {
      case: 'D240 nothing that is kept',
      ...DUE,
      deployed: '1.2.5',
      timing: HELD,
      expected: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D240 no rollback',
      ...DUE,
      deployed: '1.2.5',
      quarantine: [{ version: '1.2.5', until: undefined }],
      timing: HELD,
      expected:
        'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D240 fields of both documents are named, and how many more there are',
      ...DUE,
      timing: { unknownFields: [OF_POLICY, OF_AGENT] },
      expected: `upgrade to 1.2.5 waits: ${WORDS}; the agent configuration has the unknown field /agent/version_control and 2 more`,
    },
    {
      case: 'D315 a machine config that has something like modules',
      ...DUE,
      timing: { unknownFields: [{ of: 'agent', path: '/modues', suggestion: 'modules', more: 0 }] },
      expected:
        'upgrade to 1.2.5 waits: the machine config has the unknown field /modues; did you mean modules ?',
    },
    {
      case: 'D315 a policy that has something like modules',
      ...DUE,
      timing: {
        unknownFields: [{ of: 'policy', path: '/modues', suggestion: 'modules', more: 0 }],
      },
      expected:
        'upgrade to 1.2.5 waits: the policy has the unknown field /modues; did you mean modules ?',
    },
  ]);

  it('D240 what an operator requests at once is held too', () => {
    const input = moduleQuestion({ ...DUE, timing: HELD, upgradeRequest: REQUEST });
    expect(decide(input)).toMatchObject({ kind: 'hold', because: [{ reason: 'unknown-field' }] });
  });

  it('D240 a plan is held by the fields of both documents', () => {
    const field = { path: '/x', suggestion: undefined };
    const question = machineQuestion(
      { modules: [entry('acme:lidar', '1.*')] },
      { acme_lidar: known('1.0.0', ['1.0.0', '1.1.0']) },
    );
    const { agent } = question.machine;
    const held = (of: object): unknown => planMachine({ ...question, ...of }).modules[0]?.decision;
    const machine = { ...question.machine, agent: { ...agent, unknownFields: [field, field] } };
    const policy = { ...question.policy, unknownFields: [field] };
    expect(held({ machine })).toMatchObject({ because: [{ of: 'agent', path: '/x', more: 1 }] });
    expect(held({ policy })).toMatchObject({ because: [{ of: 'policy', path: '/x', more: 0 }] });
    expect(held({})).toMatchObject({ kind: 'replace' });
  });

  it('D240 it waits for no moment', () => {
    const hold = { reason: 'unknown-field', ...OF_POLICY } as const;
    expect([waitsForMoment(hold), waitsForMoment({ reason: 'downgrade-not-allowed' })]).toEqual([
      false,
      false,
    ]);
    expect(waitsForMoment({ reason: 'server-busy' })).toBe(true);
  });
});

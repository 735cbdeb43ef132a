import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/index.ts';
import { LOCAL } from '../../../src/core/decision/replacement-text.ts';
import { actionOf } from '../../../src/core/plan/action.ts';
import { LIDAR } from '../../support/claimed.ts';
import { decidesOn, moduleQuestion, openFrom } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const REQUESTED = { requestedAt: NOW - HOUR, isImmediate: false };
const OWN = { wanted: { kind: 'local' }, deployed: undefined } as const;
const CLOSED = { window: openFrom([NOW + HOUR, NOW + 2 * HOUR]) };
const ASKED = 'an operator requested a restart at 2026-11-20T23:00:00Z';
const URGENT = 'an operator requested an immediate restart at 2026-11-20T23:00:00Z';
const SHUT = 'the maintenance window is closed until 2026-11-21T01:00:00Z';

describe('D344: a requested restart of a local module', () => {
  decidesOn([
    {
      case: 'D344 its program restarts, whatever is known of what is deployed',
      ...OWN,
      restartRequest: REQUESTED,
      expected: `restart of local: ${ASKED}`,
    },
    {
      case: 'D344 a version that was deployed before does not matter',
      ...OWN,
      deployed: '1.2.3',
      restartRequest: REQUESTED,
      expected: `restart of local: ${ASKED}`,
    },
    {
      case: 'D344 with D25: a closed window holds it',
      ...OWN,
      timing: CLOSED,
      restartRequest: REQUESTED,
      expected: `restart of local waits until 2026-11-21T01:00:00Z: ${SHUT}; ${ASKED}`,
    },
    {
      case: 'D344 nothing holds one at once',
      ...OWN,
      timing: CLOSED,
      restartRequest: { ...REQUESTED, isImmediate: true },
      expected: `restart of local: ${URGENT}`,
    },
    {
      case: 'D344 without a request nothing happens',
      ...OWN,
      expected: 'local: local module: available only on this machine',
    },
    {
      case: 'D344 a module that is disabled is not restarted',
      ...OWN,
      wanted: { kind: 'disabled' },
      restartRequest: REQUESTED,
      expected: 'disabled: disabled by disable_subsystem',
    },
  ]);

  it('D344 is an action without a file', () => {
    const decision = decide(moduleQuestion({ ...OWN, restartRequest: REQUESTED }));
    expect(actionOf(decision, LIDAR, [])).toMatchObject({
      direction: 'restart',
      to: LOCAL,
      from: undefined,
      artifact: undefined,
    });
  });
});

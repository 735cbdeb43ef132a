import { describe, expect, it } from 'vitest';
import { quarantineTable } from '../../src/cli/machine/quarantine-table.ts';
import { quarantineAsJson } from '../../src/host/requests/request-documents.ts';
import { linesOf } from '../../src/cli/poll/event-words.ts';
import {
  type Action,
  type ActionTarget,
  type Version,
  parseVersion,
} from '../../src/core/index.ts';
import { textOf } from '../../src/core/text/time-words.ts';
import type { QuarantineEntry } from '../../src/core/plan/machine-memory.ts';
import type { PollerEvent } from '../../src/poller/index.ts';
import { RegistryError } from '../../src/registries/index.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = moduleId('acme:lidar');
const NOW = Date.parse('2026-11-21T12:00:00Z');

function version(text: string): Version {
  const read = parseVersion(text);
  if (!read.ok) throw new Error(text);
  return read.value;
}

describe('a quarantine in the table', () => {
  const ENTRY: QuarantineEntry = {
    moduleId: LIDAR,
    version: '1.2.9',
    digest: undefined,
    since: NOW - 60_000,
    until: undefined,
    reason: 'no light',
  };
  const from = version('1.2.9');

  it.each<[Partial<QuarantineEntry>, string, string]>([
    [{}, 'an operator lifts it', 'no light'],
    [{ digest: 'sha256:ab' }, 'an operator lifts it, or another digest', 'no light'],
    [{ until: NOW }, 'expired', 'no light'],
    [{ until: NOW + 3_600_000 }, '13:00', 'no light'],
    [
      { rolledBack: { from, to: version('1.2.3'), refused: undefined } },
      'an operator lifts it',
      'no light; every version above 1.2.3 is refused with it',
    ],
    [
      { rolledBack: { from, to: undefined, refused: undefined } },
      'an operator lifts it',
      'no light',
    ],
    [
      { rolledBack: { from, to: version('1.2.3'), refused: new Set(['1.2.9']) } },
      'an operator lifts it',
      'no light',
    ],
    [
      {
        rolledBack: {
          from,
          to: version('1.2.3'),
          refused: new Set(['1.2.9', '1.2.4', '1.2.5', '1.2.6']),
        },
      },
      'an operator lifts it',
      'no light; refused with it: 1.2.4, 1.2.5, 1.2.6',
    ],
    [
      {
        rolledBack: {
          from,
          to: version('1.2.3'),
          refused: new Set(['1.2.9', '1.2.4', '1.2.5', '1.2.6', '1.2.7']),
        },
      },
      'an operator lifts it',
      'no light; refused with it: 1.2.4, 1.2.5, 1.2.6, 1 more',
    ],
    [{ reason: 'x\u001b' }, 'an operator lifts it', String.raw`x\u{1b}`],
  ])('%j', (fields, until, why) => {
    const options = { times: () => ({ now: NOW, timeZone: 'UTC' }), columns: undefined };
    const [heads = '', row = ''] = quarantineTable([{ ...ENTRY, ...fields }], options);
    const cells = row.trim().split(/ {3,}/);
    expect(heads.trim().split(/ {3,}/)).toEqual(['MODULE', 'VERSION', 'SINCE', 'UNTIL', 'WHY']);
    expect([cells[0], cells[1], cells.at(-1)]).toEqual(['acme:lidar', '1.2.9', why]);
    expect(cells[3]).toContain(until);
  });

  it('is a line of JSON with all its fields', () => {
    const rolledBack = { from, to: undefined, refused: new Set(['1.2.9']) };
    expect(quarantineAsJson({ ...ENTRY, rolledBack })).toEqual({
      module_id: 'acme:lidar',
      version: '1.2.9',
      digest: null,
      since: '2026-11-21T11:59:00Z',
      until: null,
      reason: 'no light',
      rolled_back: true,
      rolled_back_to: null,
      refused: ['1.2.9'],
      failed_in: null,
    });
    expect(quarantineAsJson({ ...ENTRY, digest: 'sha256:ab', until: NOW })).toMatchObject({
      digest: 'sha256:ab',
      until: '2026-11-21T12:00:00Z',
      rolled_back: false,
      rolled_back_to: null,
      refused: null,
      failed_in: null,
    });
  });

  it('is no line without entries', () => {
    const options = { times: () => ({ now: NOW, timeZone: 'UTC' }), columns: undefined };
    expect(quarantineTable([], options)).toEqual([]);
  });
});

describe('the log of modreg poll', () => {
  const target: ActionTarget = { kind: 'module', name: 'acme_lidar', moduleId: LIDAR };
  const action = (fields: object): Action =>
    ({
      target,
      direction: 'upgrade',
      from: '1.2.3',
      to: '1.2.4',
      reason: { text: 'newest release of 1' },
      ...fields,
      // A cast: the log reads only these members of an action.
    }) as unknown as Action;
  const UP = action({});
  const unreachable = new RegistryError('registry-unreachable', 'the registry cannot be reached');
  const failed = { kind: 'failed', reason: 'no light' };

  it.each<[object, Action | undefined, string[]]>([
    [
      { kind: 'observe-only', nextRoundAt: NOW },
      undefined,
      [
        'info no deployed version was ever recorded, so the first round changes nothing; the next round is at 2026-11-21T12:00:00Z',
      ],
    ],
    [
      { kind: 'crash-loop', until: NOW },
      undefined,
      ['warn started five times in ten minutes, so nothing is done until 2026-11-21T12:00:00Z'],
    ],
    [
      { kind: 'state-unavailable', error: { kind: 'unwritable', message: 'the disk is full' } },
      undefined,
      [
        'error the disk is full; modules keep running, and no action is taken until it can be used again: free some space on its disk, or make it writable',
      ],
    ],
    [
      { kind: 'state-unavailable', error: { kind: 'missing', message: 'machine.db was removed' } },
      undefined,
      [
        'error machine.db was removed; modules keep running, and no action is taken until it can be used again: put it back, or start again with a new one',
      ],
    ],
    [{ kind: 'state-available' }, undefined, ['info the state of this machine can be used again']],
    [
      { kind: 'held', target, direction: 'upgrade', to: '1.2.4', text: 'closed' },
      undefined,
      ['info acme_lidar: the upgrade to 1.2.4 is held: closed'],
    ],
    [
      {
        kind: 'quarantined',
        moduleId: LIDAR,
        version: '1.2.4',
        reason: 'no light',
        until: undefined,
      },
      undefined,
      [
        'warn acme:lidar 1.2.4 is in quarantine until an operator lifts it (modreg quarantine lift acme:lidar 1.2.4): no light',
      ],
    ],
    [
      { kind: 'quarantined', moduleId: LIDAR, version: '1.2.4', reason: 'no light', until: NOW },
      undefined,
      [
        'warn acme:lidar 1.2.4 is in quarantine until 2026-11-21T12:00:00Z (modreg quarantine lift acme:lidar 1.2.4): no light',
      ],
    ],
    [{ kind: 'failure-reported' }, undefined, []],
    [
      { kind: 'unknown-acknowledgement', id: 'a-1' },
      undefined,
      ['warn the outcome of action a-1 came after the action had ended'],
    ],
    [{ kind: 'committed', action: UP }, undefined, []],
    [{ kind: 'superseded', action: UP }, undefined, []],
    [{ kind: 'progress', action: UP }, undefined, []],
    [
      { kind: 'delivered', action: UP, times: 1 },
      undefined,
      ['info acme_lidar: upgrade 1.2.3 → 1.2.4: newest release of 1'],
    ],
    [
      { kind: 'delivered', action: UP, times: 2 },
      undefined,
      ['info acme_lidar: upgrade 1.2.3 → 1.2.4: newest release of 1 (attempt 2)'],
    ],
    [
      { kind: 'delivered', action: action({ direction: 'install', from: undefined }), times: 1 },
      undefined,
      ['info acme_lidar: install of 1.2.4: newest release of 1'],
    ],
    [
      { kind: 'delivered', action: action({ direction: 'rollback', from: undefined }), times: 1 },
      undefined,
      ['info acme_lidar: rollback to 1.2.4: newest release of 1'],
    ],
    [
      { kind: 'overdue', action: UP },
      undefined,
      ['warn acme_lidar: upgrade 1.2.3 → 1.2.4 takes too long, so its program is stopped'],
    ],
    [
      { kind: 'withdrawn', action: UP },
      undefined,
      ['warn acme_lidar: upgrade 1.2.3 → 1.2.4 was withdrawn: it is no longer permitted'],
    ],
    [
      { kind: 'acknowledged', outcome: { kind: 'done' } },
      UP,
      ['info acme_lidar: upgrade 1.2.3 → 1.2.4: done'],
    ],
    [{ kind: 'acknowledged', outcome: { kind: 'done' } }, undefined, []],
    [
      { kind: 'acknowledged', outcome: { ...failed, blame: 'machine' }, retryMs: 30_000 },
      UP,
      ['warn acme_lidar: upgrade 1.2.3 → 1.2.4: not done, next attempt in 30 s: no light'],
    ],
    [
      { kind: 'acknowledged', outcome: { ...failed, blame: 'machine' } },
      UP,
      ['warn acme_lidar: upgrade 1.2.3 → 1.2.4: not done: no light'],
    ],
    [
      { kind: 'acknowledged', outcome: { ...failed, blame: 'release' } },
      UP,
      ['error acme_lidar: upgrade 1.2.3 → 1.2.4: the release failed: no light'],
    ],
    [
      { kind: 'registry-unavailable', error: unreachable, retryMs: 60_000 },
      undefined,
      ['warn the registry cannot be reached; next attempt in 1 min; modules keep running'],
    ],
    [
      { kind: 'registry-available', afterMs: 120_000 },
      undefined,
      ['info the registry is available again after 2 min'],
    ],
    [
      { kind: 'list-unavailable', error: unreachable },
      undefined,
      ['warn the registry cannot be reached'],
    ],
    [
      { kind: 'list-available', moduleId: LIDAR },
      undefined,
      ['info the list of acme:lidar is available again'],
    ],
    [
      { kind: 'configuration-readable' },
      undefined,
      ['info the documents of the machine can be read again'],
    ],
    [
      { kind: 'configuration-unreadable', error: new Error('x') },
      undefined,
      [
        'warn the documents that were read last stay in use, because:',
        'error [INTERNAL]: this is a bug in modreg: Error: x',
      ],
    ],
    [
      { kind: 'callback-error', error: new Error('x') },
      undefined,
      ['error [INTERNAL]: this is a bug in modreg: Error: x'],
    ],
  ])('%j', (event, acknowledged, lines) => {
    const found = linesOf(event as PollerEvent, acknowledged);
    expect(found.map(({ level, text }) => `${level} ${textOf(text)}`)).toEqual(lines);
  });
});

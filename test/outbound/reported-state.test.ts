import { describe, expect, it } from 'vitest';
import { reportedModules } from '../../src/outbound/reported-state.ts';
import type { RecordedDecision } from '../../src/store/decision-history.ts';
import { logged } from '../support/machine-home.ts';

function named(name: string, deployed: string): RecordedDecision {
  const kind = name.startsWith('platform-') ? 'subsystem' : 'module';
  return { ...logged(name), kind, deployed, list: undefined, newest: undefined, facts: {} };
}

describe('what a machine reports', () => {
  it.each<[string, string, readonly string[]]>([
    ['acme_lidar', 'unknown', ['acme_lidar']],
    ['platform-server', '1.0.0', ['platform-server']],
    ['platform-server', 'none', ['platform-server']],
    ['platform-server', 'unknown', []],
  ])('about %s, of which %s is deployed: %j', (name, deployed, reported) => {
    const rows = [named(name, deployed)];
    const state = { decisions: () => rows, newestInHistory: () => rows };
    expect(reportedModules(state, () => []).map((one) => one.name)).toEqual(reported);
  });
});

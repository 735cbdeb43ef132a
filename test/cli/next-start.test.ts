import { expect, it, onTestFinished } from 'vitest';
import { agentLine, reportedBy } from '../../src/cli/agent/agent-event-words.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { describedMs, describeDuration } from '../../src/core/text/duration.ts';
import { eventName } from '../../src/logs/event-name.ts';
import { openLog } from '../../src/logs/log-file.ts';
import { openForPoller } from '../../src/store/index.ts';
import { preparedMachine } from '../support/prepared-machine.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const SECOND = 1000;

interface Said {
  /** How long the agent said that it waits before the next start. */
  readonly waitMs: number;
  readonly agoMs: number;
  /** Whether it has started the module since. */
  readonly isStarted?: true;
}

/** What an agent that runs says, and then each view of a module that failed twice a second ago. */
async function views({ waitMs, agoMs, isStarted }: Said): Promise<Record<string, string[]>> {
  const { world, path } = await preparedMachine({ failing: 'lidar' }, NOW);
  const home = world.environment['PLATFORM_HOME'] ?? '';
  const log = openLog(`${home}/logs.db`, 'create');
  const about = { name: 'acme_lidar', version: '1.1.0', reason: undefined };
  const event = { kind: 'module', state: 'backing-off', waitMs, ...about } as const;
  const line = { severity: 'info', module: 'acme_lidar', version: '1.1.0' } as const;
  const { name } = reportedBy(event);
  const text = `acme_lidar: ${agentLine(event)?.text ?? ''}`;
  log.append([{ ...line, at: NOW - agoMs, event: name, text }]);
  if (isStarted) {
    const started = { ...line, at: NOW, event: eventName('module', 'started') };
    log.append([{ ...started, text: 'acme_lidar: 1.1.0 is started (process 7)' }]);
  }
  log.close();
  const file = openForPoller(`${home}/machine.db`);
  onTestFinished(() => file.close());
  const said = async (columns: number | undefined, ...args: string[]): Promise<string[]> => {
    const { answer } = await runCommandLine(args, { ...world, columns });
    return answer.flatMap((one) => / failed 2 times.*$/.exec(one)?.[0] ?? []);
  };
  return {
    plan: await said(undefined, 'plan', path),
    narrow: await said(80, 'plan', path),
    status: await said(undefined, 'status'),
    agent: await said(undefined, 'agent', 'status'),
  };
}

it('[D418] what fails again and again starts again at the time that the agent has said', async () => {
  const last = ' failed 2 times in ten minutes, last: it ended with exit code 7';
  expect(await views({ waitMs: 40 * SECOND, agoMs: SECOND })).toEqual({
    plan: [`${last}; starts again in 39 s`],
    narrow: [' failed 2 times: exit code 7 · starts again in 39 s'],
    status: [`${last}; starts again in 39 s`],
    agent: [`${last}; starts again in 39 s`],
  });
});

it.each<[string, Said]>([
  ['has passed', { waitMs: 4 * SECOND, agoMs: 5 * SECOND }],
  ['is over, as it was started', { waitMs: 40 * SECOND, agoMs: SECOND, isStarted: true }],
  ['was not said', { waitMs: 0, agoMs: SECOND }],
])('[D418] if that time %s, the next start is within a minute', async (_, said) => {
  const { status, narrow } = await views(said);
  expect(status).toEqual([
    ' failed 2 times in ten minutes, last: it ended with exit code 7; next start within a minute',
  ]);
  expect(narrow).toEqual([' failed 2 times: exit code 7 · starts again']);
});

it.each([0, 4, 60, 61, 3600, 3661, 90_000])('reads a duration of %i s as it is described', (s) => {
  const said = describeDuration(s * SECOND);
  expect(describeDuration(describedMs(`${said}, unless it ends`) ?? -1)).toBe(said);
});

it.each(['', 'soon', '4', '4 seconds', 'in 4 s', '4 s2'])('%j begins with no duration', (text) => {
  expect(describedMs(text)).toBeUndefined();
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { systemdNotify } from '../../src/cli/agent/systemd-notify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { quietWorld } from '../support/quiet-world.ts';

/** What the agent tells systemd, with these variables of its environment, and the first trouble with that. */
function notifying(environment: Readonly<Record<string, string>>) {
  const { promise: trouble, resolve } = Promise.withResolvers<string>();
  const notify = systemdNotify({ ...quietWorld('linux/x64'), environment }, resolve);
  onTestFinished(notify.stop);
  return { notify, trouble };
}

it('tells the watchdog of systemd three times in its time that the agent runs, until the agent ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const NOTIFY_SOCKET = `${temporaryFolder()}/missing`;
  const { notify, trouble } = notifying({ NOTIFY_SOCKET, WATCHDOG_USEC: '30000000' });
  notify.ready();
  expect(await trouble).toMatch(/^systemd is not told that the agent runs: /);
  const began = Date.now();
  vi.advanceTimersToNextTimer();
  expect(Date.now() - began).toBe(10_000);
  notify.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it.each<[string, Readonly<Record<string, string>>]>([
  ['a service without a watchdog', { NOTIFY_SOCKET: '/run/missing' }],
  ['no service of type notify', { WATCHDOG_USEC: '30000000' }],
])('%s is told nothing again and again', (_what, environment) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  notifying(environment).notify.ready();
  expect(vi.getTimerCount()).toBe(0);
});

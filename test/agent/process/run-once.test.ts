import { expect, it } from 'vitest';
import { runOnce } from '../../../src/agent/process/run-once.ts';
import { fakeStart } from '../support/fake-start.ts';

const NEVER = new AbortController().signal;

it.each([
  ['succeeds', ['exits', '0'], 20_000, undefined],
  ['fails', ['exits', '3'], 20_000, 'it ended with exit code 3: no motor'],
  ['takes too long', ['forks and stays'], 1000, 'it took longer than 1 s'],
  ['succeeds and leaves a process', ['forks'], 20_000, undefined],
])('[A11] nothing is left of a first run that %s', async (_, behaviour, limitMs, reason) => {
  const fake = fakeStart(behaviour);
  const result = await runOnce(fake.start, { limitMs, signal: NEVER });
  expect(result.ok ? undefined : result.error).toEqual(reason && { blame: 'release', reason });
  expect(fake.processes()).toBe(0);
});

it('[A11] nothing is left of a first run that is given up', async () => {
  const fake = fakeStart(['forks and stays']);
  const stopping = new AbortController();
  const result = runOnce(fake.start, { limitMs: 20_000, signal: stopping.signal });
  await fake.wrote('ready');
  stopping.abort(new Error('the agent was stopped'));
  await expect(result).rejects.toThrow('the agent was stopped');
  expect(fake.processes()).toBe(0);
});

it('a first run that cannot be started says so', async () => {
  const fake = fakeStart([], { path: '/absent' });
  const result = await runOnce(fake.start, { limitMs: 1000, signal: NEVER });
  const reason = 'it cannot be started: there is no such file';
  expect(result).toEqual({ ok: false, error: { blame: 'release', reason } });
});

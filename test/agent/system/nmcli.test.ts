import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runProgram } from '../../../src/agent/system/host.ts';
import { command, observationIn, observe, terseFields } from '../../../src/agent/system/nmcli.ts';
import { systemSite } from '../../support/system-site.ts';

describe('the output of nmcli', () => {
  it.each([
    ['a:b:c', ['a', 'b', 'c']],
    ['', ['']],
    [':', ['', '']],
    [String.raw`a\:b:c\\:d`, ['a:b', 'c\\', 'd']],
    [String.raw`\\\:`, [String.raw`\:`]],
    ['日本:\u{1f916}', ['日本', '\u{1f916}']],
    ['end\\', ['end\\']],
  ])('%j has the fields %j', (line, fields) => {
    expect(terseFields(line)).toEqual(fields);
  });

  it('is an observation', () => {
    const lines = [
      'u1:802-11-wireless:activated',
      'u2:bridge:activated',
      'u3:802-3-ethernet:activating',
    ];
    expect(observationIn('limited\n', `${lines.join('\n')}\n`)).toEqual({
      connectivity: 'limited',
      active: [
        { uuid: 'u1', isUp: true, isPhysical: true },
        { uuid: 'u2', isUp: true, isPhysical: false },
        { uuid: 'u3', isUp: false, isPhysical: true },
      ],
    });
    expect(observationIn('none\n', '')).toEqual({ connectivity: 'none', active: [] });
    expect(observationIn('Error\n', '')).toBeUndefined();
  });

  it('is read without waiting for a connection', async () => {
    const site = systemSite();
    site.program('nmcli', 'case "$*" in *check) echo full;; *) echo u1:gsm:activated;; esac');
    const value = { connectivity: 'full', active: [{ uuid: 'u1', isUp: true, isPhysical: true }] };
    expect(await observe(site.host)).toEqual({ ok: true, value });
    await command(site.host, { kind: 'connect', uuid: 'u1' });
    await command(site.host, { kind: 'open-hotspot', uuid: 'u2' });
    await command(site.host, { kind: 'close-hotspot', uuid: 'u2' });
    expect(site.calls()).toEqual([
      'nmcli --terse networking connectivity check',
      'nmcli --terse -f UUID,TYPE,STATE connection show --active',
      'nmcli --terse --wait 0 connection up uuid u1',
      'nmcli --terse --wait 0 connection up uuid u2',
      'nmcli --terse --wait 0 connection down uuid u2',
    ]);
  });

  it.each([
    [
      'echo "Error:  not\trunning." >&2; exit 8',
      'nmcli --terse networking connectivity check: Error: not running.',
    ],
    ['exit 8', 'nmcli --terse networking connectivity check: it ended with exit code 8'],
    ['kill -9 $$', 'nmcli --terse networking connectivity check: it ended with SIGKILL'],
    ['echo nonsense', 'nmcli printed an unknown connectivity'],
  ])('of %s is a failure', async (script, error) => {
    const site = systemSite();
    site.program('nmcli', script);
    expect(await observe(site.host)).toEqual({ ok: false, error });
  });
});

describe('[A20] a program of the system', () => {
  it('that is missing is named', async () => {
    const { host } = systemSite();
    const run = runProgram(host, ['no-such-program', 'x']);
    expect(await run).toEqual({ ok: false, error: 'no-such-program x: it is not installed' });
  });

  it('that hangs is killed after ten seconds with what it has started, and is not waited for', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const site = systemSite();
    const pids = `${site.home}/pids`;
    site.program(
      'nmcli',
      `trap "" TERM; sleep 600 & echo $! $$ >${pids}.part; mv ${pids}.part ${pids}; wait`,
    );
    const run = runProgram(site.host, ['nmcli', 'x']);
    await until(() => pidsIn(pids).length === 2);
    await vi.advanceTimersByTimeAsync(9999);
    expect(pidsIn(pids).map(isRunning)).toEqual([true, true]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await run).toEqual({ ok: false, error: 'nmcli x: it took longer than 10 s' });
    await until(() => !pidsIn(pids).some(isRunning));
  });

  it('ends with the agent', async () => {
    const site = systemSite();
    site.program('nmcli', 'sleep 600');
    const stopping = new AbortController();
    const run = runProgram({ ...site.host, stopping: stopping.signal }, ['nmcli', 'x']);
    stopping.abort();
    expect(await run).toEqual({ ok: false, error: 'nmcli x: it was stopped' });
  });

  it('gets no environment but PATH, and its output is bounded', async () => {
    const site = systemSite();
    site.program('nmcli', 'env | grep -vE "^(PWD|SHLVL|_|OLDPWD)="; yes | head -c 100000');
    const run = await runProgram(site.host, ['nmcli']);
    const text = run.ok ? run.value : run.error;
    expect([text.length, text.split('\n').slice(0, 3).toSorted()]).toEqual([
      65_536,
      ['LC_ALL=C.UTF-8', `PATH=${site.host.programs}`, 'y'],
    ]);
  });
});

/** Does not use the timers that a test fakes. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

function pidsIn(path: string): number[] {
  try {
    return readFileSync(path, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Whether a process exists that has not ended: a zombie has. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

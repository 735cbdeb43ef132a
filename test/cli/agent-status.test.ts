import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MARK, runIdOf } from '../../src/agent/process/process-table.ts';
import { agentStatusCommand } from '../../src/cli/agent/status-command.ts';
import type { Activation } from '../../src/core/machine/activation.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { moduleId } from '../support/ask.ts';
import { claimed } from '../support/claimed.ts';
import { quietWorld } from '../support/quiet-world.ts';

/** A program with the mark of a module's processes, until the end of the test. Returns its process id. */
function programOf(home: string, mark: string): number {
  const child = spawn('sleep', ['600'], {
    env: { PATH: process.env['PATH'], [MARK]: `${runIdOf(realpathSync(home))}/${mark}` },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

describe('modreg agent status', () => {
  const [old, tried] = [
    { version: '1.0.0', root: '/p/1.0.0' },
    { version: '1.1.0', root: '/p/1.1.0' },
  ];
  const fault = { reason: 'it ended', blame: 'release' } as const;
  const activations: Readonly<Record<string, Activation>> = {
    arm: { phase: 'stable', current: old, previous: undefined, settled: undefined },
    lidar: { phase: 'trying', action: 'a-1', candidate: tried, previous: old, attempts: 1 },
    lidar_2: { phase: 'rolling-back', action: 'a-2', candidate: tried, previous: old, fault },
  };

  it('shows the version in use or tried, and only the processes of each module itself', () => {
    const file = claimed();
    const home = dirname(file.path);
    for (const [name, activation] of Object.entries(activations)) {
      noteActivation(file, name, { moduleId: moduleId('acme:lidar'), activation });
    }
    const other = programOf(home, 'lidar_2/1/a');
    const own = Math.min(programOf(home, 'lidar/1/a'), programOf(home, 'lidar/1/a'));
    programOf(home, 'arm_2/1/a');
    const world = { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: home } };
    const table = agentStatusCommand({}, world).answer.map((line) => line.trim().split(/ {2,}/));
    const size = expect.stringMatching(/^\d+ MB$/) as string;
    expect(table).toEqual([
      ['MODULE', 'VERSION', 'STATE', 'PROCESS', 'MEMORY'],
      ['arm', '1.0.0', 'in use', '-', '-'],
      ['lidar', '1.1.0', 'is tried', `${own}`, size],
      ['lidar_2', '1.0.0', 'rolls back', `${other}`, size],
    ]);
    const [json = ''] = agentStatusCommand({ json: true }, world).answer;
    const bytes = expect.any(Number) as number;
    expect(JSON.parse(json)).toEqual({
      schema: 'modreg/agent-status@1',
      running: true,
      modules: [
        { name: 'arm', version: '1.0.0', phase: 'stable', pid: null, memory: 0 },
        { name: 'lidar', version: '1.1.0', phase: 'trying', pid: own, memory: bytes },
        { name: 'lidar_2', version: '1.0.0', phase: 'rolling-back', pid: other, memory: bytes },
      ],
    });
  });
});

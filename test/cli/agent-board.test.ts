import { expect, it } from 'vitest';
import { noteFailedBoards } from '../../src/cli/agent/failed-boards.ts';
import { readMachine, type Machine } from '../../src/config/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { agentInProcess } from '../support/polling.ts';

function board(name: string, failNew: boolean): object {
  const attributes = { fail_new: failNew };
  return { name, model: 'fake', type: 'board', namespace: 'rdk', attributes };
}

function machineWith(...components: readonly object[]): Machine {
  const read = readMachine(JSON.stringify({ components }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const failed = (name: string): string =>
  `error component ${name}: the board fails at startup, because its fail_new is true; the other boards are not affected`;

it('[D46] the agent says once that a fake board fails, and again after the config was corrected', () => {
  const lines: string[] = [];
  const note = noteFailedBoards({
    note: (level, text, reported) => void lines.push(`${reported?.name} ${level} ${text}`),
  });
  const event = 'modreg.agent.board_failed';
  for (const [machine, expected] of [
    [machineWith(board('one', true), board('works', false)), [`${event} ${failed('one')}`]],
    [machineWith(board('one', true), board('two', true)), [`${event} ${failed('two')}`]],
    [machineWith(board('one', false), board('two', true)), []],
    [machineWith(board('one', true)), [`${event} ${failed('one')}`]],
  ] as const) {
    note(machine);
    expect(lines.splice(0)).toEqual(expected);
  }
});

it('[D46] modreg agent run logs a fake board that fails, and runs on', async () => {
  const components = [board('broken', true), board('works', false)];
  const folder = temporaryFolder({ 'machine.json': JSON.stringify({ components }) });
  const agent = agentInProcess(folder);
  expect(await agent.until('component')).toContain(`TIME ${failed('broken')}`);
  expect((await agent.end('SIGTERM')).exit).toBe(0);
  const { stdout } = await inProcess(['agent', 'logs'], { PLATFORM_HOME: `${folder}/home` });
  expect(stdout).toContain(failed('broken'));
});

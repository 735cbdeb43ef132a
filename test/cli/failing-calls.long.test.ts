import { describe, expect, it } from 'vitest';
import { withAgentRegistry } from '../faults/agent-registry.ts';
import { agentScene, settledScene } from '../faults/agent-scene.ts';
import { COMMAND_SCENES } from '../faults/command-scenes.ts';
import { formatFault, parseFault, type InjectedFault } from '../faults/injected-fault.ts';
import { playFault } from '../faults/play-faults.ts';
import { canTrace } from '../faults/run-traced.ts';
import type { Scene } from '../faults/scene.ts';
import { serveScene } from '../faults/serve-scene.ts';
import { needs } from '../support/prerequisite.ts';

const STRACE = 'strace is not installed, or may not be used here';

/** One fault of each kind; `npm run faults` plays more, and those that this machine reaches. */
const FAULTS: readonly [scene: string, fault: string][] = [
  ['agent', 'pwrite64:ENOSPC:40..64'],
  ['agent', 'unlink:EACCES:1'],
  ['agent', 'statx:EIO:4'],
  ['agent', 'openat:EIO:4'],
  ['publish', 'pwrite64:ENOSPC:12+'],
  ['publish', 'statx:EIO:1'],
  ['quarantine', 'access:EIO:1'],
  ['restore', 'read:EINTR:3'],
  ['restore', 'close:EIO:1'],
  ['status', 'statx:EACCES:4'],
];

function fault(text: string): InjectedFault {
  const parsed = parseFault(text);
  if (!parsed) throw new Error(text);
  return parsed;
}

describe('system calls that fail', () => {
  it.concurrent.for(FAULTS)(
    '[T109] %s, %s: nothing is lost, and what failed is said',
    async ([name, text], context) => {
      needs(context, canTrace(), STRACE);
      await withAgentRegistry(async (address) => {
        const scene = [agentScene(address), ...COMMAND_SCENES].find((one) => one.name === name);
        const { findings } = await playFault(scene as Scene, fault(text));
        expect(findings).toEqual([]);
      });
    },
  );

  it.concurrent.for(['pread64:EIO:6'])(
    '[T110] an error of the disk is not taken for damage: %s',
    async (text, context) => {
      needs(context, canTrace(), STRACE);
      await withAgentRegistry(async (address) => {
        const { findings, call } = await playFault(settledScene(address), fault(text));
        expect([findings, call?.on]).toEqual([[], 'machine.db']);
      });
    },
  );

  it.concurrent.for([1, 2, 3, 4, 5])(
    '[T110] a file is not taken for absent because the system cannot say: call %i',
    async (nth, context) => {
      needs(context, canTrace(), STRACE);
      await withAgentRegistry(async (address) => {
        const { findings } = await playFault(settledScene(address), fault(`access:EIO:${nth}`));
        expect(findings).toEqual([]);
      });
    },
  );

  it.concurrent.for([
    'openat:EIO:1',
    'access:EIO:2',
    'pread64:EIO:3',
    'pread64:EIO:4',
    'pread64:EIO:5',
    'fsync:EIO:3',
    'rename:ENOSPC:1',
  ])(
    '[T110, T121] a served registry loses no change, and works again: %s',
    async (text, context) => {
      needs(context, canTrace(), STRACE);
      expect((await playFault(serveScene(), fault(text))).findings).toEqual([]);
    },
  );

  it('have a notation', () => {
    const texts = ['fsync:EIO:3', 'pwrite64:ENOSPC:7+', 'openat:EMFILE:2..26', 'write:KILL:1'];
    expect(texts.map((text) => formatFault(fault(text)))).toEqual(texts);
    expect(['fsync', 'reboot:EIO:1', 'fsync:EIO:x'].map(parseFault)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

import { temporaryFolder } from '../support/folder.ts';
import { shown } from './support/patient.ts';
import { entry } from '../support/planned.ts';
import { wireServer } from '../../mocks/wire-server.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

describe('modreg doctor on registries that are slow', () => {
  it('takes at most ten seconds for registries that do not answer, stall, or never end', async () => {
    const faults: Parameters<Awaited<ReturnType<typeof wireServer>>['answer']>[0][] = [
      () => undefined,
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{'),
      (socket) => {
        const endless = (): void => {
          if (!socket.destroyed) socket.write('1,'.repeat(50_000), () => setImmediate(endless));
        };
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"releases":[');
        endless();
      },
      (socket) => {
        const trickle = setInterval(() => socket.write(' '.repeat(600)), 100);
        socket.on('close', () => clearInterval(trickle));
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{');
      },
    ];
    const servers = await Promise.all(
      faults.map(async (fault) => {
        const server = await wireServer();
        onTestFinished(async () => await server.close());
        server.answer(fault);
        return server.address;
      }),
    );
    const folder = temporaryFolder({
      'machine.json': JSON.stringify({
        modules: servers.map((__, place) => entry('acme:lidar', '1.*', `lidar${place}`)),
      }),
      'policy.json': JSON.stringify({
        modules: Object.fromEntries(
          servers.map((registry, place) => [`lidar${place}`, { registry }]),
        ),
      }),
    });
    const began = performance.now();
    const lines = await shown(folder, 'registry');
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(
      lines.filter((line) => !line.includes('fix:')).map((line) => line.replace(/.*PORT /, '')),
    ).toEqual([
      'did not begin its response within 4 s',
      'stalled: it sent nothing more for 3 s',
      'answers in SOME ms; 1 list wanted',
      'did not finish its response within 7 s',
    ]);
  }, 20_000);
});

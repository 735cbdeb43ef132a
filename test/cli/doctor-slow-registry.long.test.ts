import { temporaryFolder } from '../support/folder.ts';
import { examined } from './support/examined.ts';
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

  it('[T515] blames a proxy that is silent, by the variable that names it', async () => {
    const proxy = await wireServer();
    onTestFinished(async () => await proxy.close());
    proxy.answer(() => undefined);
    const args = ['--registry', 'npm:https://registry.test'];
    const environment = { HTTPS_PROXY: proxy.address.replace('//', '//u:pass-word@') };
    const said = await examined(temporaryFolder(), args, { environment, only: 'registry' });
    expect(said.slice(0, 3)).toEqual([
      'info     registry   npm:https://registry.test is reached through the proxy http://127.0.0.1:PORT (HTTPS_PROXY)',
      'error    registry   the registry npm:https://registry.test cannot be reached through the proxy http://127.0.0.1:PORT (no answer in 4 s)',
      '                    fix: HTTPS_PROXY names this proxy; NO_PROXY lists the hosts that need none',
    ]);
  }, 20_000);
});

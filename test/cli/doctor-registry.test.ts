import { writeFileSync } from 'node:fs';
import { openForPoller } from '../../src/store/index.ts';
import { THEN, examined } from './support/examined.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { logged } from '../support/machine-home.ts';
import { listAt, saveList, shown, site, type Answer } from './support/patient.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { describe, expect, it } from 'vitest';

const HOUR = 3_600_000;
const DAY = 86_400_000;

describe('modreg doctor on a registry', () => {
  it('that answers', async () => {
    const { address } = await plainServer(listAt(THEN));
    expect(await shown(site(address), 'registry', 'clock', 'lists')).toEqual([
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      'ok       clock      2026-12-01T12:00:00Z, as that of http://127.0.0.1:PORT',
      'info     lists      no list is saved yet; the first round of the agent or poller saves them',
    ]);
  });

  it.each<[string, Answer, string[]]>([
    [
      'with 401',
      (response) => response.writeHead(401).end(),
      [
        'error    registry   the registry http://127.0.0.1:PORT denies access without a token (401)',
        '                    fix: add the line "http://127.0.0.1:PORT <token>" to $PLATFORM_HOME/tokens (mode 0600)',
      ],
    ],
    [
      'with 503',
      (response) => response.writeHead(503).end(),
      [
        'error    registry   the registry http://127.0.0.1:PORT is busy or failing (503)',
        '                    fix: look at the log of the registry on its host, and run modreg doctor again',
      ],
    ],
    [
      'with a sign-in page',
      (response) => response.setHeader('content-type', 'text/html').end('<html>\u001b[2J'),
      [
        'error    registry   the registry http://127.0.0.1:PORT does not respond like a registry: got text/html',
        '                    fix: correct "registry" in the policy: the path may be wrong, or the answer a sign-in page; look at what answers there: curl -i http://127.0.0.1:PORT/v1/modules/acme/lidar',
      ],
    ],
    [
      'with a redirect to another origin',
      (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      [
        'error    registry   the registry http://127.0.0.1:PORT redirects to https://elsewhere.example, which is another origin',
        '                    fix: use the final address of the registry, without redirects',
      ],
    ],
  ])('that answers %s', async (_, answer, lines) => {
    const { address } = await plainServer(answer);
    expect(await shown(site(address), 'registry')).toEqual(lines);
  });

  it('that lacks a module', async () => {
    const { address } = await plainServer((response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    expect(await shown(site(address), 'registry', 'lists')).toEqual([
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      'error    lists      the registry http://127.0.0.1:PORT has no module acme:lidar',
      '                    fix: modreg resolve acme:lidar latest --explain',
      'info     lists      no list is saved yet; the first round of the agent or poller saves them',
    ]);
  });

  it('whose token is refused: the token is not shown', async () => {
    const { address } = await plainServer((response, { headers }) => {
      response
        .writeHead(403, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ type: 'urn:modreg:forbidden', detail: `${headers.authorization}` }));
    });
    const folder = site(address);
    writeFileSync(`${folder}/home/tokens`, `${address} CANARY-TOKEN\n`, { mode: 0o600 });
    const lines = await shown(folder, 'registry');
    expect(lines[0]).toBe(
      'error    registry   the registry http://127.0.0.1:PORT denies access with the token that was sent (403)',
    );
    expect(lines.join('')).not.toContain('CANARY');
  });

  it('whose token file others can read', async () => {
    const folder = site('https://registry.example');
    writeFileSync(`${folder}/home/tokens`, 'https://registry.example x\n');
    expect(await shown(folder, 'registry')).toEqual([
      'error    registry   the token file "./home/tokens" has mode 0644, and others can read it',
      '                    fix: chmod 600 ./home/tokens restricts it to its owner',
    ]);
  });

  it.each<[string, string, string[]]>([
    [
      'over plain http:',
      'http://registry.example',
      ['info     registry   the policy cannot be used, so its registry is not known'],
    ],
    [
      'in a folder that does not exist',
      './lists',
      [
        'error    registry   the registry folder "./lists" does not exist',
        '                    fix: correct the path in "registry" of the policy, or make it readable: ls -ld',
      ],
    ],
  ])('%s', async (_, address, lines) => {
    expect(await shown(site(address), 'registry')).toEqual(lines);
  });

  it('where nothing listens', async () => {
    const server = await plainServer(() => undefined);
    server.close();
    const { address } = server;
    expect(await shown(site(address), 'registry')).toEqual([
      'error    registry   the registry http://127.0.0.1:PORT refused the connection',
      '                    fix: nothing listens there: start the registry on its host, or correct the port in "registry" of the policy',
    ]);
  });

  it('that does not speak TLS', async () => {
    const { address } = await plainServer(() => undefined);
    const { port } = new URL(address);
    expect(await shown(site(`https://127.0.0.1:${port}`), 'registry')).toEqual([
      'error    registry   the registry https://127.0.0.1:PORT cannot be reached (ERR_SSL_WRONG_VERSION_NUMBER)',
      '                    fix: the server does not speak TLS there: correct the scheme or the port in "registry" of the policy',
    ]);
  });

  it('with hostile headers', async () => {
    const { address } = await plainServer((response, request) => {
      response.setHeader('age', '1e300');
      listAt(THEN)(response, request);
    });
    expect(await shown(site(address), 'clock')).toEqual([
      'ok       clock      2026-12-01T12:00:00Z, as that of http://127.0.0.1:PORT',
    ]);
  });

  it('of npm, of which no module is known', async () => {
    const server = await plainServer(() => undefined);
    const { address } = server;
    const folder = temporaryFolder({ 'home/empty': '' });
    const environment = { PLATFORM_HOME: `${folder}/home`, MODREG_REGISTRY: `npm:${address}` };
    const look = async (): ReturnType<typeof examined> =>
      await examined(folder, [], { environment, only: 'registry' });
    expect(await look()).toEqual([
      'info     registry   npm:http://127.0.0.1:PORT takes connections; no module of it is known, so it was asked for none',
      0,
    ]);
    server.close();
    expect(await look()).toEqual([
      'error    registry   the registry npm:http://127.0.0.1:PORT refused the connection',
      '                    fix: nothing listens there: start the registry on its host, or correct the port in MODREG_REGISTRY',
      1,
    ]);
  });

  it('of a machine without its config: that of its saved lists', async () => {
    const { address } = await plainServer(listAt(THEN));
    const folder = site(address);
    await saveList(folder, address, THEN - HOUR);
    const file = openForPoller(`${folder}/home/machine.db`);
    file.state.log([logged('acme_lidar')], { at: THEN - HOUR, trouble: undefined });
    file.close();
    expect(await examined(folder, [], { only: 'registry' })).toEqual([
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      1,
    ]);
  });

  it('that no document names', async () => {
    const folder = site('./lists');
    writeFileSync(`${folder}/policy.json`, '{}');
    expect(await shown(folder, 'registry')).toEqual([
      'error    registry   no registry is named',
      '                    fix: name one with --registry, else MODREG_REGISTRY, else "registry" in the policy of --policy, or create ./home/registry.db',
    ]);
  });

  it('that MODREG_REGISTRY names, without documents', async () => {
    const { address } = await loopbackRegistry();
    const folder = temporaryFolder({ 'home/empty': '' });
    const environment = { PLATFORM_HOME: `${folder}/home`, MODREG_REGISTRY: address };
    expect(await examined(folder, [], { environment, only: 'registry' })).toEqual([
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 0 lists wanted',
      0,
    ]);
  });

  it.each<[string, number, string]>([
    ['behind', 3 * 3_600_000, '3 h behind that of'],
    ['ahead', -2 * DAY, '2 d ahead of that of'],
  ])('whose clock shows that this one is %s', async (_, apart, words) => {
    const { address } = await plainServer(listAt(THEN + apart));
    expect(await shown(site(address), 'clock')).toEqual([
      `warning  clock      this machine's clock says 2026-12-01T12:00:00Z, which is ${words} http://127.0.0.1:PORT: minimum ages, maintenance windows and certificates are judged by it`,
      '                    fix: timedatectl set-ntp true; timedatectl timesync-status says whether it works',
    ]);
  });
});

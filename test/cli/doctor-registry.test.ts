import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkRegistries } from '../../src/cli/doctor/registry-check.ts';
import { openRegistries } from '../../src/registry/index.ts';
import { openForPoller, openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { moduleId } from '../support/ask.ts';
import { printed } from '../support/command.ts';
import { examined, THEN } from '../support/examined.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { logged } from '../support/machine-home.ts';
import { blocksOf, PAGES } from '../support/pages.ts';
import { listOf, plainServer, send } from '../support/plain-server.ts';
import { component, entry } from '../support/planned.ts';
import { runModreg } from '../support/modreg.ts';
import { fixture } from '../support/tls.ts';
import { wireServer } from '../support/wire.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** A machine without warnings that needs the list of acme:lidar. */
const MACHINE = {
  components: [component('front', 'acme:lidar:scanner')],
  modules: [entry('acme:lidar', '1.*')],
};

/** A folder with a home, a machine config and a policy that names a registry. */
function site(registry: string, policy: object = {}): string {
  return temporaryFolder({
    'home/empty': '',
    'machine.json': JSON.stringify(MACHINE),
    'policy.json': JSON.stringify({ registry, ...policy }),
  });
}

/** The findings of some checks, and the exit code. */
async function shown(folder: string, ...checks: readonly string[]): Promise<string[]> {
  const lines = await Promise.all(
    checks.map(async (only) => {
      return (await examined(folder, [`${folder}/machine.json`], { only })).slice(0, -1);
    }),
  );
  return lines.flat().map(String);
}

/** Has the machine in `folder` save the list of acme:lidar from `address`, at `now`. */
async function saveList(folder: string, address: string, now: number): Promise<void> {
  const file = openMachineFile(`${folder}/home/machine.db`);
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async () => await Promise.resolve(),
  };
  const registry = openRegistries({ saved: savedListsIn(file), clock }).open({ registry: address });
  if (!registry.ok) throw registry.error;
  await registry.value.readAll([moduleId('acme:lidar')]);
  file.close();
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers with a list, at a time on the registry's clock. */
function listAt(now: number, generation = 3): Answer {
  return (response, { url }) => {
    response.setHeader('date', new Date(now).toUTCString());
    if (url?.includes('/changes') === true) response.writeHead(404).end();
    else send(response, listOf(['1.0.0'], generation));
  };
}

describe('modreg doctor on documents', () => {
  it.each<[string, (folder: string) => void, string[]]>([
    [
      'that are valid',
      () => undefined,
      ['ok       documents  ./machine.json: 1 module; policy ./policy.json'],
    ],
    [
      'whose config has errors',
      (folder) =>
        writeFileSync(`${folder}/machine.json`, '{"modules":[{"name":"x"}],"components":7}'),
      [
        'error    documents  "./machine.json" has 4 errors; 1:13 /modules/0: type is required',
        '                    fix: modreg check ./machine.json shows them all',
      ],
    ],
    [
      'whose policy is not JSON',
      (folder) => writeFileSync(`${folder}/policy.json`, '{"registry":'),
      [
        'error    documents  "./policy.json" has 1 error; 1:13 expected a value',
        '                    fix: modreg check ./policy.json shows them all',
      ],
    ],
    [
      'whose policy has a misspelt field',
      (folder) =>
        writeFileSync(`${folder}/policy.json`, '{"registri":"./lists","max_index_age":"1d"}'),
      [
        'warning  documents  "./policy.json" has 1 warning; 1:2 /registri: unknown field; did you mean registry ?',
        '                    fix: modreg check ./policy.json shows them all',
      ],
    ],
  ])('%s', async (_, prepare, lines) => {
    const folder = site('./lists');
    prepare(folder);
    expect(await shown(folder, 'documents')).toEqual(lines);
  });

  it('that do not exist: stdin is not read', async () => {
    const folder = temporaryFolder({ 'home/empty': '' });
    expect(await examined(folder, [`${folder}/gone.json`], { only: 'documents' })).toEqual([
      'error    documents  the file "./gone.json" cannot be read (ENOENT)',
      '                    fix: correct the path, or make the file readable for this user: ls -l',
      1,
    ]);
    const environment = { PLATFORM_HOME: `${folder}/home` };
    const { stdout } = await printed(['doctor', '-'], { environment, clock: () => THEN });
    expect(stdout).toContain('error    documents  the file "./-" cannot be read (ENOENT)');
  });
});

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
        '                    fix: correct "registry" in the policy: the path may be wrong, or the answer a sign-in page',
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
    const { address, close } = await plainServer(() => undefined);
    close();
    expect(await shown(site(address), 'registry')).toEqual([
      'error    registry   the registry http://127.0.0.1:PORT cannot be reached (ECONNREFUSED)',
      '                    fix: nothing listens there: start the registry on its host, or correct the port in "registry" of the policy',
    ]);
  });

  it('of npm, of which no module is known', async () => {
    const { address, close } = await plainServer(() => undefined);
    const folder = temporaryFolder({ 'home/empty': '' });
    const environment = { PLATFORM_HOME: `${folder}/home`, MODREG_REGISTRY: `npm:${address}` };
    const look = async (): ReturnType<typeof examined> =>
      await examined(folder, [], { environment, only: 'registry' });
    expect(await look()).toEqual([
      'info     registry   npm:http://127.0.0.1:PORT takes connections; no module of it is known, so it was asked for none',
      0,
    ]);
    close();
    expect(await look()).toEqual([
      'error    registry   the registry npm:http://127.0.0.1:PORT cannot be reached (ECONNREFUSED)',
      '                    fix: nothing listens there: start the registry on its host, or correct the port in "registry" of the policy',
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
        onTestFinished(server.close);
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

describe('modreg doctor on saved lists', () => {
  it('that are recent', async () => {
    const { address } = await plainServer(listAt(THEN));
    const folder = site(address);
    await saveList(folder, address, THEN - DAY);
    expect(await shown(folder, 'lists')).toEqual([
      'ok       lists      1 saved list; the oldest, of acme:lidar, was confirmed 1 d ago (max_index_age 7 d)',
    ]);
  });

  it.each([
    ['before max_index_age', 3 * DAY, '3 d ago'],
    ['by a clock ahead', -DAY, 'by a clock 1 d ahead'],
  ])('[T96] that were confirmed %s', async (_, ago, words) => {
    const { address } = await plainServer(listAt(THEN));
    const folder = site(address, { max_index_age: '2d' });
    await saveList(folder, address, THEN - ago);
    expect(await shown(folder, 'lists')).toEqual([
      `warning  lists      1 of 1 saved list cannot be used without a registry; that of acme:lidar, was confirmed ${words} (max_index_age 2 d)`,
      '                    fix: start the agent or poller, which confirms them; or raise max_index_age in the policy',
    ]);
  });

  it('[D22] that the registry contradicts', async () => {
    let answer = listAt(THEN, 9);
    const { address } = await plainServer((...request) => answer(...request));
    const folder = site(address);
    await saveList(folder, address, THEN - MINUTE);
    answer = listAt(THEN, 3);
    expect(await shown(folder, 'registry', 'lists')).toEqual([
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      'error    lists      the list of acme:lidar at http://127.0.0.1:PORT went backwards: generation 3, after 9',
      '                    fix: find out why (docs/a-registry-was-restored.md), then modreg accept acme:lidar',
      'ok       lists      1 saved list; the oldest, of acme:lidar, was confirmed 1 min ago (max_index_age 7 d)',
    ]);
  });
});

it('modreg doctor prints what operating.md shows', async () => {
  const { address, close } = await plainServer(listAt(THEN));
  const folder = site(address);
  await saveList(folder, address, THEN - 3 * HOUR);
  const file = openForPoller(`${folder}/home/machine.db`);
  file.state.log([logged('acme_lidar')], { at: THEN - 3 * HOUR, trouble: undefined });
  file.close();
  close();
  const environment = { PLATFORM_HOME: `${folder}/home` };
  const { stdout } = await printed(['doctor', `${folder}/machine.json`], {
    environment,
    clock: () => THEN,
  });
  const sessions = PAGES.flatMap((page) => blocksOf(page)).map(({ content }) =>
    content.replaceAll('https://registry.example', address),
  );
  const shownLines = stdout.slice(-8).map((line) => line.replaceAll(`${folder}/`, ''));
  expect(sessions).toContain(
    `$ modreg doctor machine.json | tail -n 8\n${shownLines.join('\n')}\n`,
  );
});

/** A registry over TLS on loopback, and what `modreg doctor` says about it. */
async function overTls(name: string, authority?: string): Promise<string[]> {
  const pem = readFileSync(fixture(name));
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    listAt(Date.now())(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const folder = site(`https://127.0.0.1:${port}`);
  const { stdout } = await runModreg(['doctor', `${folder}/machine.json`], {
    PLATFORM_HOME: `${folder}/home`,
    ...(authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: fixture(authority) }),
  });
  const [, text = ''] = /\n(\w+ +registry {3}[^]*?)\n(?! )/.exec(stdout) ?? [];
  return text
    .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:PORT')
    .replaceAll(/in \d+ ms/g, 'in SOME ms')
    .replaceAll(/for \d+ d \d+ h/g, 'for SOME d')
    .replaceAll(/says \d{4}-\d\d-\d\d/g, 'says TODAY')
    .split('\n');
}

describe('modreg doctor on a certificate', () => {
  it.each<[string, string, string | undefined, string[]]>([
    [
      'that is valid',
      'good',
      'authority',
      [
        'ok       registry   https://127.0.0.1:PORT answers in SOME ms; 1 list wanted; certificate valid until 2125-01-01T00:00:00Z, for SOME d',
      ],
    ],
    [
      'of an unknown authority',
      'good',
      undefined,
      [
        'error    registry   the certificate of the registry https://127.0.0.1:PORT is from an authority that this machine does not trust',
        '                    fix: for an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificates, for modreg and for the service (systemctl edit modreg-agent: Environment=NODE_EXTRA_CA_CERTS=…)',
      ],
    ],
    [
      'that is self-signed',
      'alone',
      'authority',
      [
        'error    registry   the certificate of the registry https://127.0.0.1:PORT is self-signed',
        '                    fix: for an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificates, for modreg and for the service (systemctl edit modreg-agent: Environment=NODE_EXTRA_CA_CERTS=…)',
      ],
    ],
    [
      'for another host',
      'elsewhere',
      'authority',
      [
        'error    registry   the certificate of the registry https://127.0.0.1:PORT is for another host',
        '                    fix: use a name of the certificate in "registry" of the policy (it has DNS:elsewhere.example), or get one for 127.0.0.1',
      ],
    ],
    [
      'that has expired',
      'expired',
      'authority',
      [
        `error    registry   the certificate of the registry https://127.0.0.1:PORT has expired; this machine's clock says TODAY`,
        '                    fix: renew the certificate of 127.0.0.1:PORT on its host; if the date above is wrong, check time synchronization',
      ],
    ],
    [
      'that is not valid yet',
      'early',
      'authority',
      [
        `error    registry   the certificate of the registry https://127.0.0.1:PORT is not yet valid; this machine's clock says TODAY`,
        '                    fix: check time synchronization: timedatectl',
      ],
    ],
  ])('%s', async (_, name, authority, lines) => {
    expect(await overTls(name, authority)).toEqual(lines);
  });

  it('that expires soon', () => {
    const facts = {
      from: 'https://registry.example',
      key: 'modreg:https://registry.example/',
      url: new URL('https://registry.example'),
      hasToken: true,
      wanted: [],
      lists: new Map(),
      failure: undefined,
      tookMs: 33.4,
    };
    const found = (expiresAt: number): string[] => {
      const certificate = { expiresAt, names: '', refusal: undefined };
      const connection = { kind: 'open', certificate } as const;
      const registries = {
        registries: [{ ...facts, connection }],
        problems: [],
        warnings: [],
        isWanted: true,
      };
      return checkRegistries({ ...registries, ahead: new Map() }, THEN).map(
        ({ severity, found: text, fix = '' }) => `${severity} ${text} ${fix}`.trim(),
      );
    };
    const answers =
      'ok https://registry.example answers in 34 ms; 0 lists wanted; a token was sent';
    expect(found(THEN + 14 * DAY)).toEqual([
      `${answers}; certificate valid until 2026-12-15T12:00:00Z, for 14 d`,
    ]);
    expect(found(THEN + 9 * DAY)).toEqual([
      answers,
      'warning the certificate of https://registry.example is valid until 2026-12-10T12:00:00Z, for 9 d renew the certificate of registry.example on its host before then',
    ]);
  });
});

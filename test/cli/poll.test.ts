import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { rememberedIn } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { polledSite, polling, pollingHere, script } from '../support/polling.ts';
import { published } from '../support/published.ts';

/** Reads the action; `$to`, `$name` and `$direction` are from it. */
const READ = [
  'read -r action',
  'action=${action%%,\\"entry\\":*}',
  'field() { printf "%s\\n" "$action" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }',
  'name=$(field name) to=$(field to) id=$(field id) direction=$(field direction)',
];

describe('the program of modreg poll', () => {
  const ENDINGS: readonly [name: string, does: string, log: readonly string[], deployed: string][] =
    [
      ['well', 'echo checking; exit 0', ['checking', 'done'], '1.2.4 after 1.2.3'],
      [
        'busy',
        'echo "disk is full" >&2; exit 75',
        ['disk is full', 'not done, next attempt in SOON: disk is full'],
        '1.2.3 after nothing',
      ],
      [
        'denied',
        'exit 126',
        ['not done, next attempt in SOON: the program exited with 126 and wrote nothing to stderr'],
        '1.2.3 after nothing',
      ],
      [
        'absent',
        'exit 127',
        ['not done, next attempt in SOON: the program exited with 127 and wrote nothing to stderr'],
        '1.2.3 after nothing',
      ],
      [
        'signalled',
        'exit 143',
        ['not done, next attempt in SOON: the program exited with 143 and wrote nothing to stderr'],
        '1.2.3 after nothing',
      ],
      [
        'killed',
        'kill -9 $$',
        ['not done, next attempt in SOON: the program was killed by SIGKILL'],
        '1.2.3 after nothing',
      ],
      [
        'broken',
        'echo starting >&2; printf "no light\\n\\n" >&2; exit 1',
        ['starting', 'no light', '', 'the release failed: no light'],
        'unknown after 1.2.3',
      ],
      [
        'mute',
        'echo only on stdout; exit 125',
        [
          'only on stdout',
          'the release failed: the program exited with 125 and wrote nothing to stderr',
        ],
        'unknown after 1.2.3',
      ],
      [
        'slow',
        'echo sleeping; sleep 30',
        [
          'sleeping',
          'takes too long',
          'not done, next attempt in SOON: the program was stopped after 2 s',
        ],
        '1.2.3 after nothing',
      ],
    ];

  it('decides the outcome by how it ends', async () => {
    const loopback = await loopbackRegistry();
    const modules = ENDINGS.map(([name]) => {
      const env = name === 'unset' ? { KEY: '${environment.LIDAR_KEY}' } : {};
      return { ...Object(entry(`acme:${name}`, '1.2.4')), env };
    });
    const deployed = Object.fromEntries(ENDINGS.map(([name]) => [`acme_${name}`, '1.2.3']));
    const folder = polledSite(loopback, { modules, deployed });
    for (const [name] of ENDINGS) published(loopback, `acme:${name}`, '1.2.3', '1.2.4');
    const cases = ENDINGS.map(([name, does]) => `acme_${name}) ${does} ;;`);
    const hook = script(`${folder}/hook`, ...READ, 'case $name in', ...cases, 'esac');
    const { until, end, skip } = pollingHere(folder, ['--exec', hook, '--timeout', '2s']);
    // After each release that failed, the poller waits for a signal.
    await skip(500);
    await skip(500);
    const before = await until('acme_slow: sleeping');
    await skip(1, 2000);
    const log = [...before, ...(await until('acme_slow: upgrade 1.2.3 → 1.2.4: not done'))];
    await end('SIGTERM');
    for (const [name, , expected, ...remembered] of ENDINGS) {
      const own = log.flatMap((line) => {
        const [, text] =
          new RegExp(`^TIME (?:info|warn|error) +acme_${name}: (.*)$`).exec(line) ?? [];
        return text === undefined ? [] : text.replace(/^upgrade 1\.2\.3 → 1\.2\.4:? ?/, '');
      });
      const [delivered, ...rest] = own.map((text) =>
        text.replace(/, so the program is stopped$/, ''),
      );
      expect([name, delivered, ...rest]).toEqual([name, 'pinned', ...expected]);
      expect([name, rememberedIn(`${folder}/home`, `acme_${name}`)[0]]).toEqual([
        name,
        ...remembered,
      ]);
    }
  });
});

/** A script that notes its start, waits for a file, and notes its end. 1.2.5 does not work. */
function waitingScript(folder: string): string {
  return script(
    `${folder}/hook`,
    ...READ,
    `echo "start $direction $to $id" >> ${folder}/effects; echo working`,
    `while [ ! -e ${folder}/go-$to-$direction ]; do sleep 0.05; done`,
    `echo "end $direction $to $id" >> ${folder}/effects`,
    '[ $to != 1.2.5 ] || { echo "no light" >&2; exit 1; }',
  );
}

/** The effects so far, with the ids of actions numbered in order of appearance. */
function effectsOf(folder: string): string[] {
  const ids: string[] = [];
  const lines = readFileSync(`${folder}/effects`, 'utf8').trimEnd().split('\n');
  return lines.map((line) =>
    line.replace(/\S+$/, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `action ${ids.indexOf(id) + 1}`;
    }),
  );
}

describe('modreg poll', () => {
  it('[T72] goes from a publication to a rollback although it is killed at each step', async () => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.3', '1.2.4');
    const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
    const start = () => polling(folder, ['--exec', waitingScript(folder)]);

    const first = start();
    await first.until('acme_lidar: working');
    await first.end('SIGKILL');

    // The program of the first poller is still at work.
    const second = start();
    await second.until('the program of an earlier poller is still running');
    writeFileSync(`${folder}/go-1.2.4-upgrade`, '');
    await second.until('acme_lidar: upgrade 1.2.3 → 1.2.4: newest release of 1 (attempt 2)');
    await second.until('acme_lidar: upgrade 1.2.3 → 1.2.4: done');
    expect(rememberedIn(`${folder}/home`)).toEqual(['1.2.4 after 1.2.3']);
    published(loopback, 'acme:lidar', '1.2.5');
    await second.until('acme_lidar: upgrade 1.2.4 → 1.2.5: newest release of 1');
    writeFileSync(`${folder}/go-1.2.5-upgrade`, '');
    const failing = await second.until('acme_lidar: rollback');
    expect(failing).toEqual([
      'TIME info  acme_lidar: working',
      'TIME info  acme_lidar: no light',
      'TIME error acme_lidar: upgrade 1.2.4 → 1.2.5: the release failed: no light',
      'TIME warn  acme:lidar 1.2.5 is in quarantine until an operator lifts it (modreg quarantine lift acme:lidar 1.2.5): no light',
      'TIME info  acme_lidar: rollback to 1.2.4: 1.2.5 failed on this machine (no light); 1.2.4 was deployed before it',
    ]);
    await second.until('acme_lidar: working');
    await second.end('SIGKILL');

    const third = pollingHere(folder, ['--exec', waitingScript(folder)]);
    await third.until('the program of an earlier poller is still running');
    writeFileSync(`${folder}/go-1.2.4-rollback`, '');
    await third.until('acme_lidar: rollback to 1.2.4: done');
    const { exit, lines } = await third.end('SIGTERM');
    expect([exit, lines.at(-1)]).toEqual([0, 'TIME info  stopped by SIGTERM']);
    expect(rememberedIn(`${folder}/home`)).toEqual(['1.2.4 after nothing', 'acme:lidar 1.2.5']);
    expect(effectsOf(folder)).toEqual([
      'start upgrade 1.2.4 action 1',
      'end upgrade 1.2.4 action 1',
      'start upgrade 1.2.4 action 1',
      'end upgrade 1.2.4 action 1',
      'start upgrade 1.2.5 action 2',
      'end upgrade 1.2.5 action 2',
      'start rollback 1.2.4 action 3',
      'end rollback 1.2.4 action 3',
      'start rollback 1.2.4 action 3',
      'end rollback 1.2.4 action 3',
    ]);
  });

  it('gives the program the whole action, and no variable of modreg or of the machine', async () => {
    const loopback = await loopbackRegistry();
    const digest = `sha256:${'ab'.repeat(32)}`;
    const url = 'https://files.example/lidar?key=s3cret-key';
    const artifacts = [{ platform: 'linux/arm64', url, digest, size: 12 }];
    const release = readRelease({ version: '1.2.4', artifacts });
    if (!release.ok) throw new Error(release.error.join('; '));
    loopback.catalogue.publish(moduleId('acme:lidar'), release.value, Date.now());
    const env = {
      LEVEL: 'debug',
      KEY: '${environment.LIDAR_KEY}',
      PEM: '${environment.LIDAR_PEM}',
    };
    const folder = polledSite(loopback, {
      modules: [{ ...Object(entry('acme:lidar', '1.*')), env, log: 'debug' }],
      deployed: { acme_lidar: '1.2.3' },
    });
    const hook = script(
      `${folder}/hook`,
      `cat > ${folder}/action`,
      `env | sed -n 's/^\\([A-Z_]*\\)=.*/\\1/p' | sort > ${folder}/variables`,
      // The forms in which the lines of a value may appear: as they are, in JSON, and in an address.
      `printf '%s and %s and %s\\n' 'first "line"' 'first \\"line\\"\\nsecond line' first%20%22line%22%0Asecond%20line`,
      `echo "cannot get ${url} and ftp://me:pa55@h/x#y with l1dar-key, s3cret-key, t0ken-text" >&2; exit 1`,
    );
    const environment = {
      MODREG_TOKEN: 't0ken-text',
      MODREG_REGISTRY: loopback.address,
      PLATFORM_API_KEY: 'agents-own',
      PLATFORM_API_KEY_ID: 'id-of-agents-own',
      PLATFORM_PART_ID: 'rover-7',
      LIDAR_KEY: 'l1dar-key',
      LIDAR_PEM: 'first "line"\nsecond line',
    };
    const { until, end } = pollingHere(folder, ['--exec', hook], environment);
    const log = await until('the release failed');
    await end('SIGTERM');
    expect(log.slice(-3)).toEqual([
      'TIME info  acme_lidar: *** and *** and ***',
      'TIME info  acme_lidar: cannot get https://files.example/lidar?*** and ftp://***@h/x#*** with ***, ***, ***',
      'TIME error acme_lidar: upgrade 1.2.3 → 1.2.4: the release failed: cannot get https://files.example/lidar?*** and ftp://***@h/x#*** with ***, ***, ***',
    ]);
    const variables = readFileSync(`${folder}/variables`, 'utf8').trimEnd().split('\n');
    expect(variables.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))).toEqual([
      'LIDAR_KEY',
      'LIDAR_PEM',
      'PATH',
      'PLATFORM_HOME',
      'PLATFORM_PART_ID',
    ]);
    const root = `${folder}/home/packages/acme/lidar/1.2.4-abababababab`;
    const text = readFileSync(`${folder}/action`, 'utf8');
    expect(text.indexOf('\n')).toBe(text.length - 1);
    expect(JSON.parse(text)).toEqual({
      schema: 'modreg/action@1',
      id: expect.stringMatching(/^[0-9a-f]{12}-1$/) as string,
      delivery: 1,
      target: { kind: 'module', name: 'acme_lidar', module_id: 'acme:lidar' },
      direction: 'upgrade',
      from: '1.2.3',
      to: '1.2.4',
      reason: 'newest release of 1',
      decided_at: expect.stringMatching(/Z$/) as string,
      artifact: { platform: 'linux/arm64', url, digest, size: 12 },
      folders: { root, data: `${folder}/home/module-data/rover-7/acme_lidar` },
      restart: { of: 'modules', targets: ['acme_lidar'], stops: [] },
      entry: { type: 'registry', version: '1.*', extra: { log: 'debug' } },
      environment: {
        PLATFORM_HOME: `${folder}/home`,
        PLATFORM_MODULE_ROOT: root,
        PLATFORM_MODULE_DATA: `${folder}/home/module-data/rover-7/acme_lidar/`,
        PLATFORM_MODULE_ID: 'acme:lidar',
        LEVEL: 'debug',
        KEY: 'l1dar-key',
        PEM: 'first "line"\nsecond line',
      },
    });
  });
});

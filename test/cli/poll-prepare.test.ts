import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { rememberedIn } from '../support/machine-home.ts';
import { polledSite, pollingHere, script, type PollingHere } from '../support/polling.ts';
import { published } from '../support/published.ts';

interface Prepared extends PollingHere {
  readonly folder: string;
  /** What the programs were given, in their order: `prepare {…}`, `exec {…}`. */
  readonly given: () => string[];
  /** Ends the wait of the program that prepares. */
  readonly go: () => void;
}

/** A poller of a machine with 1.2.3, for which 1.2.4 is prepared by a program that does `does`. */
async function preparing(
  does: readonly string[],
  {
    options = [],
    policy = {},
    exec: switches = ['echo switched'],
    newer = ['1.2.4'],
  }: {
    options?: readonly string[];
    policy?: object;
    exec?: readonly string[];
    newer?: readonly string[];
  } = {},
): Promise<Prepared> {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3', ...newer);
  const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' }, policy });
  writeFileSync(`${folder}/given`, '');
  const note = (name: string): string => `echo "${name} $(cat)" >> ${folder}/given`;
  const prepare = script(`${folder}/download`, note('prepare'), `go=${folder}/go`, ...does);
  const exec = script(`${folder}/switch`, note('exec'), ...switches);
  const poller = pollingHere(folder, ['--prepare', prepare, '--exec', exec, ...options]);
  return {
    ...poller,
    folder,
    given: () => readFileSync(`${folder}/given`, 'utf8').trimEnd().split('\n').filter(Boolean),
    go: () => writeFileSync(`${folder}/go`, ''),
  };
}

/** Says that it downloads, until the test lets it go on. */
const DOWNLOAD = ['echo downloading', 'while [ ! -e $go ]; do sleep 0.05; done', 'echo downloaded'];

const STARTED = 'acme_lidar: downloading';

describe('modreg poll --prepare', () => {
  it('runs a program with the same input first, and then that of --exec', async () => {
    const { until, end, given, folder, go } = await preparing(DOWNLOAD);
    const log = await until(STARTED);
    go();
    log.push(...(await until('done')));
    await end('SIGTERM');
    expect(log.map((line) => line.replaceAll(`${folder}/`, ''))).toEqual([
      'TIME info  polling 1 module of machine.json, every 5 s, for switch, prepared by download (Ctrl-C stops)',
      'TIME info  acme_lidar: upgrade 1.2.3 → 1.2.4: newest release of 1',
      'TIME info  acme_lidar: downloading',
      'TIME info  acme_lidar: downloaded',
      'TIME info  acme_lidar: switched',
      'TIME info  acme_lidar: upgrade 1.2.3 → 1.2.4: done',
    ]);
    const [first = '', second, ...others] = given();
    expect([second, ...others]).toEqual([first.replace('prepare', 'exec')]);
    expect(first).toMatch(/^prepare \{"schema":"modreg\/action@1",/);
    expect(rememberedIn(`${folder}/home`)).toEqual(['1.2.4 after 1.2.3']);
  });

  it('[T331] runs nothing if the release must no longer be selected, and says why', async () => {
    const { until, end, given, folder, go } = await preparing(DOWNLOAD);
    await until(STARTED);
    const environment = { PLATFORM_HOME: `${folder}/home` };
    const add = ['quarantine', 'add', 'acme_lidar', '1.2.4', '--reason', 'stops the motor'];
    expect(await printed(add, { environment, clock: Date.now })).toMatchObject({ exit: 0 });
    go();
    const log = await until('is in quarantine');
    await end('SIGTERM');
    expect(log).toEqual([
      'TIME info  acme_lidar: downloaded',
      'TIME info  acme_lidar: prepared, but not begun: stays at 1.2.3: 1.2.4 is quarantined on this machine (stops the motor)',
      'TIME warn  acme:lidar 1.2.4 is in quarantine until an operator lifts it (modreg quarantine lift acme:lidar 1.2.4): stops the motor',
    ]);
    expect(given()).toHaveLength(1);
    expect(rememberedIn(`${folder}/home`)[0]).toBe('1.2.3 after nothing');
  });

  it('[T331] runs nothing if the window has closed meanwhile, and both programs when it is open again', async () => {
    const { until, end, given, folder, go, skip } = await preparing(DOWNLOAD);
    await until(STARTED);
    const policy = JSON.parse(readFileSync(`${folder}/policy.json`, 'utf8')) as object;
    const maintenance = [{ start: '0 0 29 2 *', duration: '1m', time_zone: 'UTC' }];
    writeFileSync(`${folder}/policy.json`, JSON.stringify({ ...policy, maintenance }));
    // The next round reads the policy.
    await skip(1000, 5500);
    go();
    const log = await until('is held');
    expect(log.map((line) => line.replace(/until .*/, 'until …'))).toEqual([
      'TIME info  acme_lidar: downloaded',
      'TIME info  acme_lidar: the upgrade to 1.2.4 is held: the maintenance window is closed until …',
    ]);
    expect(given()).toHaveLength(1);
    writeFileSync(`${folder}/policy.json`, JSON.stringify(policy));
    await skip(1000, 5500);
    expect(await until('done')).toEqual([
      'TIME info  acme_lidar: upgrade 1.2.3 → 1.2.4: newest release of 1',
      'TIME info  acme_lidar: downloading',
      'TIME info  acme_lidar: downloaded',
      'TIME info  acme_lidar: switched',
      'TIME info  acme_lidar: upgrade 1.2.3 → 1.2.4: done',
    ]);
    await end('SIGTERM');
    expect(given().map((line) => line.split(' ')[0])).toEqual(['prepare', 'prepare', 'exec']);
  });

  it.each<[string, string, string, readonly string[]]>([
    [
      'exits with 1',
      'echo "no such file" >&2; exit 1',
      'TIME error acme_lidar: upgrade 1.2.3 → 1.2.4: the release failed: no such file',
      ['acme:lidar 1.2.4'],
    ],
    [
      'exits with 75',
      'echo "no network" >&2; exit 75',
      'TIME warn  acme_lidar: upgrade 1.2.3 → 1.2.4: not done, next attempt in SOON: no network',
      [],
    ],
    [
      'is killed',
      'kill -9 $$',
      'TIME warn  acme_lidar: upgrade 1.2.3 → 1.2.4: not done, next attempt in SOON: the program was killed by SIGKILL',
      [],
    ],
  ])(
    '[T332] that %s is a failure as that of --exec, but what is deployed stays known',
    async (_, does, line, quarantined) => {
      const { until, end, given, folder, skip } = await preparing([does]);
      // After a release that failed, the poller waits for a signal.
      if (quarantined.length > 0) await skip(500);
      await until(line);
      await end('SIGTERM');
      expect(given()).toHaveLength(1);
      expect(rememberedIn(`${folder}/home`)).toEqual(['1.2.3 after nothing', ...quarantined]);
    },
  );

  it('[T332] that takes too long is stopped, and begins nothing although it then exits with 0', async () => {
    const wait = ['trap "exit 0" TERM', 'echo downloading', 'while :; do sleep 0.05; done'];
    const { until, end, given, skip } = await preparing(wait, { options: ['--timeout', '2s'] });
    await until(STARTED);
    await skip(1, 2000);
    const log = await until('not done');
    await end('SIGTERM');
    // A shell may say that what it ran was ended.
    expect([log[0], log.at(-1)]).toEqual([
      'TIME warn  acme_lidar: upgrade 1.2.3 → 1.2.4 takes too long, so the program of --prepare is stopped',
      'TIME warn  acme_lidar: upgrade 1.2.3 → 1.2.4: not done, next attempt in SOON: the program of --prepare was stopped after 2 s',
    ]);
    expect(given()).toHaveLength(1);
  });

  it('[T331] that is stopped with the poller begins nothing, and the next poller gets the action', async () => {
    const wait = ['trap "exit 0" TERM', 'echo downloading', 'while :; do sleep 0.05; done'];
    const { until, end, given, folder } = await preparing(wait);
    await until(STARTED);
    const { exit, lines } = await end('SIGTERM');
    expect([exit, lines.at(-1), given().length]).toEqual([0, 'TIME info  stopped by SIGTERM', 1]);
    expect(lines.filter((line) => line.includes('begun'))).toEqual([]);
    const environment = { PLATFORM_HOME: `${folder}/home` };
    const status = await printed(['status', '--json'], { environment, clock: Date.now });
    expect(JSON.parse(status.stdout.join(''))).toMatchObject({
      targets: [{ action: { state: 'delivered' } }],
    });
  });

  it('[T332] that blames a release begins no cooldown, because nothing was stopped', async () => {
    const { until, end, given, folder, skip } = await preparing(['echo "bad file" >&2', 'exit 1'], {
      policy: { restart_cooldown: '10m' },
      newer: ['1.2.4', '1.2.5'],
    });
    for (let times = 0; times < 2; times++) {
      await until('bad file');
      await skip(500);
    }
    await until('1.2.4: the release failed');
    await end('SIGTERM');
    expect(given().map((line) => line.replace(/ .*"to":"([\d.]+)".*/, ' $1'))).toEqual([
      'prepare 1.2.5',
      'prepare 1.2.4',
    ]);
    const environment = { PLATFORM_HOME: `${folder}/home` };
    const { stdout } = await printed(['why', 'acme_lidar'], { environment, clock: Date.now });
    expect(stdout.join('\n')).not.toContain('cooling down');
  });

  it('[T332] is not run before a rollback, which ends a failure', async () => {
    const { until, end, given, skip } = await preparing(['echo downloaded'], {
      exec: [
        `grep -q 'exec.*"rollback"' "$(dirname "$0")/given" || { echo "motor stalls" >&2; exit 1; }`,
      ],
    });
    await until('downloaded');
    await skip(500);
    const log = await until(': done');
    await end('SIGTERM');
    expect(log.slice(-2)).toEqual([
      'TIME info  acme_lidar: rollback to 1.2.3: 1.2.4 failed on this machine (motor stalls); 1.2.3 was deployed before it',
      'TIME info  acme_lidar: rollback to 1.2.3: done',
    ]);
    expect(given().map((line) => line.replace(/ .*"direction":"(\w+)".*/, ' $1'))).toEqual([
      'prepare upgrade',
      'exec upgrade',
      'exec rollback',
    ]);
  });

  it('is refused if the program cannot be run', async () => {
    const folder = polledSite(await loopbackRegistry());
    const environment = { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` };
    const args = ['poll', `${folder}/machine.json`, '--exec', 'true', '--prepare', './absent'];
    expect(await printed(args, { environment })).toMatchObject({
      exit: 2,
      stderr: [
        'error[UNREADABLE_FILE]: --prepare: "./absent" cannot be run: there is no such file',
      ],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { brokenStream } from '../support/broken-stream.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startedInProcess, textOf } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { sh } from '../support/shell.ts';

/** The machine config that names modules in this order. */
function machine(...modules: readonly (readonly [string, string])[]): string {
  return JSON.stringify({ modules: modules.map(([id, version]) => entry(id, version)) });
}

const NOTHING = '{"acme_lidar":null,"acme_arm":null,"acme_cam":null}';
const NO_MATCH = ['acme:lidar', '9.*'] as const;
const UNKNOWN = ['acme:arm', '1.*'] as const;
const NO_LIST = ['acme:cam', '1.*'] as const;
const GOOD = ['acme:lidar', '1.*'] as const;

/** Runs the words of `line` in a folder with documents, a registry, and homes with and without damaged files. */
function run(line: string): {
  folder: string;
  args: string[];
  environment: Record<string, string>;
} {
  const folder = temporaryFolder({
    'good.json': machine(GOOD),
    'no-match-first.json': machine(NO_MATCH, UNKNOWN, NO_LIST),
    'unknown-first.json': machine(UNKNOWN, NO_LIST, NO_MATCH),
    'no-list-first.json': machine(NO_LIST, NO_MATCH, UNKNOWN),
    'good-and-unknown.json': machine(GOOD, UNKNOWN),
    'warning.json': '{"modules":[],"moduls":[]}',
    'bad.json': '{"modules":[7]}',
    'none.json': NOTHING,
    'one.json': '{"acme_lidar":null}',
    'extra.json': '{"acme_lidar":null,"acme_lidr":null}',
    'two-and-extra.json': '{"acme_lidar":null,"acme_arm":null,"acme_lidr":null}',
    'policy.json': '{"registry":"./lists"}',
    'bad-policy.json': '{"registry":7}',
    'lists/acme/lidar.json': '{"releases":[{"version":"1.0.0"}]}',
    'lists/acme/cam.json': '[]',
    'damaged/machine.db': 'not a database, and long enough to be one',
    'damaged/registry.db': 'not a database, and long enough to be one',
    'home/x': '',
  });
  const [home = '', ...words] = line.split(' ');
  const args = words.map((word) => word.replace(/^\.\//, `${folder}/`));
  return { folder, args, environment: { PLATFORM_HOME: `${folder}/${home}` } };
}

/** The codes of the errors and warnings on stderr, in their order. */
function codesIn(stderr: string): string {
  const codes = stderr.matchAll(
    /^(?:(error|warning)\[(\w+)\]:|\{"(error|warning)":\{"code":"(\w+)")/gm,
  );
  return Array.from(codes, ([, level, code, jsonLevel, jsonCode]) =>
    (level ?? jsonLevel) === 'error' ? (code ?? jsonCode) : `(${code ?? jsonCode})`,
  ).join(' ');
}

const HTTP = '--registry http://127.0.0.1:1';

describe('[T119] the first of several errors determines the exit code', () => {
  it.each<[string, number, string]>([
    // Arguments, in the order of the words of the command, then of its options.
    [
      'home resolve lidar 1.x --platform x --at x --max-age x --policy ./nowhere.json',
      2,
      'BAD_MODULE_ID BAD_CONSTRAINT BAD_PLATFORM BAD_TIME USAGE UNREADABLE_FILE',
    ],
    ['home resolve acme:lidar 1.* --max-age x --policy ./bad-policy.json', 2, 'USAGE BAD_VALUE'],
    [
      'home compare lidar --deployed x --at x --policy ./bad-policy.json',
      2,
      'BAD_MODULE_ID BAD_VERSION BAD_TIME BAD_VALUE',
    ],
    [
      'home poll ./bad.json --exec nope --platform x --interval 1s --timeout 0s --metrics x',
      2,
      'BAD_PLATFORM USAGE USAGE UNREADABLE_FILE USAGE',
    ],
    ['home watch ./bad.json --platform x --interval 1s', 2, 'BAD_PLATFORM'],
    ['home registry publish lidar 1.x', 2, 'BAD_VERSION'],
    ['home registry serve --port x --spread x --tls-cert x', 2, 'USAGE'],
    // Arguments before documents, and documents in the order machine config, policy, deployed versions.
    ['home resolve acme:lidar 1.* --policy ./bad-policy.json', 1, 'BAD_VALUE'],
    ['home plan ./bad.json --platform x', 2, 'BAD_PLATFORM BAD_VALUE'],
    [
      'home plan ./nowhere.json --policy ./bad-policy.json --deployed ./bad.json',
      2,
      'UNREADABLE_FILE BAD_VALUE BAD_VALUE',
    ],
    [
      'home plan ./bad.json --policy ./nowhere.json --deployed ./bad.json',
      1,
      'BAD_VALUE UNREADABLE_FILE BAD_VALUE',
    ],
    ['home accept acme:lidar --policy ./bad-policy.json --registry ftp://x', 1, 'BAD_VALUE'],
    // A file that cannot be read is an error of the command. What is wrong in the others is its answer.
    ['home check ./bad.json ./nowhere.json', 2, 'UNREADABLE_FILE'],
    ['home check ./nowhere.json --policy ./nowhere-too.json', 2, 'UNREADABLE_FILE UNREADABLE_FILE'],
    ['home check ./warning.json ./good.json', 0, ''],
    ['home check ./warning.json ./good.json --strict', 1, ''],
    // Arguments and documents before the state of the machine or the file of a registry.
    ['damaged plan ./bad.json', 1, 'BAD_VALUE'],
    ['damaged plan ./good.json --registry ftp://x', 70, 'STATE_UNREADABLE'],
    ['damaged watch ./bad.json', 1, 'BAD_VALUE'],
    ['damaged status --exit-code --max-age x', 2, 'USAGE'],
    ['damaged status --exit-code', 70, 'STATE_UNREADABLE'],
    ['damaged why lidar --at x', 2, 'BAD_TIME'],
    ['damaged quarantine add lidar x --for 0s', 2, 'USAGE'],
    ['damaged rollback lidar --for 0s', 2, 'USAGE'],
    ['damaged registry publish acme:lidar 1.x', 2, 'BAD_VERSION'],
    ['damaged registry publish acme:lidar 1.0.0', 70, 'STATE_UNREADABLE'],
    ['damaged registry token create --name ci --expires x', 2, 'USAGE'],
    ['damaged registry verify', 1, 'DAMAGED'],
    // An answer that is possible without the state needs no state: the trouble with it is a warning.
    [
      `damaged resolve acme:lidar 1.* --offline ${HTTP}`,
      4,
      'REGISTRY_UNREACHABLE (STATE_UNREADABLE)',
    ],
    [`damaged accept acme:lidar ${HTTP}`, 70, 'STATE_UNREADABLE'],
    // Modules in the order of the machine config, whatever their errors are.
    [
      'home plan ./no-match-first.json --deployed ./none.json',
      1,
      'NO_MATCH UNKNOWN_MODULE NOT_A_REGISTRY',
    ],
    [
      'home plan ./unknown-first.json --deployed ./none.json',
      3,
      'UNKNOWN_MODULE NOT_A_REGISTRY NO_MATCH',
    ],
    [
      'home plan ./no-list-first.json --deployed ./none.json',
      4,
      'NOT_A_REGISTRY NO_MATCH UNKNOWN_MODULE',
    ],
    // An error comes before what --strict and --exit-code report, and --strict before --exit-code.
    ['home plan ./good.json --deployed ./one.json --exit-code --strict', 10, ''],
    ['home plan ./good.json --deployed ./extra.json --exit-code', 10, '(UNKNOWN_REFERENCE)'],
    [
      'home plan ./good.json --deployed ./extra.json --exit-code --strict',
      1,
      '(UNKNOWN_REFERENCE)',
    ],
    [
      'home plan ./good-and-unknown.json --deployed ./two-and-extra.json --exit-code --strict',
      3,
      'UNKNOWN_MODULE (UNKNOWN_REFERENCE)',
    ],
  ])('%s: %i, %s', async (line, exit, codes) => {
    const { args, environment } = run(line);
    const world = { environment: { PATH: process.env['PATH'], ...environment }, clock: Date.now };
    // Both forms of output: every second row is JSON.
    const json = line.length % 2 === 0 ? ['--json'] : [];
    const ended = await printed([...args, ...json], world);
    expect([codesIn(ended.stderr.join('\n')), ended.exit]).toEqual([codes, exit]);
  });

  it.each<[string, string, number]>([
    [
      'home plan ./unknown-first.json --deployed ./none.json',
      'UNKNOWN_MODULE NOT_A_REGISTRY NO_MATCH INTERNAL',
      70,
    ],
    ['home check ./bad.json', 'INTERNAL', 70],
    ['home status --exit-code', 'INTERNAL', 70],
    // Without an answer there is nothing to write.
    ['home resolve acme:nothing 1.* --registry ./lists', 'UNKNOWN_MODULE', 3],
  ])('%s: an answer that cannot be written counts more: %s', async (line, codes, exit) => {
    const { args, environment } = run(line);
    const env = { PATH: process.env['PATH'], ...environment };
    const running = startedInProcess(args, { env, stdout: brokenStream('ENOSPC') });
    const ended = await running.ended;
    expect([codesIn(textOf(running.stderr)), ended]).toEqual([codes, exit]);
  });

  it('a closed stdout counts more, also without an answer', () => {
    const { args, environment } = run('home resolve acme:nothing 1.* --registry ./lists');
    const command = [`${ROOT}bin/modreg`, ...args.map((word) => `'${word}'`)].join(' ');
    const output = sh(`{ ${command} >&-; echo "exit $?"; } 2>&1`, environment);
    expect([codesIn(output), output.split('\n').at(-2)]).toEqual(['INTERNAL', 'exit 70']);
  });

  it.each(['home check ./bad.json', 'home status --exit-code', 'home plan ./unknown-first.json'])(
    '%s: without a reader of its answer: 141, as of a process that SIGPIPE ends',
    async (line) => {
      const { args, environment } = run(line);
      const env = { PATH: process.env['PATH'], ...environment };
      const { ended } = startedInProcess(args, { env, stdout: brokenStream('EPIPE') });
      expect(await ended).toBe(141);
    },
  );
});

/*
 * Packs the package twice, from copies in folders of different names, with another umask, time zone and language, and
 * compares the bytes: `npm run test:package -- reproducible`. Prints the digest, which is the same for each build of the commit with
 * the same Node.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const SHOWN = 20;

interface Place {
  readonly folder: string;
  readonly umask: string;
  readonly environment: Readonly<Record<string, string>>;
}

const PLACES: readonly Place[] = [
  { folder: 'a', umask: '022', environment: { TZ: 'UTC', LC_ALL: 'C' } },
  {
    folder: 'another folder/checkout',
    umask: '077',
    environment: { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', HOME: '/nonexistent' },
  },
];

const base = mkdtempSync(join(tmpdir(), 'modreg-reproducible-'));
try {
  const [first = '', second = ''] = PLACES.map(pack);
  const digests = [first, second].map(digestOf);
  if (digests[0] === digests[1]) {
    console.log(`both builds are ${statSync(first).size} bytes with sha256 ${digests[0]}`);
  } else {
    console.error(`two builds differ: sha256 ${digests.join(' and ')}`);
    console.error(differencesOf(first, second).join('\n'));
    process.exitCode = 1;
  }
} finally {
  rmSync(base, { recursive: true });
}

/** Packs a copy of the sources, and returns the path of the tarball. */
function pack({ folder, umask, environment }: Place): string {
  const copy = join(base, folder);
  const left = ['node_modules', '.git', 'dist', 'coverage', '*.tgz'];
  const excluded = left.map((name) => `--exclude='./${name}'`).join(' ');
  const source = `tar -C '${ROOT}' ${excluded} -c .`;
  run(
    `umask ${umask}; mkdir -p '${copy}'; ${source} | tar -C '${copy}' -x --touch --no-same-permissions`,
  );
  cpSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const settings = Object.entries(environment).map(([name, value]) => `${name}='${value}'`);
  run(`umask ${umask}; cd '${copy}'; env ${settings.join(' ')} npm pack --silent`);
  const tarball = readdirSync(copy).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack wrote no tarball in ${copy}`);
  return join(copy, tarball);
}

function run(command: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} ended with ${status}\n${stdout}${stderr}`);
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The entries of the tarballs that differ in mode, size or time, and the files that differ in content. */
function differencesOf(first: string, second: string): string[] {
  const [one = [], other = []] = [first, second].map((path) => {
    run(`mkdir '${path}.d'; tar -xzf '${path}' -C '${path}.d'`);
    return run(`tar -tvzf '${path}'`).trim().split('\n');
  });
  const entries = [
    ...one.filter((entry) => !other.includes(entry)).map((entry) => `first:  ${entry}`),
    ...other.filter((entry) => !one.includes(entry)).map((entry) => `second: ${entry}`),
  ];
  const contents = run(`diff -rq '${first}.d' '${second}.d' || true`).trim().split('\n');
  return [...contents, ...entries].slice(0, SHOWN);
}

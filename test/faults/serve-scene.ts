import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { scheduler } from 'node:timers/promises';
import { catchUp } from '../storms/follower.ts';
import { NO_COUNTS, type Content } from '../storms/journal.ts';
import { publish, sha256Of, upload, yank, type Target } from '../storms/requests.ts';
import { newSite, restart, type Site } from '../storms/storms.ts';
import { ROOT } from '../support/modreg.ts';
import type { Ended } from './run-traced.ts';
import type { Scene } from './scene.ts';

const SUFFIXES = ['', '-wal', '-shm', '-journal', '-files', '-files/incoming', '-files/sha256'];
const FILES = ['lidar', 'arm', 'spare'].map((text) => Buffer.from(`${text} `.repeat(30_000)));
const [LIDAR_FILE, ARM_FILE, SPARE_FILE] = FILES as [Buffer, Buffer, Buffer];
/** Higher than any id of a process: names of parts of files contain it, and strace needs their names. */
const PID = 2 ** 22 + 1;
const FIXED_PID = `--import=data:text/javascript,Object.defineProperty(process,'pid',{value:${PID}})`;
const MOST_PARTS = 12;
/** How often a registry is asked again after one call failed, which may be one of the next request. */
const MOST_TRIES = 3;
const LOOK_MS = 20;

/** A served registry whose clients publish, upload, yank, read and download while its calls fail. */
export function serveScene(): Scene {
  const sites = new Map<string, Site>();
  const siteOf = (folder: string): Site => {
    const site = sites.get(folder);
    if (!site) throw new Error(`no registry in ${folder}`);
    return site;
  };
  return {
    name: 'serve',
    prepare: (folder) => {
      mkdirSync(`${folder}/home`);
      writeFileSync(`${folder}/out`, '');
      sites.set(folder, newSite(pathIn(folder), { ...NO_COUNTS }));
    },
    // strace counts the calls of each thread.
    command: (folder) => [
      'env',
      'UV_THREADPOOL_SIZE=1',
      `NODE_OPTIONS=${FIXED_PID}`,
      'sh',
      '-c',
      'echo $$ >"$0"; exec "$@" >>"$0"',
      `${folder}/out`,
      `${ROOT}bin/modreg`,
      'registry',
      'serve',
      '--port',
      '0',
      '--db',
      pathIn(folder),
    ],
    files: (folder) => [
      `${folder}/home`,
      ...SUFFIXES.map((suffix) => `${pathIn(folder)}${suffix}`),
      ...FILES.flatMap((bytes) => storedAs(pathIn(folder), sha256Of(bytes))),
    ],
    meanwhile: async (folder, fault, over) => {
      const site = siteOf(folder);
      const [pid, address] = await startedIn(folder, over);
      try {
        if (address === undefined) return;
        const target = { ...site, address, isFaulty: true };
        await useRegistry(target, site);
        if (fault?.times === 1 || !fault) await expectRecovery(target, over);
      } catch (error) {
        wrong(site, `a client ends with ${String(error)}`);
      } finally {
        if (!over.aborted) process.kill(pid, 'SIGTERM');
      }
    },
    judge: async (folder, ended) => {
      const findings = await restart(siteOf(folder));
      sites.delete(folder);
      return [
        ...endFindings(folder, ended),
        ...findings.map(({ kind, text }) => `${kind}: ${text}`),
      ];
    },
  };
}

function pathIn(folder: string): string {
  return `${folder}/home/registry.db`;
}

/** Every name that a file has while it is uploaded and afterwards. */
function storedAs(path: string, sha256: string): string[] {
  const parts = Array.from({ length: MOST_PARTS }, (_, place) => `.${PID}-${place + 1}.part`);
  return [`sha256/${sha256}`, ...['', ...parts].map((end) => `incoming/${sha256}${end}`)].map(
    (name) => `${path}-files/${name}`,
  );
}

/** The id of the process and its address; none if it ended before it had one. */
async function startedIn(
  folder: string,
  over: AbortSignal,
): Promise<[pid: number, address: string | undefined]> {
  for (;;) {
    const [pid, listening] = readFileSync(`${folder}/out`, 'utf8').split('\n').slice(0, -1);
    if (listening !== undefined || over.aborted) {
      return [Number(pid), listening?.replace('listening on ', '')];
    }
    await scheduler.wait(LOOK_MS);
  }
}

function wrong({ journal }: Pick<Target, 'journal'>, text: string): void {
  journal.findings.push({ kind: 'wrong', text });
}

/** Makes each kind of request, also those that are refused, and reads everything after each. */
async function useRegistry(target: Target, { follower }: Site): Promise<void> {
  const lidar = { name: 'lidar', version: '1.0.0', content: { deprecated: 'old' } };
  const steps: readonly (() => Promise<unknown>)[] = [
    async () =>
      (await publish(target, lidar)) &&
      (await expectRefusal(target, 409, {
        path: '/modules/acme/lidar/releases',
        body: { version: lidar.version, deprecated: 'other' },
      })),
    async () => await publishFile(target, { ...lidar, version: '1.1.0' }, LIDAR_FILE),
    async () => {
      const reason = 'it is loud';
      const isYanked =
        target.journal.modules.get('lidar')?.releases.get('1.0.0')?.content !== undefined &&
        (await yank(target, { ...lidar, reason }));
      if (isYanked) await yank(target, { ...lidar, reason: null });
    },
    async () =>
      await expectRefusal(target, 422, {
        path: `/modules/acme/arm/artifacts/sha256/${sha256Of(SPARE_FILE)}`,
        body: ARM_FILE,
      }),
    async () =>
      await expectRefusal(target, 422, {
        path: '/modules/acme/arm/releases',
        body: { version: '0.9.0', ...contentOf(SPARE_FILE) },
      }),
    async () =>
      await expectRefusal(target, 404, { path: '/modules/acme/lidar/releases/9.0.0/yank' }),
    async () => await publishFile(target, { name: 'arm', version: '1.0.0' }, ARM_FILE),
    async () => await publish(target, { ...lidar, version: '1.2.0' }),
  ];
  for (const step of steps) {
    await step();
    await unlessCutOff(async () => {
      await catchUp(follower, target.address);
      await expectFiles(target);
    });
  }
}

/** After one failed call, everything works again without a restart. */
async function expectRecovery(target: Target, over: AbortSignal): Promise<void> {
  for (let tried = 1; tried <= MOST_TRIES; tried++) {
    const release = { name: 'arm', version: `2.0.${tried}` };
    const isPublished = await publishFile(target, release, SPARE_FILE);
    const path = `${target.address}/healthz`;
    let health: number | undefined;
    await unlessCutOff(async () => {
      health = (await fetch(path)).status;
    });
    if ((isPublished && health === 200) || over.aborted) return;
    // It looks at its file at most once a second.
    await scheduler.wait(1000);
  }
  if (!over.aborted) wrong(target, 'the registry does not work again after one call failed');
}

function contentOf(file: Buffer): Content {
  const sha256 = sha256Of(file);
  const url = `../../artifacts/sha256/${sha256}`;
  return {
    artifacts: [{ platform: 'any', url, digest: `sha256:${sha256}`, size: file.length }],
    deprecated: 'with a file',
  };
}

async function publishFile(
  target: Target,
  { name, version }: { readonly name: string; readonly version: string },
  file: Buffer,
): Promise<boolean> {
  const isUploaded = await upload(target, name, new Uint8Array(file));
  return isUploaded && (await publish(target, { name, version, content: contentOf(file) }));
}

/** Sends a request that the registry must refuse with this status, unless it fails. */
async function expectRefusal(
  target: Target,
  expected: number,
  { path, body }: { readonly path: string; readonly body?: object },
): Promise<void> {
  const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body ?? {});
  await unlessCutOff(async () => {
    const { status } = await fetch(`${target.address}/v1${path}`, {
      method: path.endsWith('/releases') ? 'POST' : 'PUT',
      headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
      body: bytes,
    });
    if (status !== expected && status < 500) {
      wrong(target, `${path}: status ${status}, expected ${expected}`);
    }
  });
}

/** What is downloaded whole has the right bytes. */
async function expectFiles(target: Target): Promise<void> {
  for (const sha256 of target.journal.files.keys()) {
    const response = await fetch(`${target.address}/v1/artifacts/sha256/${sha256}`);
    const found = sha256Of(new Uint8Array(await response.arrayBuffer()));
    const isRight = response.status === 200 ? found === sha256 : response.status >= 500;
    if (!isRight) wrong(target, `the file ${sha256} has the status ${response.status}: ${found}`);
  }
}

/** A registry that ends, or cannot read the rest of a file, cuts off its response. */
async function unlessCutOff(request: () => Promise<void>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** A registry that ends before it was asked to says why, with a code. Its log names what failed. */
function endFindings(folder: string, { exit, signal, stderr }: Ended): string[] {
  if (signal === 'SIGKILL') return [];
  // No fault changes a byte.
  const isWrong =
    /\bINTERNAL\b|^\s+at |registry restore|malformed"?$|not a database|no such file/m.test(stderr);
  const failures = stderr.split('\n').filter((line) => line.includes('"event":"failed"'));
  const isNamed = failures.every((line) => line.includes(folder));
  const isSaid =
    exit === 0 || (/error\[[A-Z_]+\]|"code":"[A-Z_]+"/.test(stderr) && stderr.includes(folder));
  return isSaid && isNamed && !isWrong
    ? []
    : [`the registry ended with ${exit ?? signal}: ${stderr}`];
}

import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PROGRAM, PROGRAMS, recordsIn, type Supervisor } from './supervisor.ts';

const PM2 = '7.0.4';
const run = promisify(execFile);

/** Unpacks packages of Debian in `folder`, without installing them. */
function unpacked(folder: string, ...packages: readonly string[]): string {
  const script = `apt-get download -q ${packages.join(' ')} && for f in *.deb; do dpkg -x "$f" unpacked; done`;
  execFileSync('sh', ['-c', script], { cwd: folder, stdio: 'ignore' });
  return `${folder}/unpacked`;
}

/** A supervisor that runs in the foreground. */
function foreground(
  command: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): { readonly pid: number; readonly stop: () => Promise<void> } {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Debian's supervisord. */
export function startSupervisord(folder: string): Supervisor {
  const root = unpacked(folder, 'supervisor', 'python3-pkg-resources');
  const records = recordsIn(folder);
  const configuration = `${folder}/supervisord.conf`;
  const socket = `${folder}/socket`;
  const sections = [
    `[unix_http_server]\nfile=${socket}`,
    `[supervisord]\nlogfile=${folder}/log\npidfile=${folder}/pid\nuser=root`,
    `[supervisorctl]\nserverurl=unix://${socket}`,
    '[rpcinterface:supervisor]\nsupervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface',
    ...PROGRAMS.map((one) => `[program:${one}]\ncommand=${PROGRAM} ${records}/${one}`),
  ];
  writeFileSync(configuration, sections.join('\n'));
  const environment = { PYTHONPATH: `${root}/usr/lib/python3/dist-packages` };
  const command = ['/usr/bin/python3', `${root}/usr/bin/supervisord`, '-n', '-c', configuration];
  const control = ['/usr/bin/python3', `${root}/usr/bin/supervisorctl`, '-c', configuration];
  return {
    name: 'supervisord',
    records,
    ...foreground(command, environment),
    replace: async (one) => {
      const [python = '', ...args] = control;
      await run(python, [...args, 'restart', one], { env: { ...process.env, ...environment } });
    },
  };
}

/** A folder of services, as runit and s6 have them. */
function services(folder: string, records: string): string {
  for (const one of PROGRAMS) {
    const service = `${folder}/services/${one}`;
    mkdirSync(service, { recursive: true });
    const script = `#!/bin/sh\nexec ${PROGRAM} ${records}/${one}\n`;
    writeFileSync(`${service}/run`, script, { mode: 0o755 });
  }
  return `${folder}/services`;
}

/** Debian's runit. */
export function startRunit(folder: string): Supervisor {
  const root = unpacked(folder, 'runit');
  const records = recordsIn(folder);
  const all = services(folder, records);
  const PATH = `${root}/usr/bin:${root}/bin:${process.env['PATH']}`;
  const { pid, stop } = foreground(['runsvdir', all], { PATH });
  const sv = async (...args: readonly string[]): Promise<void> => {
    await run('sv', args, { env: { ...process.env, PATH } });
  };
  return {
    name: 'runit',
    records,
    pid,
    replace: async (one) => await sv('restart', `${all}/${one}`),
    stop: async () => {
      await stop();
      await sv('exit', ...PROGRAMS.map((one) => `${all}/${one}`));
    },
  };
}

/** Debian's s6. */
export function startS6(folder: string): Supervisor {
  const packages = ['s6', 'libs6-2.11', 'libskarnet2.13', 'libexecline2.9'];
  const root = unpacked(folder, ...packages);
  const records = recordsIn(folder);
  const all = services(folder, records);
  const libraries = execFileSync(
    'sh',
    ['-c', `dirname $(find ${root} -name "lib*.so*") | sort -u`],
    { encoding: 'utf8' },
  );
  const environment = {
    PATH: `${root}/usr/bin:${root}/bin:${process.env['PATH']}`,
    LD_LIBRARY_PATH: libraries.trim().replaceAll('\n', ':'),
  };
  // s6-svscan would start /usr/bin/s6-supervise, which is not installed.
  const start = `for one in ${all}/*; do s6-supervise "$one" & all="$all $!"; done`;
  const every = `trap 'kill $all' TERM; ${start}; wait; wait`;
  return {
    name: 's6',
    records,
    ...foreground(['sh', '-c', every], environment),
    replace: async (one) => {
      await run('s6-svc', ['-r', `${all}/${one}`], { env: { ...process.env, ...environment } });
    },
  };
}

/** pm2, from the npm registry. */
export async function startPm2(folder: string): Promise<Supervisor> {
  writeFileSync(`${folder}/package.json`, '{ "private": true }');
  const install = ['install', '--silent', '--ignore-scripts', `pm2@${PM2}`];
  execFileSync('npm', install, { cwd: folder, stdio: 'ignore' });
  const records = recordsIn(folder);
  const apps = PROGRAMS.map((name) => {
    return { name, script: PROGRAM, interpreter: 'none', args: `${records}/${name}` };
  });
  writeFileSync(`${folder}/apps.json`, JSON.stringify({ apps }));
  const env = { ...process.env, PM2_HOME: `${folder}/home` };
  const pm2 = async (...args: readonly string[]): Promise<void> => {
    await run(process.execPath, [`${folder}/node_modules/pm2/bin/pm2`, ...args], { env });
  };
  await pm2('start', `${folder}/apps.json`);
  while (!existsSync(`${folder}/home/pm2.pid`)) await sleep(50);
  return {
    name: `pm2 ${PM2}`,
    records,
    pid: Number(readFileSync(`${folder}/home/pm2.pid`, 'utf8')),
    replace: async (one) => await pm2('restart', one),
    stop: async () => await pm2('kill'),
  };
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

/** A daemon of Debian, and how a client sees that it works. */
export interface Daemon {
  readonly name: string;
  /** Debian's packages with its program, and the libraries that a small system lacks. */
  readonly packages: readonly string[];
  /** Its program, below the root of these packages. */
  readonly program: string;
  readonly argumentsFor: (port: number) => readonly string[];
  readonly request: Buffer;
  /** What a response begins with. */
  readonly response: string;
}

/** CONNECT of MQTT 3.1.1 with a clean session and the client id `a`. */
const MQTT_CONNECT = Buffer.from('100d00044d5154540402003c000161', 'hex');

export const DAEMONS: readonly Daemon[] = [
  {
    name: 'node-exporter',
    packages: ['prometheus-node-exporter'],
    program: 'usr/bin/prometheus-node-exporter',
    argumentsFor: (port) => [`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    request: Buffer.from('GET / HTTP/1.0\r\n\r\n'),
    response: 'HTTP/1.0 200',
  },
  {
    name: 'mosquitto',
    packages: [
      'mosquitto',
      'libcjson1',
      'libwebsockets17',
      'libmosquitto1',
      'libdlt2',
      'libwrap0',
      'libev4',
      'libuv1',
      'libcap2',
    ],
    program: 'usr/sbin/mosquitto',
    argumentsFor: (port) => ['-p', `${port}`],
    request: MQTT_CONNECT,
    response: '\u0020\u0002',
  },
  {
    name: 'redis',
    packages: [
      'redis-server',
      'redis-tools',
      'libjemalloc2',
      'liblua5.1-0',
      'liblzf1',
      'libatomic1',
      'lua-bitop',
      'lua-cjson',
    ],
    program: 'usr/bin/redis-server',
    argumentsFor: (port) => ['--bind', '127.0.0.1', '--port', `${port}`, '--save', ''],
    request: Buffer.from('PING\r\n'),
    response: '+PONG',
  },
];

/** Packs a daemon as a module, and returns the path of the archive. */
export function packed({ name, packages, program }: Daemon, folder: string): string {
  const root = `${folder}/${name}`;
  mkdirSync(`${root}/deb`, { recursive: true });
  execFileSync('apt-get', ['download', '-q', ...packages], { cwd: `${root}/deb`, stdio: 'ignore' });
  const unpack = [
    'for package in deb/*.deb; do dpkg -x "$package" module; done',
    // Links there leave the package.
    'rm -rf module/usr/share module/etc module/var',
  ];
  execFileSync('sh', ['-c', unpack.join('\n')], { cwd: root });
  const script = [
    '#!/bin/sh',
    'for folder in "$PLATFORM_MODULE_ROOT"/usr/lib/*-linux-gnu "$PLATFORM_MODULE_ROOT"/lib/*-linux-gnu; do',
    '  LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$folder"',
    'done',
    'export LD_LIBRARY_PATH',
    `exec "$PLATFORM_MODULE_ROOT/${program}" "$@"`,
  ];
  writeFileSync(`${root}/module/run`, `${script.join('\n')}\n`, { mode: 0o755 });
  writeFileSync(`${root}/module/meta.json`, '{ "entrypoint": "run" }');
  execFileSync('tar', ['czf', `${root}.tgz`, '-C', `${root}/module`, '.']);
  return `${root}.tgz`;
}

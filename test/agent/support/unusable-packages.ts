import { cutElf, elf } from './elf-file.ts';
import {
  meta,
  packed,
  program,
  PROGRAM,
  SH,
  UNUSABLE_FILES,
  type Unusable,
} from './unusable-files.ts';
import { UNUSABLE_INTERPRETERS } from './unusable-interpreters.ts';

/** Each kind of file that an author may publish by mistake (T641). */
export const UNUSABLE: readonly Unusable[] = [
  ...UNUSABLE_FILES,
  [
    'no meta.json',
    packed(PROGRAM),
    [
      'no-program',
      'the package names no program: expected entrypoint in meta.json, bin in package.json, or command in the update policy',
    ],
  ],
  [
    'a meta.json beside the only folder',
    packed(meta(), { ...PROGRAM, name: 'lidar/run' }),
    [
      'no-program',
      'the package\'s meta.json names the program "run", which the package does not have',
    ],
  ],
  [
    'a meta.json that is not JSON',
    packed(meta('{"entrypoint": "run",}'), PROGRAM),
    ['bad-manifest', 'the package\'s meta.json is not JSON: 1:21 trailing comma before "}"'],
  ],
  [
    'a meta.json with comments',
    packed(meta('{"entrypoint": "run" /* it */}'), PROGRAM),
    ['bad-manifest', "the package's meta.json is not JSON, because it has comments"],
  ],
  [
    'a meta.json that is a list',
    packed(meta([]), PROGRAM),
    ['bad-manifest', "the package's meta.json is a list, expected an object"],
  ],
  [
    'an entrypoint that is no text',
    packed(meta({ entrypoint: ['run'] }), PROGRAM),
    ['bad-manifest', "the package's meta.json has a list as entrypoint, expected text"],
  ],
  [
    'a misspelt field',
    packed(meta({ entrypoint: 'run', stop_timout: '5s' }), PROGRAM),
    [
      'bad-manifest',
      'the package\'s meta.json has the unknown field "stop_timout"; did you mean stop_timeout ?',
    ],
  ],
  [
    'a misspelt entrypoint',
    packed(meta({ entrypont: 'run' }), PROGRAM),
    [
      'no-program',
      'the package names no program: meta.json has the unknown field "entrypont"; did you mean entrypoint ?',
    ],
  ],
  [
    'a duration without a unit',
    packed(meta({ entrypoint: 'run', stop_timeout: '5' }), PROGRAM),
    [
      'bad-manifest',
      'the package\'s meta.json stop_timeout: "5" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m',
    ],
  ],
  [
    'a wrong ready',
    packed(meta({ entrypoint: 'run', ready: 'soon' }), PROGRAM),
    [
      'bad-manifest',
      'the package\'s meta.json ready: "soon" is not a way to be ready, expected none, socket, http://127.0.0.1:PORT/PATH or tcp://127.0.0.1:PORT, with a port and a loopback address',
    ],
  ],
  [
    'no such program',
    packed(meta({ entrypoint: 'bin/run' }), PROGRAM),
    [
      'no-program',
      'the package\'s meta.json names the program "bin/run", which the package does not have',
    ],
  ],
  [
    'a program outside',
    packed(meta({ entrypoint: '/bin/sh' }), PROGRAM),
    [
      'no-program',
      'the package\'s meta.json names the program "/bin/sh", which the package does not have',
    ],
  ],
  [
    'a program that is a folder',
    packed(meta(), { ...PROGRAM, name: 'run/x' }),
    ['no-program', 'the package\'s meta.json names the program "run", which is not a file'],
  ],
  [
    'a program that is not executable',
    packed(meta(), { ...PROGRAM, mode: 0o644 }),
    ['no-program', 'the package\'s meta.json names the program "run", which is not executable'],
  ],
  [
    'a program for another CPU',
    packed(meta(), program(elf(183))),
    ['wrong-platform', 'the program "run" is for linux/arm64, expected linux/amd64'],
  ],
  [
    'a script without a first line',
    packed(meta(), program('exec sleep 60\n')),
    ['no-program', '"run": it cannot be started: it has no first line such as #!/bin/sh'],
  ],
  [
    'an empty script',
    packed(meta(), program('')),
    ['no-program', '"run": it cannot be started: it has no first line such as #!/bin/sh'],
  ],
  [
    'a script of Windows',
    packed(meta(), program('#!/bin/sh\r\nexec sleep 60\r\n')),
    ['no-program', '"run": it cannot be started: its first line ends with a carriage return'],
  ],
  ...UNUSABLE_INTERPRETERS,
  [
    'no such first run',
    packed(meta({ entrypoint: 'run', first_run: 'setup.sh' }), PROGRAM),
    [
      'no-program',
      'the package\'s meta.json names the program "setup.sh", which the package does not have',
    ],
  ],
  [
    'a first run that is not executable',
    packed(meta({ entrypoint: 'run', first_run: 'setup.sh' }), PROGRAM, {
      name: 'setup.sh',
      content: SH,
    }),
    [
      'no-program',
      'the package\'s meta.json names the program "setup.sh", which is not executable',
    ],
  ],
  [
    'a first run without a first line',
    packed(
      meta({ entrypoint: 'run', first_run: 'setup.sh' }),
      PROGRAM,
      program('echo', 'setup.sh'),
    ),
    ['no-program', '"setup.sh": it cannot be started: it has no first line such as #!/bin/sh'],
  ],
  [
    'a meta.json that is a folder',
    packed({ name: 'meta.json', type: '5' }, PROGRAM),
    ['bad-manifest', "the package's meta.json is not a file"],
  ],
  [
    'a meta.json with a megabyte',
    packed(meta(' '.repeat(2 ** 20)), PROGRAM),
    ['bad-manifest', "the package's meta.json has 1048576 bytes, expected at most 262144"],
  ],
  [
    'a duration that is a number',
    packed(meta({ entrypoint: 'run', stop_timeout: 5 }), PROGRAM),
    ['bad-manifest', "the package's meta.json has the number 5 as stop_timeout, expected text"],
  ],
  [
    'a restart_status of another machine',
    packed(meta({ entrypoint: 'run', restart_status: 'http://10.0.0.2:80/busy' }), PROGRAM),
    [
      'bad-manifest',
      'the package\'s meta.json restart_status: "http://10.0.0.2:80/busy" is not an address of this machine, expected http://127.0.0.1:PORT/PATH, with a port and a loopback address',
    ],
  ],
  [
    'a package of npm with several programs',
    packed({
      name: 'package.json',
      content: '{"name":"lidar","bin":{"scan":"a.js","map":"b.js"}}',
    }),
    [
      'bad-manifest',
      'the package\'s package.json has the programs "scan", "map" under bin, and none with its name',
    ],
  ],
  [
    'a package of npm without its program',
    packed({ name: 'package.json', content: '{"bin":"dist/cli.js"}' }),
    [
      'no-program',
      'the package\'s package.json names the program "dist/cli.js", which the package does not have',
    ],
  ],
  [
    'a program that is a link to nothing',
    packed(meta(), { name: 'run', type: '2', target: 'lost' }),
    [
      'no-program',
      'the package\'s meta.json names the program "run", which the package does not have',
    ],
  ],
  [
    'a program for a CPU of 32 bits',
    packed(meta(), program(elf(40, 1))),
    ['wrong-platform', 'the program "run" is for machine 40, 32 bits, expected linux/amd64'],
  ],
  [
    'a first run for another CPU',
    packed(meta({ entrypoint: 'run', first_run: 'setup' }), PROGRAM, program(elf(183), 'setup')),
    ['wrong-platform', 'the program "setup" is for linux/arm64, expected linux/amd64'],
  ],
  [
    'a first line without an interpreter',
    packed(meta(), program('#!\nexec sleep 60\n')),
    ['no-program', '"run": it cannot be started: it has no first line such as #!/bin/sh'],
  ],
  [
    'a program that is cut off',
    packed(meta(), program(cutElf(62, 200))),
    ['no-program', '"run": it cannot be started: it is cut off: it has 200 bytes, and needs 4096'],
  ],
  [
    'a program that is cut off within the table of its segments, alone',
    cutElf(62, 100),
    [
      'no-program',
      '"program": it cannot be started: it is cut off: it has 100 bytes, and needs 120',
    ],
  ],
  [
    'a program that is cut off within its header',
    packed(meta(), program(cutElf(62, 40))),
    ['no-program', '"run": it cannot be started: it is cut off: it has 40 bytes, and needs 64'],
  ],
  [
    'a script that is its own interpreter',
    packed(meta(), program('#!run\n')),
    [
      'no-program',
      '"run": it cannot be started: its first line names run, which is the script itself',
    ],
  ],
  [
    'a script that is its own interpreter by another path and a link',
    packed(meta({ entrypoint: 'bin/run' }), program('#!./bin/../me\n', 'bin/run'), {
      name: 'me',
      type: '2',
      target: 'bin/run',
    }),
    [
      'no-program',
      '"bin/run": it cannot be started: its first line names ./bin/../me, which is the script itself',
    ],
  ],
  [
    'two scripts that interpret each other',
    packed(meta(), program('#!other\n'), program('#!run\n', 'other')),
    [
      'no-program',
      '"run": it cannot be started: its first line names other, which leads to no program: Linux follows at most 5 scripts',
    ],
  ],
  [
    'a first line that is longer than Linux reads',
    packed(meta(), program(`#!/${'x/'.repeat(126)}sh\n`)),
    [
      'no-program',
      '"run": it cannot be started: its first line is longer than the 255 bytes that Linux reads',
    ],
  ],
];

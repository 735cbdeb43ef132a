import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { COMPLETION_SCRIPTS } from '../../src/cli/completion/completion-scripts.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LONGEST_MS, ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';
import { published } from '../support/published.ts';

/** A line after `modreg`, and what it is after all offered words are inserted; of fish, the words themselves. */
interface Row {
  readonly line: string;
  readonly bash: string;
  readonly zsh: string;
  readonly fish: readonly string[];
}

const ROWS: readonly Row[] = [
  row('qu', 'quarantine '),
  row('registry sho', 'registry show ', { fish: ['show'] }),
  row('nonsense x', 'nonsense x', { fish: [] }),
  row('check --as p', 'check --as policy ', { fish: ['policy'] }),
  row('check --as=p', 'check --as=policy ', { fish: ['--as=policy'] }),
  // bash takes : for the end of a word, if no quote is open.
  row('resolve ac', 'resolve acme:arm acme:lidar ', { fish: ['acme:arm', 'acme:lidar'] }),
  row('resolve acme:', 'resolve acme:arm lidar ', {
    zsh: 'resolve acme:arm acme:lidar ',
    fish: ['acme:arm', 'acme:lidar'],
  }),
  row('resolve acme:l', 'resolve acme:lidar ', { fish: ['acme:lidar'] }),
  row('resolve acme\\:l', 'resolve acme:lidar ', { fish: ['acme:lidar'] }),
  row('resolve "acme:l', 'resolve acme:lidar ', {
    zsh: 'resolve "acme:lidar" ',
    fish: ['acme:lidar'],
  }),
  // A file has such a name, so that a * is not for the shell to expand.
  row('resolve acme:lidar 1.', 'resolve acme:lidar 1.\\* 1.2.\\* 1.2.0 ', {
    fish: ['1.*', '1.2.*', '1.2.0'],
  }),
  row('plan mach', 'plan machine.json ', { fish: ['machine.json'] }),
  row('plan my', 'plan my\\ machine.json ', { fish: ['my machine.json'] }),
  row('plan --policy=mach', 'plan --policy=machine.json ', { fish: ['--policy=machine.json'] }),
  row(
    'registry publish acme:arm 2.0.0 --upload linux/ar',
    'registry publish acme:arm 2.0.0 --upload linux/arm64=',
    { bash: 'registry publish acme:arm 2.0.0 --upload linux/arm64= ', fish: ['linux/arm64='] },
  ),
  row(
    'registry publish acme:arm 2.0.0 --upload linux/arm64=mach',
    'registry publish acme:arm 2.0.0 --upload linux/arm64=machine.json ',
    { fish: ['linux/arm64=machine.json'] },
  ),
];

function row(line: string, bash: string, other: Partial<Row> = {}): Row {
  return { line, bash, zsh: bash, fish: [bash.trim()], ...other };
}

/** What a shell prints that runs `script` with the lines on stdin, in a folder with files, at a home with a registry. */
function inShell(
  program: string,
  args: (folder: string) => readonly string[],
  keys: string,
): string {
  const folder = temporaryFolder({
    'machine.json': '',
    'my machine.json': '',
    '1.2.x': '',
    'home/x': '',
  });
  const catalogue = new Catalogue(join(folder, 'home/registry.db'), { mode: 'create' });
  published({ catalogue }, 'acme:lidar', '1.2.0');
  published({ catalogue }, 'acme:arm', '1.0.0');
  catalogue.close();
  const { stdout, error } = spawnSync(program, args(join(folder, 'home')), {
    cwd: folder,
    encoding: 'utf8',
    input: keys,
    env: {
      PATH: [`${ROOT}bin`, process.env['PATH']].join(delimiter),
      HOME: join(folder, 'home'),
      PLATFORM_HOME: join(folder, 'home'),
      TERM: 'dumb',
      LANG: 'C.UTF-8',
    },
    timeout: LONGEST_MS,
  });
  if (error) throw error;
  return stdout;
}

function needsShell(context: TestContext, shell: string): void {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  needs(context, isThere, `${shell} is missing: apt-get install ${shell}`);
}

it('bash offers these words', () => {
  const script = `
    ${COMPLETION_SCRIPTS.bash}
    bind 'set bell-style none'
    show() { printf '%s\\n' "$READLINE_LINE"; }
    bind -x '"\\C-g": show'`;
  const keys = ROWS.map(({ line }) => `modreg ${line}\u001b*\u0007\u0015`).join('');
  const printed = inShell(
    'bash',
    () => ['--noprofile', '--rcfile', '/dev/stdin', '-i'],
    `${script}\n${keys}`,
  );
  expect(printed.split('\n')).toEqual([...ROWS.map(({ bash }) => `modreg ${bash}`), '']);
});

it('zsh offers these words', (context) => {
  needsShell(context, 'zsh');
  const keys = ROWS.map(({ line }) => `modreg ${line}\n`).join('');
  const driver = `${ROOT}test/cli/support/press-tab.zsh`;
  const printed = inShell('zsh', (folder) => ['-f', driver, folder], keys);
  expect(printed.split('\n')).toEqual([...ROWS.map(({ zsh }) => `modreg ${zsh}`), '']);
});

it('fish offers these words', (context) => {
  needsShell(context, 'fish');
  const script = `
    modreg completion fish | source
    while read --line line
      for word in (complete -C "$line")
        string replace --regex '\\t.*' '' -- $word
      end
      echo .
    end`;
  const keys = ROWS.map(({ line }) => `modreg ${line}\n`).join('');
  const printed = inShell('fish', () => ['--no-config', '-c', script], keys);
  const offered = ROWS.flatMap(({ fish }) => fish.concat('.'));
  expect(printed.trim().split('\n')).toEqual(offered);
});

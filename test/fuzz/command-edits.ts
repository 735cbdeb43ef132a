import fc from 'fast-check';
import { applied, near, textEdits, type TextEdit } from './text.ts';

/** Valid command lines, to be run in the folder with `home/registry.db` and the documents. */
const LINES: readonly string[] = [
  'resolve acme:lidar 1.2.*',
  'resolve acme:lidar latest --explain',
  'resolve acme:lidar 1.2.* --registry https://registry.example --max-age 5m',
  'resolve npm:typescript 5.4.* --registry ./registry --json --all',
  'resolve acme:lidar 1.* --registry home/registry.db --at 2026-11-21T01:02:03Z --platform linux/arm64',
  'resolve acme:lidar latest-with-prerelease --policy policy.json --offline',
  'resolve acme:lidar 1.2.3 --registry oci:https://registry.example --debug',
  'compare acme:lidar --deployed 1.2.3',
  'compare npm:lidar --registry npm:https://registry.example --json',
  'check machine.json --env --strict',
  'check agent.json --as agent --json',
  'check policy.json --color always',
  'check machine.json --policy policy.json',
  'check machine.json --registry home/registry.db --platform linux/arm64 --json',
  'check machine.json --registry https://registry.example --max-age 1h --strict',
  'schema machine',
  'board machine.json --once',
  'plan machine.json --deployed deployed.json',
  'plan machine.json --deployed deployed.json --at 2026-11-22T02:00:00Z --exit-code --json',
  'plan machine.json --registry home/registry.db --policy policy.json',
  'plan machine.json --registry https://registry.example --max-age 1h',
  'status',
  'status --json',
  'doctor machine.json --json',
  'doctor --strict',
  'why acme:lidar',
  'why acme_arm --at 2026-11-22T02:00:00Z --json',
  'why acme:lidar --record made/record.json',
  'replay made/record.json --json',
  'quarantine list --json',
  'quarantine lift acme:arm 1.1.0',
  'rollback acme:lidar',
  'rollback acme_arm --json',
  'accept acme:lidar --registry https://registry.example --dry-run',
  'accept acme:lidar --registry https://registry.example --json',
  'add acme:lidar machine.json --registry home/registry.db --version 1.2.* --name front --dry-run',
  'registry publish acme:lidar 1.3.0 --artifact linux/arm64=https://x.example/l.tgz --digest sha256:5f70 --size 12',
  'registry publish acme:lidar --file releases.json --db home/registry.db',
  'registry publish acme:lidar 1.4.0 --published-at 2025-04-07T09:00:00Z --deprecated old --json',
  'registry yank acme:lidar 1.2.9 --reason burns',
  'registry unyank acme:lidar 1.2.10 --db home/registry.db',
  'registry list acme --json',
  'registry list acme:lidar',
  'registry show acme:lidar --json',
  'registry token create --name ci --scope publish:acme --scope yank --expires 90d --db home/registry.db',
  'registry token create --name ci --scope import --create --db made/registry.db --json',
  'registry token list',
  'registry token revoke t1 --json',
  'help resolve',
  '--version',
  '',
];

const WORDS = [...new Set(LINES.flatMap((line) => line.split(' ')))];

/** One change of a command line. Positions are taken modulo its length. */
type ArgumentEdit =
  | { readonly kind: 'drop' | 'double'; readonly at: number }
  | { readonly kind: 'put' | 'replace'; readonly at: number; readonly text: string }
  | { readonly kind: 'swap'; readonly at: number; readonly other: number }
  | { readonly kind: 'join'; readonly at: number }
  | { readonly kind: 'path'; readonly at: number; readonly path: string }
  | { readonly kind: 'alter'; readonly at: number; readonly edit: TextEdit };

/** Unusual paths. */
const PATHS: readonly string[] = [
  '',
  '.',
  'home',
  'home/machine.db',
  'home/registry.db',
  'machine.json',
  'machine.json/x.db',
  'none',
  'none.db',
  'none/none.db',
  'none/none/none.db',
  'loop',
  'loop/x.db',
  'loop.db',
  'n'.repeat(300),
  `${'n'.repeat(300)}.db`,
  `${'n'.repeat(300)}/x.db`,
  'n/'.repeat(3000),
  '~',
  '-',
  ' ',
  'a\nb.db',
  '\u001b[2J.db',
  'file:x.db',
  ':memory:',
  '%00.db',
  'x.db?mode=ro',
];

const at = fc.noBias(fc.nat());
const words = fc.constantFrom(...WORDS);
const TOKENS = ['--', '-', '=', '--json', 'home', 'machine.json', '/'];
const text = near(words, TOKENS);

const edits: fc.Arbitrary<ArgumentEdit> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('alter'), at, edit: textEdits(words, TOKENS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replace'), at, text }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('path'), at, path: fc.constantFrom(...PATHS) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('put'), at, text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('drop', 'double'), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('swap'), at, other: at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('join'), at }) },
);

/** Valid command lines with up to two changes. None names a path outside of the working directory. */
export const commandLines: fc.Arbitrary<readonly string[]> = fc
  .tuple(fc.constantFrom(...LINES), fc.array(edits, { maxLength: 2 }))
  .map(([line, list]) => list.reduce(changed, line === '' ? [] : line.split(' ')).map(inFolder));

function changed(argv: readonly string[], edit: ArgumentEdit): readonly string[] {
  const place = edit.at % (argv.length + 1);
  switch (edit.kind) {
    case 'drop':
      return argv.toSpliced(place, 1);
    case 'double':
      return argv.toSpliced(place, 0, ...argv.slice(place, place + 1));
    case 'put':
      return argv.toSpliced(place, 0, edit.text);
    case 'replace':
      return argv.toSpliced(place, 1, edit.text);
    case 'alter': {
      const argument = argv[place];
      return argument === undefined ? argv : argv.with(place, applied(argument, edit.edit));
    }
    case 'path': {
      const paths = [...argv.keys()].filter((argument) => isPath(argv, argument));
      const one = paths[edit.at % paths.length];
      return one === undefined ? argv : argv.with(one, edit.path);
    }
    case 'swap': {
      const other = edit.other % (argv.length + 1);
      const [a, b] = [argv[place], argv[other]];
      return a === undefined || b === undefined ? argv : argv.with(place, b).with(other, a);
    }
    case 'join':
      return argv.toSpliced(place, 2, argv.slice(place, place + 2).join('='));
  }
}

/** Whether the argument at `place` is, or may be, a path. */
function isPath(argv: readonly string[], place: number): boolean {
  const options = ['--db', '--registry', '--policy', '--deployed', '--file', 'check', 'plan'];
  return options.includes(argv[place - 1] ?? '');
}

/** `argument` without NUL, which no system can pass, and without a way out of the folder. */
function inFolder(argument: string): string {
  const plain = argument.replaceAll('\0', '').replaceAll('..', '.');
  return plain.replace(/(^|=)\/+/g, '$1');
}

// Any Node since 14 can parse this file, so a Node that is too old gets a message and not a syntax error.
// It imports nothing: an import of a built-in module reads all its exports, and some of these load further modules.
// With a listener, this signal does not open a debugger, which would run anything as this user (T349): for a start without bin/modreg, whose
// option does so from the beginning.
process.on('SIGUSR1', () => undefined);

// What bin/modreg set for malloc in this process is for no other.
const { MODREG_MALLOC = '' } = process.env;
for (const name of MODREG_MALLOC.split(' ')) delete process.env[name];
delete process.env.MODREG_MALLOC;

const main = new URL('../dist/cli/main.cjs', import.meta.url);

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `error[NODE_TOO_OLD]: this is Node ${process.version}; modreg needs Node 24 or newer`,
  );
  console.error('hint: put a newer Node in PATH; in a clone, npm ci installs one');
  process.exitCode = 69;
} else {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const { createRequire, enableCompileCache } = process.getBuiltinModule('node:module');
  for (const flag of flagsOf(process.argv[2], process.argv[3])) {
    // Loading it takes as long as streams do, which it needs.
    process.getBuiltinModule('node:v8').setFlagsFromString(flag);
  }
  if (existsSync(main)) {
    // The process of a page keeps what it would write to the cache, for as long as it runs.
    const folder = process.argv[2] === 'page' ? undefined : cacheFolder();
    if (folder !== undefined) enableCompileCache(folder);
    await createRequire(main)('./main.cjs').run(process);
  } else {
    console.error('error[INTERNAL]: modreg is not built; in a clone, npm ci builds it');
    process.exitCode = 70;
  }
}

/**
 * What asks V8 for a small process instead of a fast one. Pages, agents and pollers may run all day on a machine whose modules need the
 * memory. They collect garbage themselves, with --expose-gc.
 */
function flagsOf(command, subcommand) {
  // Threads that help to collect have pages of their own. The code of the second of three compilers takes more memory than it saves time.
  const small = ['--optimize-for-size', '--single-threaded-gc', '--no-maglev', '--expose-gc'];
  if (command === 'poll' || (command === 'agent' && subcommand !== 'run')) return small;
  // An agent does little, and asks for compilers once it is busy (D479). What ran only at its start is forgotten with the next collection.
  if (command === 'agent') return [...small, '--no-opt', '--no-sparkplug', '--bytecode-old-age=1'];
  if (command !== 'page') return [];
  // It answers few people. Its young generation stays at its first size, the old one is collected after little growth, and pages that are
  // nearly empty are given back.
  const young = '--semi-space-growth-factor=1';
  const old = ['--heap-growing-percent=10', '--compact-on-every-full-gc'];
  return [...small, young, ...old, '--no-opt', '--no-sparkplug'];
}

/**
 * The folder where V8 keeps compiled code, which makes the next start faster. It belongs to this user alone, because
 * V8 runs that code without comparing it with the source. Undefined if there can be no such folder.
 */
function cacheFolder() {
  const { existsSync, lstatSync, mkdirSync } = process.getBuiltinModule('node:fs');
  const user = process.getuid();
  const folder = `${process.env.TMPDIR || '/tmp'}/modreg-${user}`;
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    const found = lstatSync(folder);
    const isPrivate = found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0;
    return isPrivate ? folder : undefined;
  } catch {
    return undefined;
  }
}

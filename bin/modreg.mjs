// Any Node since 14 can parse this file, so a Node that is too old gets a message and not a syntax error.
import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';

const main = new URL('../dist/cli/main.js', import.meta.url);

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `error[NODE_TOO_OLD]: this is Node ${process.version}; modreg needs Node 24 or newer`,
  );
  console.error('hint: put a newer Node in PATH; in a clone, npm ci installs one');
  process.exitCode = 69;
} else if (!existsSync(main)) {
  console.error('error[INTERNAL]: modreg is not built; in a clone, npm ci builds it');
  process.exitCode = 70;
} else {
  module.enableCompileCache?.();
  const { run } = await import(main.href);
  await run(process);
}

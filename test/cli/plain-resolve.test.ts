import { describe, expect, it } from 'vitest';
import { plainResolve } from '../../src/cli/plain-resolve.ts';
import { commandLine } from '../../src/cli/program.ts';
import { quietWorld } from '../support/quiet-world.ts';

/** What the complete parser makes of `argv`. */
function parsed(argv: readonly string[]): unknown {
  const [command] = commandLine(argv, [], {
    world: quietWorld('linux/x64'),
    finish: () => undefined,
  }).commands;
  const { operands } = command?.parseOptions(argv.slice(1)) ?? {};
  return { operands, options: command?.opts() };
}

describe('[D430] resolve', () => {
  it.each([
    'acme:lidar 1.2.*',
    'acme:lidar 1.2.* --json',
    '--json acme:lidar 1.2.*',
    'acme:lidar --registry https://registry.example 1.2.*',
    'acme:lidar latest --registry ./releases --policy policy.json --offline --json',
    'npm:typescript --offline latest',
    'a b',
  ])('%s: the complete parser makes the same of it', (line) => {
    const argv = ['resolve', ...line.split(' ')];
    expect(plainResolve(argv)).toEqual(parsed(argv));
  });

  it.each<[string, readonly string[]]>([
    ['another command', ['compare', 'acme:lidar']],
    ['no command', []],
    ['help', ['resolve', 'acme:lidar', '1.2.*', '--help']],
    ['help', ['resolve', 'help', 'latest']],
    ['one operand', ['resolve', 'acme:lidar']],
    ['three operands', ['resolve', 'acme:lidar', '1.2.*', '1.3.*']],
    ['an empty operand', ['resolve', '', '1.2.*']],
    ['an option without its value', ['resolve', 'acme:lidar', '1.2.*', '--registry']],
    ['an option as a value', ['resolve', 'acme:lidar', '1.2.*', '--registry', '--json']],
    ['an empty value', ['resolve', 'acme:lidar', '1.2.*', '--registry', '']],
    ['a value behind =', ['resolve', 'acme:lidar', '1.2.*', '--registry=./releases']],
    ['an option twice', ['resolve', 'acme:lidar', '1.2.*', '--policy', 'a', '--policy', 'b']],
    ['the end of options', ['resolve', '--', 'acme:lidar', '1.2.*']],
    ['a rarer option', ['resolve', 'acme:lidar', '1.2.*', '--explain']],
    ['an unknown option', ['resolve', 'acme:lidar', '1.2.*', '--jsn']],
    ['an unknown option in place of an operand', ['resolve', 'acme:lidar', '--jsn']],
    ['the name of a member of each object', ['resolve', 'acme:lidar', '1.2.*', 'constructor']],
    ['such a name and a word', ['resolve', 'acme:lidar', '1.2.*', 'constructor', 'x']],
  ])('is left to the complete parser with %s: %j', (_what, argv) => {
    expect(plainResolve(argv)).toBeUndefined();
  });
});

import type { Argument, Command, Option } from 'commander';

/** Where the cursor is in a command line, and what was typed before. */
export interface Place {
  readonly command: Command;
  /** The command without modreg: `registry token revoke`; empty for modreg itself. */
  readonly path: string;
  /** The arguments before the cursor, without options. */
  readonly operands: readonly string[];
  /** The values of options before the cursor, by their long names: `--registry`. */
  readonly values: ReadonlyMap<string, string>;
  /** The word at the cursor, without `--option=`. */
  readonly word: string;
  /** `--option=` if that is part of the word; else empty. */
  readonly before: string;
  readonly wanted: Wanted;
}

/** What the word at the cursor is. */
type Wanted =
  | { readonly kind: 'option' | 'command' | 'help-topic' | 'nothing' }
  | { readonly kind: 'value'; readonly of: Argument | Option };

interface Walk {
  command: Command;
  readonly path: string[];
  readonly operands: string[];
  readonly values: Map<string, string>;
  /** The option whose value the next word is. */
  option: Option | undefined;
  /** Whether `--` was typed. */
  isOnlyOperands: boolean;
  /** Whether `help` was typed in place of a command. */
  isHelp: boolean;
}

/** The place at the end of `words`, whose last one is at the cursor and may be empty. */
export function placeIn(modreg: Command, words: readonly string[]): Place {
  const walk: Walk = {
    command: modreg,
    path: [],
    operands: [],
    values: new Map(),
    option: undefined,
    isOnlyOperands: false,
    isHelp: false,
  };
  for (const word of words.slice(0, -1)) step(walk, word);
  const { command, operands, values } = walk;
  const word = words.at(-1) ?? '';
  const place = { command, path: walk.path.join(' '), operands, values, word, before: '' };
  if (walk.option) return { ...place, wanted: { kind: 'value', of: walk.option } };
  if (walk.isHelp) {
    return { ...place, wanted: { kind: operands.length === 0 ? 'help-topic' : 'nothing' } };
  }
  if (walk.isOnlyOperands || !word.startsWith('-')) {
    return { ...place, wanted: wantedOperand(walk) };
  }
  const equals = word.indexOf('=') + 1;
  if (equals === 0) return { ...place, wanted: { kind: 'option' } };
  const option = optionNamed(command, word.slice(0, equals - 1));
  const value = { word: word.slice(equals), before: word.slice(0, equals) };
  const wanted = option?.required ? { kind: 'value' as const, of: option } : NOTHING;
  return { ...place, ...value, wanted };
}

const NOTHING = { kind: 'nothing' } as const;

/** Adds a word that is complete. */
function step(walk: Walk, word: string): void {
  const { command, operands, values, option } = walk;
  if (option) {
    values.set(nameOf(option), word);
    walk.option = undefined;
  } else if (walk.isOnlyOperands || !/^-./.test(word)) {
    const inner = operands.length === 0 && command.commands.find((one) => one.name() === word);
    if (inner && !walk.isHelp) {
      walk.command = inner;
      walk.path.push(word);
    } else if (word === 'help' && command.commands.length > 0 && operands.length === 0) {
      walk.isHelp = true;
    } else {
      operands.push(word);
    }
  } else if (word === '--') {
    walk.isOnlyOperands = true;
  } else {
    const [name = '', ...value] = word.split('=');
    const named = optionNamed(command, name);
    if (!named?.required) return;
    if (value.length === 0) walk.option = named;
    else values.set(nameOf(named), value.join('='));
  }
}

function wantedOperand({ command, operands }: Walk): Wanted {
  if (command.commands.length > 0) return operands.length === 0 ? { kind: 'command' } : NOTHING;
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  return argument ? { kind: 'value', of: argument } : { kind: 'option' };
}

function optionNamed(command: Command, name: string): Option | undefined {
  return command.options.find(({ short, long }) => short === name || long === name);
}

function nameOf({ long = '' }: Option): string {
  return long;
}

import type { Argument, Command, Option } from 'commander';
import { RegistryError } from '../../registry/registry-error.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { offerFor, type Candidate, type Offer } from './offers.ts';
import { placeIn, type Place } from './typed-line.ts';

/** Only words like this reach a shell, whatever a registry or a file has. */
const HARMLESS = /^[A-Za-z0-9_.-][A-Za-z0-9._:*+=/@-]*$/;
/** A longer list is not readable, and slows the shell down. */
const MOST_CANDIDATES = 1000;
const LONGEST_DESCRIPTION = 72;

/** The line that tells the script of the shell to offer the names of files. */
const FILES_LINE = ':files';

/**
 * `modreg __complete -- <words>`, which the scripts of `modreg completion` run: a line for each word that may take the place of the last
 * one, with a space and a description after it. A mistake in the line is no error: then nothing is offered.
 */
export async function completeCommand(
  words: readonly string[],
  modreg: Command,
  world: World,
): Promise<Outcome> {
  const place = placeIn(modreg, words);
  const offer = await offerOrNothing(place, world);
  const answer = offer === 'files' ? [FILES_LINE] : linesFor(offer, place);
  // A shell waits until the process ends, and a name server that does not answer would keep it.
  return { answer, notes: [], problems: [], isData: true, isLog: true };
}

function linesFor(offer: readonly Candidate[], { word, before }: Place): string[] {
  return offer
    .filter(({ value }) => value.startsWith(word) && HARMLESS.test(value))
    .slice(0, MOST_CANDIDATES)
    .map(({ value, description = '' }) => `${before}${value} ${shortened(description)}`.trimEnd());
}

/** The first sentence, without what is in parentheses. */
function shortened(description: string): string {
  const [first = ''] = description.split(/\. | \(|; |\.$/);
  return first.length > LONGEST_DESCRIPTION ? `${first.slice(0, LONGEST_DESCRIPTION - 1)}…` : first;
}

async function offerOrNothing(place: Place, world: World): Promise<Offer> {
  try {
    return await offerAt(place, world);
  } catch (error) {
    // The command itself reports it, if it is run.
    if (error instanceof RegistryError || error instanceof DatabaseError) return [];
    throw error;
  }
}

async function offerAt(place: Place, world: World): Promise<Offer> {
  const { command, path, wanted } = place;
  const help = command.createHelp();
  switch (wanted.kind) {
    case 'nothing':
      return [];
    case 'command':
      return help.visibleCommands(command).map(describedCommand);
    case 'help-topic': {
      const topics = command.commands.map(describedCommand);
      return path === '' ? [...topics, { value: 'exit-codes' }] : topics;
    }
    case 'option':
      return help
        .visibleOptions(command)
        .map(({ long = '', description }) => ({ value: long, description }));
    case 'value':
      return await offerForValue(wanted.of, place, world);
  }
}

function describedCommand(command: Command): Candidate {
  return { value: command.name(), description: command.description() };
}

async function offerForValue(of: Argument | Option, place: Place, world: World): Promise<Offer> {
  if (of.argChoices) return of.argChoices.map((value) => ({ value }));
  const name = 'flags' in of ? (/<([^<>]+)>/.exec(of.flags)?.[1] ?? '') : of.name();
  return await offerFor(name, place, world);
}

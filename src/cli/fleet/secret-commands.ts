import { excerpt } from '../../core/text/quote.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { SavedSecret } from '../../registry/secret-documents.ts';
import type { ConfigOptions } from '../../site/config-options.ts';
import { removeSecret, secretsOfMachine, setSecret } from '../../site/machine-secrets.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export type SecretOptions = ConfigOptions & AnswerOptions;

export interface SetSecretOptions extends SecretOptions {
  readonly valueFile?: string;
}

/** `modreg fleet config secret set <name>`: sets a value, and says what it is for. */
export async function setSecretCommand(
  name: string,
  options: SetSecretOptions,
  world: World,
): Promise<Outcome> {
  return outcomeOf(await setSecret(name, options, world), (saved) => {
    if (options.json)
      return { answer: [jsonLine({ schema: 'modreg/fleet-secret-set@1', ...saved })] };
    return { answer: [lineOf(saved, 'is set for')] };
  });
}

/** `modreg fleet config secret remove <name>`: removes a value. */
export async function removeSecretCommand(
  name: string,
  options: SecretOptions,
  world: World,
): Promise<Outcome> {
  return outcomeOf(await removeSecret(name, options, world), (removed) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-secret-remove@1', ...removed })] };
    }
    return { answer: [lineOf(removed, 'is removed, which was for')] };
  });
}

function lineOf({ machine, name, places }: SavedSecret, what: string): string {
  return `${excerpt(machine)}: the value of ${name} ${what} ${listed(places)}`;
}

/** `modreg fleet config secret list`: what has a value, and what the newest documents name. */
export async function secretsCommand(options: SecretOptions, world: World): Promise<Outcome> {
  const found = await secretsOfMachine(options, world);
  const isEmpty = found.ok && found.value.secrets.length === 0;
  const problems = await unknownNames(isEmpty ? { machine: options.machine } : {}, options, world);
  return outcomeOf(found, ({ secrets }) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-secrets@1', secrets })], problems };
    }
    if (secrets.length === 0) return { answer: ['the documents name no secret'], problems };
    const heads = ['NAME', 'VALUE', 'FOR'];
    const rows = secrets.map((one) => [
      excerpt(one.name),
      one.has_value ? 'set' : 'missing',
      listed(one.places),
    ]);
    const format = columnsOf(heads, rows, world.columns);
    return { answer: [...format(heads), ...rows.flatMap(format)] };
  });
}

const LONGEST_LIST = 1000;

function listed(places: readonly string[]): string {
  return excerpt(places.join(', '), LONGEST_LIST);
}

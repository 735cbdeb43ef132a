import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { excerpt, quote } from '../../core/text/quote.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { CREDENTIALS_FILE } from '../../host/credentials.ts';
import { documentWithErrors } from '../../host/document-findings.ts';
import { readPolicyFor } from '../../host/policy-file.ts';
import { joinScope, parseScope } from '../../server/tokens/scope.ts';
import { policyWithPin, type NewPolicy } from '../agent/systemd/policy-pin.ts';
import { installUnitCommand } from '../agent/systemd/install-unit-command.ts';
import {
  THIS_HOST,
  trying,
  whyNoService,
  type SystemdHost,
} from '../agent/systemd/systemd-host.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import { askOnTerminal, type Ask } from './ask-on-terminal.ts';
import { joinedTo, offeredPins } from './joined-to.ts';

export interface JoinOptions extends AnswerOptions {
  readonly name?: string;
  readonly code?: string | undefined;
  readonly trust?: string;
  readonly to: string;
  readonly service?: true;
}

/** What the command asks and installs on. */
interface Surroundings {
  readonly ask: Ask;
  readonly host: SystemdHost;
}

/** What is written, in this order: each by its path. */
interface Files {
  readonly credentials: string;
  readonly policy: string;
  readonly machine: string;
  /** The variables of the service, with the registry that the machine reports to. */
  readonly environment: string;
}

const PRIVATE = 0o600;
const PUBLIC = 0o644;

/** `modreg join <registry>`: exchanges a code for the credentials of this machine (D194). Nothing that exists is written over. */
export async function joinCommand(
  registry: string,
  options: JoinOptions,
  world: World,
  { ask, host }: Surroundings = { ask: askOnTerminal, host: THIS_HOST },
): Promise<Outcome> {
  const { name: machine, trust = world.environment['MODREG_TRUST'] || undefined } = options;
  if (machine === undefined || !parseScope(joinScope(machine)).ok) {
    return failed(usage(`--name is ${machine === undefined ? 'missing' : quote(machine)}`, ID));
  }
  const files = filesIn(resolve(options.to));
  const problem =
    (options.service && whyNoService('install-unit', host, world)) ?? whyNotHere(files, registry);
  if (problem) return failed(problem);
  // A policy that exists gets the pin as well, or is refused: a pin that was asked for is never left out.
  const pinned = policyWithPin(files.machine, { trust, registry }, world);
  if (!pinned.ok) return failed(pinned.error);
  const pins = await offeredPins(registry, world);
  if (!pins.ok) return failed(pins.error);
  if (trust !== undefined && !pins.value.includes(trust)) {
    return failed(otherPin(trust, pins.value.at(-1)));
  }
  const code = options.code ?? (await ask(`code for ${machine}: `));
  if (code === undefined) return failed(usage('--code is missing', CODE));
  const joined = await joinedTo(registry, { machine, code: code.trim() }, world);
  if (!joined.ok) return failed(joined.error);
  const { credentials, origin } = joined.value;
  const written = trying('the documents cannot be written', () =>
    writeAll(files, registry, { ...credentials, registry: origin }, pinned.value),
  );
  if (!written.ok) return failed({ ...written.error, hint: againHint(credentials.api_key_id) });
  const service = options.service
    ? installUnitCommand(files.machine, { start: true }, world, host)
    : undefined;
  const offered = pins.value.at(-1);
  const facts = { machine, registry, trust, offered, files, written: written.value };
  return outcomeOf(facts, service, options);
}

const ID =
  'the id of this machine: up to 128 letters, digits, ".", "_" and "-", beginning with a letter or a digit';
const CODE = 'modreg registry invite --name <machine>, where the registry is, prints a code';

function againHint(tokenId: string): string {
  return `the code is used up, and the token ${tokenId} is lost: make a new code with modreg registry invite, and join again`;
}

function filesIn(folder: string): Files {
  return {
    credentials: join(folder, 'credentials.json'),
    policy: join(folder, 'policy.json'),
    machine: join(folder, 'machine.json'),
    environment: join(folder, 'agent.env'),
  };
}

/** Why the documents cannot be written here; undefined if they can. The folder is made, so that the code is not lost later. */
function whyNotHere(
  { credentials, policy, machine }: Files,
  registry: string,
): Problem | undefined {
  if (existsSync(credentials)) {
    const hint = 'remove it to join again, or choose another folder with --to';
    return usage(`${quote(credentials)} exists: this machine has credentials`, hint);
  }
  const read = readPolicyFor(machine, undefined);
  if (!read.ok) return read.error;
  const { reading } = read.value ?? {};
  if (reading && !reading.ok) return documentWithErrors('the policy', policy, reading, 'policy');
  const named = reading ? reading.value.terms.registry : registry;
  if (named !== registry) {
    const found = named === undefined ? 'no registry' : quote(named);
    const hint = `write "registry": ${quote(registry)} there, or remove it`;
    return usage(`${quote(policy)} exists and names ${found}`, hint);
  }
  const folder = dirname(credentials);
  const made = trying('the documents cannot be written', () => {
    makeFolders(folder);
    accessSync(folder, constants.W_OK);
  });
  return made.ok ? undefined : made.error;
}

function otherPin(trust: string, offered: string | undefined): Problem {
  const found = offered === undefined ? 'has no trust document' : `offers ${offered}`;
  const message = `the registry ${found}, and --trust is ${excerpt(trust)}: the code was not used`;
  const hint =
    'it is another registry, or another server answers in its place: compare with modreg keys show';
  return { severity: 'error', kind: 'registry-untrusted', message, hint };
}

function documentText(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Writes what does not exist, and the policy with its pin. The result is the paths of what was written. */
function writeAll(
  { credentials, policy, machine, environment }: Files,
  registry: string,
  own: object,
  pinned: NewPolicy | undefined,
): string[] {
  const all = [
    [credentials, documentText(own), PRIVATE],
    // Without a pin, doctor and the pages go on to warn.
    [policy, documentText({ registry }), PUBLIC],
    [machine, documentText({ modules: [] }), PUBLIC],
    [environment, `MODREG_REPORTS=${registry}\n`, PRIVATE],
  ] as const;
  if (pinned) replaceFile(pinned.path, pinned.text, { mode: pinned.mode });
  const written = all.flatMap(([path, text, mode]) => {
    if (existsSync(path)) return [];
    replaceFile(path, text, { mode });
    return path;
  });
  return pinned ? [...written, pinned.path] : written;
}

interface Facts {
  readonly trust: string | undefined;
  readonly machine: string;
  readonly registry: string;
  readonly offered: string | undefined;
  readonly files: Files;
  readonly written: readonly string[];
}

function outcomeOf(facts: Facts, service: Outcome | undefined, { json }: AnswerOptions): Outcome {
  const { machine, registry, trust, offered, written } = facts;
  const problems = service?.problems ?? [];
  if (json) {
    const isStarted = service && problems.length === 0;
    const fields = { machine, registry, files: written, trust: trust ?? null };
    const line = { ...fields, offered_trust: offered ?? null, service: isStarted ?? false };
    return { answer: [jsonLine({ schema: 'modreg/join@1', ...line })], notes: [], problems };
  }
  return {
    answer: [`${machine} has joined ${excerpt(registry)}`, ...(service?.answer ?? [])],
    notes: [
      `note: written: ${written.map((path) => excerpt(path)).join(', ')}`,
      ...reportNotes(facts),
      ...trustNotes(facts),
      ...(service ? service.notes : [startNote(facts)]),
    ],
    problems,
  };
}

function reportNotes({ registry, written, files: { environment } }: Facts): string[] {
  if (written.includes(environment)) return [];
  return [
    `note: ${excerpt(environment)} is kept: with MODREG_REPORTS=${excerpt(registry)} there, this machine reports`,
  ];
}

function trustNotes({ trust, offered, files: { policy } }: Facts): string[] {
  if (trust !== undefined) return [];
  const unsigned =
    'note: releases are not verified: who controls the registry can make this machine run anything';
  if (offered === undefined) return [unsigned];
  return [
    unsigned,
    `note: the registry offers "trust": "${offered}": compare it with what modreg keys show prints on the host of the registry, then write it in ${excerpt(policy)}`,
  ];
}

function startNote({ registry, files: { credentials, machine } }: Facts): string {
  const start = `modreg add <module_id> ${excerpt(machine)} --version <constraint>`;
  const own =
    credentials === CREDENTIALS_FILE ? '' : `MODREG_CREDENTIALS_FILE=${excerpt(credentials)} `;
  return `note: next: ${start}, then ${own}modreg agent run ${excerpt(machine)} --reports ${excerpt(registry)}`;
}

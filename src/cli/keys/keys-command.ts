import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Role } from '../../core/trust/role.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { keyIdOf } from '../../registry/trust/ed25519.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { initKeys, shownKeys, signKeys, type NewKeysOptions } from '../../site/keys.ts';
import { newKey } from '../../site/new-key.ts';
import type { PassphraseOptions } from '../../site/passphrase.ts';
import type { SigningOptions } from '../../site/signing.ts';
import type { ReadOptions } from '../../site/remote-lists.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';
import { updateKeys, type ShownKeys } from '../../site/store-trust.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export type KeysInitOptions = NewKeysOptions & AnswerOptions;
export type KeysNewOptions = PassphraseOptions & AnswerOptions;
export type KeysShowOptions = ReadOptions & AnswerOptions & { readonly text?: true };

/** `modreg keys init`: makes the keys of a registry, and prints the digest for policies. */
export async function keysInitCommand(options: KeysInitOptions, world: World): Promise<Outcome> {
  return outcomeOf(await initKeys(options, world), ({ document, pin, files, registryFile }) => {
    if (options.json) {
      const json = { ...asJson(document, pin), files, registry_file: registryFile ?? null };
      return { answer: [jsonLine({ schema: 'modreg/keys-init@1', ...json })] };
    }
    const forPolicies = `note: for the policies of the machines: "trust": "${pin}"`;
    if (registryFile === undefined) return { answer: [pin], notes: [forPolicies] };
    const [rootOne = '', rootTwo = '', author = ''] = files.map((file) => excerpt(file));
    return {
      answer: [pin],
      notes: [
        forPolicies,
        `note: ${rootOne} and ${rootTwo} sign the next trust document: move them to two media that are offline`,
        `note: ${author} signs releases: move it to where they are published; modreg registry publish … --key`,
        `note: ${excerpt(registryFile)} stays with the registry, and in no backup`,
      ],
    };
  });
}

/** `modreg keys new <file>`: makes a private key, and prints the public one. */
export function keysNewCommand(path: string, options: KeysNewOptions, world: World): Outcome {
  return outcomeOf(newKey(path, options, world), (key) => {
    const id = keyIdOf(key);
    const line = options.json
      ? jsonLine({ schema: 'modreg/keys-new@1', key, id, file: path })
      : key;
    return { answer: [line] };
  });
}

const HEADS = ['ROLE', 'NEEDS', 'KEYS'];

/** `modreg keys show`: shows the keys of a registry. */
export async function keysShowCommand(options: KeysShowOptions, world: World): Promise<Outcome> {
  return outcomeOf(await shownKeys(options, world), (shown) => {
    if (options.text) return { answer: shown.text.trimEnd().split('\n'), isData: true };
    return { answer: documentLines(shown, options, world) };
  });
}

/** `modreg keys update <file>`: stores the next version of the trust document of a registry. */
export async function keysUpdateCommand(
  path: string,
  options: ChangeOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  return outcomeOf(await updateKeys(path, options, world), (stored) => ({
    answer: documentLines(stored, options, world),
    notes: ['note: policies keep their digest: machines that know it follow to this version'],
  }));
}

/** `modreg keys sign <file>`: adds signatures of root keys to a trust document. */
export async function keysSignCommand(
  path: string,
  options: SigningOptions & ChangeOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  return outcomeOf(await signKeys(path, options, world), (signed) => ({
    answer: documentLines(signed, options, world),
    notes: signed.missing === undefined ? [] : [`note: the document ${signed.missing}`],
  }));
}

/** What a trust document says, for a person or as JSON. */
function documentLines(
  { document, pin }: ShownKeys,
  { json }: AnswerOptions,
  world: World,
): string[] {
  if (json) return [jsonLine({ schema: 'modreg/keys@1', ...asJson(document, pin) })];
  const { name, version, expires } = document;
  const rows = rolesOf(document).map(([of, { threshold, keys }]) => [
    of,
    `${threshold} of ${keys.length}`,
    keys.map(keyIdOf).join(' '),
  ]);
  const lines = columnsOf(HEADS, rows, world.columns);
  const what = `${name}, version ${version}, expires ${formatTime(expires)}`;
  return [pin, what, ...lines(HEADS), ...rows.flatMap(lines)];
}

function rolesOf({
  root,
  registry,
  operator,
  namespaces,
}: TrustDocument): (readonly [string, Role])[] {
  const single = [
    ['root', root],
    ['registry', registry],
    ['operator', operator],
  ] as const;
  return [
    ...single.flatMap(([of, role]) => (role ? [[of, role] as const] : [])),
    ...Array.from(namespaces, ([of, role]) => [`namespace ${of}`, role] as const),
  ];
}

function asJson(document: TrustDocument, pin: string): object {
  const { name, version, expires } = document;
  return {
    pin,
    name,
    version,
    expires: formatTime(expires),
    roles: Object.fromEntries(
      rolesOf(document).map(([of, { threshold, keys }]) => [
        of,
        { threshold, keys: keys.map((key) => ({ id: keyIdOf(key), key })) },
      ]),
    ),
  };
}

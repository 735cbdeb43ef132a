import type { KeyObject } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../core/index.ts';
import { unwritableWords } from '../core/text/file-words.ts';
import { quote } from '../core/text/quote.ts';
import { ALL_OTHERS, PLATFORM } from '../core/trust/role.ts';
import {
  isTrustName,
  LONGEST_DOCUMENT,
  NAME_FORM,
  readTrustDocument,
  trustBody,
  trustText,
  type TrustDocument,
} from '../core/trust/trust-document.ts';
import { replaceFile } from '../files/replace-file.ts';
import { documentsOf } from '../registries/trusted-registry.ts';
import { keyIdOf, pinOf, publicKeyOf, signatureOf } from '../registry/trust/ed25519.ts';
import { signedDocument } from '../registry/trust/pinned-document.ts';
import { readRegularFile } from '../host/document-file.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import type { Catalogue } from '../server/index.ts';
import { modeOf, withCatalogue, type CreatingOptions } from './catalogue-options.ts';
import { newPair, written } from './new-key.ts';
import { passphraseOf, type PassphraseOptions } from './passphrase.ts';
import { signersOf, type SigningOptions } from './signing.ts';
import { signedBy } from '../host/signing-program.ts';
import { withReadRegistry, type ReadOptions } from './remote-lists.ts';
import type { ChangeOptions } from './remote-registry.ts';
import {
  signedIn,
  updateKeys,
  whyNotStored,
  wrongDocument,
  type ShownKeys,
} from './store-trust.ts';

export interface NewKeysOptions extends CreatingOptions, ChangeOptions, PassphraseOptions {
  readonly name?: string;
  /** A file with a trust document that people made and signed. */
  readonly document?: string;
  /** The folder for the keys of people; the working directory by default. */
  readonly to?: string;
}

/** The keys of a registry, and what a policy names them by. */
export interface NewKeys {
  readonly document: TrustDocument;
  readonly pin: string;
  /** The private keys of people: of the root, and of the author; none for a document that people made. */
  readonly files: readonly string[];
  /** The private key of the registry, which stays there; undefined for such a document. */
  readonly registryFile: string | undefined;
}

const YEAR_MS = 365 * 86_400_000;
const PUBLIC = 0o644;

/** Makes the keys of a registry, and stores its first trust document (D136). Nothing is overwritten. */
export async function initKeys(
  options: NewKeysOptions,
  world: World,
): Promise<Result<NewKeys, Problem>> {
  const { name = '', to = '.', document } = options;
  if (document !== undefined) return await firstKeys(document, options, world);
  if (options.registry !== undefined) {
    const hint =
      'make the keys for a file: --db keys.db --create; then --document stores the text of keys show --text';
    return { ok: false, error: usage('--registry takes --document: no registry makes keys', hint) };
  }
  if (!isTrustName(name)) {
    return { ok: false, error: usage(`--name is ${quote(name)}, expected ${NAME_FORM}`) };
  }
  const locked = passphraseOf(options, world);
  if (!locked.ok) return locked;
  return withCatalogue(options, world, modeOf(options), (catalogue) => {
    if (catalogue.trust.documents().length > 0) return { ok: false, error: HAS_KEYS };
    const people = ['root-1.key', 'root-2.key', 'publish.key'].map((file) => join(to, file));
    const registryFile = `${catalogue.path}-key`;
    const paths = [...people, registryFile];
    // Nobody is there to unlock the one of the registry when its server starts.
    const pairs = paths.map((path) =>
      newPair(path, path === registryFile ? undefined : locked.value),
    );
    const problem = written(to, pairs);
    if (problem) return { ok: false, error: problem };
    const text = firstDocument(
      name,
      pairs.map(({ key }) => key),
      world.clock(),
    );
    const made = readTrustDocument(text);
    if (!made.ok || !isStored(catalogue, text, paths)) return { ok: false, error: HAS_KEYS };
    const pin = pinOf(made.value.body);
    return { ok: true, value: { document: made.value, pin, files: people, registryFile } };
  });
}

/** Adds signatures of root keys to the trust document in a file (D152); with an address, stores it there once it has enough (D164). */
export async function signKeys(
  path: string,
  options: SigningOptions & ChangeOptions,
  world: World,
): Promise<Result<ShownKeys & { readonly missing: string | undefined }, Problem>> {
  const signers = signersOf(options, world);
  if (!signers.ok) return signers;
  if (signers.value.length === 0) return { ok: false, error: usage('--key is missing') };
  const file = readRegularFile(path, LONGEST_DOCUMENT);
  if (!file.ok) return file;
  const found = Buffer.from(file.value.bytes).toString();
  // A new version is written without the empty line that signatures follow.
  const read = readTrustDocument(found.includes('\n\n') ? found : `${found}\n`);
  if (!read.ok) return wrongDocument(path, `cannot be read: ${read.error}`);
  const { body, signatures } = read.value;
  const own = signedBy(signers.value, body);
  if (!own.ok) return own;
  const added = own.value.map(([keyId, signature]) => ({ keyId, signature }));
  const others = signatures.filter(({ keyId }) => !added.some((one) => one.keyId === keyId));
  const text = trustText(body, [...others, ...added]);
  const checked = signedDocument(text);
  try {
    replaceFile(path, text, { mode: PUBLIC });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const message = `${quote(path)} ${unwritableWords(code)}`;
    return { ok: false, error: { severity: 'error', kind: 'state-write', message } };
  }
  const missing = checked.ok ? undefined : checked.error;
  if (missing === undefined && options.registry !== undefined) {
    const stored = await updateKeys(path, options, world);
    if (!stored.ok) return stored;
  }
  return { ok: true, value: { text, document: read.value, pin: pinOf(body), missing } };
}

/** Stores the first trust document of a registry, which people made. */
async function firstKeys(
  path: string,
  options: NewKeysOptions,
  world: World,
): Promise<Result<NewKeys, Problem>> {
  const signed = signedIn(path);
  if (!signed.ok) return signed;
  const { text, document, pin } = signed.value;
  const { version } = document;
  if (version !== 1) return wrongDocument(path, `has version ${version}, expected 1`);
  const problem = await whyNotStored(text, options, world, modeOf(options));
  if (problem !== undefined) {
    return { ok: false, error: typeof problem === 'string' ? HAS_KEYS : problem };
  }
  return { ok: true, value: { document, pin, files: [], registryFile: undefined } };
}

/** Whether the catalogue took its first trust document. If not, the keys are removed again. */
function isStored(catalogue: Catalogue, text: string, paths: readonly string[]): boolean {
  let stored = false;
  try {
    stored = catalogue.trust.store(text).ok;
  } finally {
    if (!stored) for (const path of paths) rmSync(path);
  }
  return stored;
}

/** The trust document of a registry: of a file, or with `--registry` of one of any kind. */
export async function shownKeys(
  { registry, ...options }: ReadOptions,
  world: World,
): Promise<Result<ShownKeys, Problem>> {
  if (registry === undefined) {
    return withCatalogue(options, world, { mode: 'read' }, (catalogue) =>
      newestOf(catalogue.trust.documents()),
    );
  }
  return await withReadRegistry({ ...options, registry }, world, async (read) =>
    newestOf(await documentsOf(read.registry)),
  );
}

function newestOf(texts: readonly string[]): Result<ShownKeys, Problem> {
  const text = texts.at(-1);
  if (text === undefined) {
    return {
      ok: false,
      error: usage('the registry has no trust document', 'modreg keys init makes one'),
    };
  }
  const document = readTrustDocument(text);
  if (document.ok) {
    const { body } = document.value;
    return {
      ok: true,
      value: { text: texts.join(''), document: document.value, pin: pinOf(body) },
    };
  }
  const message = `its trust document cannot be read: ${document.error}`;
  return { ok: false, error: { severity: 'error', kind: 'registry-untrusted', message } };
}

const HAS_KEYS = usage(
  'the registry has a trust document already; nothing was changed',
  'modreg keys show prints it',
);

/** Either root key is enough, so that a lost one does not lead to each machine. */
function firstDocument(name: string, keys: readonly KeyObject[], now: number): string {
  const [rootOne = '', rootTwo = '', author = '', registry = ''] = keys.map(publicKeyOf);
  const signing = { threshold: 1, keys: [author] };
  const body = trustBody({
    name,
    version: 1,
    expires: Math.floor((now + YEAR_MS) / 1000) * 1000,
    root: { threshold: 1, keys: [rootOne, rootTwo] },
    registry: { threshold: 1, keys: [registry] },
    namespaces: new Map([
      [ALL_OTHERS, signing],
      [PLATFORM, signing],
    ]),
  });
  const signatures = keys.slice(0, 2).map((key) => {
    return { keyId: keyIdOf(publicKeyOf(key)), signature: signatureOf(key, body) };
  });
  return trustText(body, signatures);
}

import { isSecretName } from './agent-secrets.ts';
import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import { jsonPointer, type Path } from '../core/text/json-pointer.ts';
import { changedReceivers } from './secret-receivers.ts';
import { readJson } from './text/json-document.ts';
import { secretsIn } from './text/secret-template.ts';
import { positionIn, type Position } from './text/position.ts';

/** Shown instead of each secret of a document. */
const MASK = '•••';

/** A value that only names a variable of the agent, or a value that a site holds apart. */
const REFERENCE = /^\$\{(?:environment|secret)\.[^{}]*\}$/;
/** An address with user info, a query, or a fragment that is not a digest. */
const SECRET_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s/?#]*@|[^\s?#]*(?:\?|#(?!sha(?:256|512)=)))/i;
/** The fields that tell entries of a list apart. */
const NAMES = ['name', 'module_id', 'ssid'];

/** A value of a document. */
interface Place {
  readonly node: Node;
  readonly path: Path;
  readonly pointer: string;
  readonly isSecret: boolean;
  /** The names of the list entries that contain it. */
  readonly owner: string;
}

/** `text`, a document that can be read, with `"•••"` instead of each secret. Comments stay as they are. */
export function maskSecrets(text: string): string {
  return replaced(
    text,
    placesIn(text)
      .filter(({ isSecret }) => isSecret)
      .map(({ node }) => ({ node, by: JSON.stringify(MASK) })),
  );
}

/**
 * The pointer of the first value that is a secret by the name of its field, or an address with one; undefined if there is none. Unlike for a mask,
 * what a module gets as its environment counts by its name alone.
 */
export function namedSecretIn(text: string): string | undefined {
  return placesIn(text).find((place) => place.isSecret && isNamed(place))?.pointer;
}

function isNamed({ path, node }: Place): boolean {
  // The rest of such a value is no secret.
  if (secretsIn(String(node.value)).length > 0) return false;
  return path.some((step) => isSecretName(String(step))) || SECRET_ADDRESS.test(String(node.value));
}

/** `"•••"` at a place where there was no secret, or the secret of another entry. */
interface MisplacedMask extends Position {
  readonly path: string;
  readonly message: string;
}

/** A document with its secrets. */
export interface Unmasked {
  readonly text: string;
  readonly misplaced: readonly MisplacedMask[];
  /** The column in the masked document of a position in this one. Lines are the same. */
  readonly columnOf: (position: Position) => number;
}

/**
 * `masked` with the secrets of `original`, each only at the place where it was, in the same entry, for the same program. A
 * text that is not JSON, or nested too deeply, stays as it is: reading it finds its error (T6).
 */
export function unmaskSecrets(masked: string, original: string): Unmasked {
  const secrets = new Map(
    readablePlaces(original).flatMap((place) => (place.isSecret ? [[place.pointer, place]] : [])),
  );
  const changedAt = receiversChanged(masked, original);
  const replacements: Replacement[] = [];
  const misplaced: MisplacedMask[] = [];
  for (const place of readablePlaces(masked)) {
    const { node, pointer } = place;
    if (typeof node.value !== 'string' || !node.value.includes(MASK)) continue;
    const secret = secrets.get(pointer);
    const message = complaint(place, secret, changedAt);
    if (message === undefined && secret) {
      const { offset, length } = secret.node;
      replacements.push({ node, by: original.slice(offset, offset + length) });
    } else if (message !== undefined) {
      misplaced.push({ path: pointer, message, ...positionIn(masked, node.offset) });
    }
  }
  const starts = replacements.map(({ node, by }) => ({
    ...positionIn(masked, node.offset),
    longer: by.length - node.length,
  }));
  return {
    text: replaced(masked, replacements),
    misplaced,
    columnOf: ({ line, column }) =>
      starts.reduce(
        (at, start) => (start.line === line && start.column < at ? at - start.longer : at),
        column,
      ),
  };
}

type ChangedAt = ReturnType<typeof changedReceivers>;

/** Why a place that has the mask cannot get the secret that was there; undefined if it can. */
function complaint(
  { node, path, owner }: Place,
  secret: Place | undefined,
  changedAt: ChangedAt,
): string | undefined {
  if (node.value !== MASK) {
    return `"${MASK}" stands for a whole secret, and this value contains it`;
  }
  if (!secret) return `"${MASK}" stands for a secret, and there was none here: enter the value`;
  if (secret.owner !== owner) {
    return `"${MASK}" stands for the secret of the entry that was here, and this is another one: enter its secret`;
  }
  const changed = changedAt(path);
  if (changed === undefined) return undefined;
  return `"${MASK}" keeps a secret while all of its entry but "version" stays as it was, and ${changed} differs: enter the secret again`;
}

/** Compares documents that can be read; nothing differs in another one, whose error is found when it is read. */
function receiversChanged(masked: string, original: string): ChangedAt {
  const isReadable = readJson(masked).isWhole && readJson(original).isWhole;
  const before = isReadable ? parseTree(maskSecrets(original)) : undefined;
  const after = isReadable ? parseTree(masked) : undefined;
  return before && after ? changedReceivers(before, after) : () => undefined;
}

interface Replacement {
  readonly node: Node;
  readonly by: string;
}

/** `text` with other text instead of some values, which are in document order. */
function replaced(text: string, replacements: readonly Replacement[]): string {
  let end = 0;
  const parts = replacements.map(({ node, by }) => {
    const part = text.slice(end, node.offset) + by;
    end = node.offset + node.length;
    return part;
  });
  return parts.join('') + text.slice(end);
}

/** None if the text cannot be read: only a document of limited depth is safe to descend into. */
function readablePlaces(text: string): Place[] {
  return readJson(text).isWhole ? placesIn(text) : [];
}

/** The texts and numbers of a document that can be read, in document order. */
function placesIn(text: string): Place[] {
  const root = parseTree(text);
  return root ? [...placesBelow(root, { path: [], isSecret: false, owner: '' })] : [];
}

interface Surroundings {
  readonly path: Path;
  /** Whether all that is below is secret. */
  readonly isSecret: boolean;
  readonly owner: string;
}

function* placesBelow(node: Node, around: Surroundings): Iterable<Place> {
  const { path, isSecret, owner } = around;
  if (node.type === 'object') {
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (!key || !value) continue;
      const name = String(key.value);
      const below = [...path, name];
      yield* placesBelow(value, { path: below, isSecret: isSecret || isSecretAt(below), owner });
    }
  } else if (node.type === 'array') {
    for (const [index, entry] of (node.children ?? []).entries()) {
      yield* placesBelow(entry, { path: [...path, index], isSecret, owner: owner + nameOf(entry) });
    }
  } else if (node.type === 'string' || node.type === 'number') {
    yield { node, path, pointer: jsonPointer(path), isSecret: isHidden(node, isSecret), owner };
  }
}

/** Whether the values below a field are secrets: also all that a module gets as its environment. */
function isSecretAt(path: Path): boolean {
  const [first, , third] = path;
  const name = String(path.at(-1));
  return isSecretName(name) || (first === 'modules' && third === 'env' && path.length === 3);
}

function isHidden({ value }: Node, isSecret: boolean): boolean {
  if (typeof value !== 'string') return isSecret;
  if (value === '' || REFERENCE.test(value)) return false;
  return isSecret || SECRET_ADDRESS.test(value);
}

function nameOf(entry: Node): string {
  if (entry.type !== 'object') return '[]';
  const names = NAMES.map((name) => String(findNodeAtLocation(entry, [name])?.value ?? ''));
  return JSON.stringify(names);
}

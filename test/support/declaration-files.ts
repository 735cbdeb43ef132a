import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, visitorKeys, type Comment, type Node, type Statement } from 'oxc-parser';

/** A name and its declarations; an overload has several. */
export interface Declared {
  readonly name: string;
  /** The `.d.ts` file that declares it. */
  readonly file: string;
  readonly nodes: readonly Node[];
}

/** An entry of `exports` in package.json that has declarations. */
export interface EntryPoint {
  readonly exports: readonly Declared[];
  /** The `.d.ts` files of its folder, and files elsewhere that declare one of its exports. */
  readonly files: readonly string[];
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** The entry points of the package in `root`, by their keys in `exports`. */
export function entryPoints(root: string): ReadonlyMap<string, EntryPoint> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const entries = new Map<string, EntryPoint>();
  for (const [key, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    const index = join(root, target.types);
    const exports = Array.from(namesIn(index)).flatMap((name) => exportOf(index, name) ?? []);
    const folder = readdirSync(dirname(index), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => join(dirname(index), file));
    const files = new Set([...folder, ...exports.map(({ file }) => file)]);
    entries.set(key, { exports, files: [...files] });
  }
  return entries;
}

/** The declaration that `name` refers to in `file`; undefined for names of packages and of the language. */
export function declarationOf(file: string, name: string): Declared | undefined {
  const { statements } = fileAt(file);
  const nodes = statements.filter((statement) => declaredNames(statement).includes(name));
  if (nodes.length > 0) return { name, file, nodes };
  for (const statement of statements) {
    if (statement.type !== 'ImportDeclaration') continue;
    const specifier = statement.specifiers.find(({ local }) => local.name === name);
    if (!specifier) continue;
    const source = imported(file, statement.source.value);
    const original = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : name;
    return source === undefined ? undefined : exportOf(source, original);
  }
  return undefined;
}

/** The text of the doc comment directly before `node`. */
export function docOf(file: string, node: Node): string | undefined {
  const { text, comments } = fileAt(file);
  const doc = comments.findLast(({ end }) => end <= node.start);
  if (!doc?.value.startsWith('*') || text.slice(doc.end, node.start).trim() !== '')
    return undefined;
  return doc.value.replace(/^ *\* ?/gm, '');
}

/** The name of an identifier, of a key, or of the first part of a qualified name; empty for other nodes. */
export function nameOf(node: Node | null): string {
  if (node?.type === 'TSQualifiedName') return nameOf(node.left);
  if (node?.type === 'Identifier') return node.name;
  return node?.type === 'Literal' ? String(node.value) : '';
}

/** The nodes directly below `node`. */
export function childrenOf(node: Node): Node[] {
  // A cast: `visitorKeys` lists the members of each node type, which the types cannot express.
  const below = node as unknown as Readonly<Record<string, Node | readonly (Node | null)[] | null>>;
  return (visitorKeys[node.type] ?? []).flatMap((key) =>
    [below[key] ?? []].flat().filter((child) => child !== null),
  );
}

/** The lines of a file. */
export function linesOf(file: string): string[] {
  return fileAt(file).text.split('\n');
}

interface DeclarationFile {
  readonly text: string;
  readonly statements: readonly Statement[];
  readonly comments: readonly Comment[];
}

const FILES = new Map<string, DeclarationFile>();

function fileAt(path: string): DeclarationFile {
  const known = FILES.get(path);
  if (known) return known;
  const text = readFileSync(path, 'utf8');
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const file = { text, statements: program.body, comments };
  FILES.set(path, file);
  return file;
}

/** The file of a relative import; undefined for a package or a Node module. */
function imported(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = join(dirname(from), specifier.replace(/\.[jt]s$/, '.d.ts'));
  if (!existsSync(path)) throw new Error(`${from} imports ${specifier}, which does not exist`);
  return path;
}

function namesIn(file: string): Set<string> {
  const names = new Set<string>();
  for (const statement of fileAt(file).statements) {
    if (statement.type === 'ExportAllDeclaration') {
      throw new Error(`${file} has an "export *", expected the exported names`);
    }
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const { exported } of statement.specifiers) names.add(nameOf(exported));
    for (const name of declaredNames(statement)) names.add(name);
  }
  return names;
}

/** The declaration that `file` exports as `name`, followed through re-exports. */
function exportOf(file: string, name: string): Declared | undefined {
  for (const statement of fileAt(file).statements) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const specifier = statement.specifiers.find(({ exported }) => nameOf(exported) === name);
    if (!specifier) continue;
    const local = nameOf(specifier.local);
    if (!statement.source) return declarationOf(file, local);
    const source = imported(file, statement.source.value);
    return source === undefined ? undefined : exportOf(source, local);
  }
  return declarationOf(file, name);
}

function declaredNames(statement: Statement): string[] {
  const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (inner?.type === 'VariableDeclaration') return inner.declarations.map(({ id }) => nameOf(id));
  return inner && 'id' in inner ? [nameOf(inner.id)] : [];
}

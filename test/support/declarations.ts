import { relative } from 'node:path';
import type { Node, PropertyDefinition, TSPropertySignature } from 'oxc-parser';
import {
  childrenOf,
  declarationOf,
  docOf,
  linesOf,
  nameOf,
  type Declared,
  type EntryPoint,
} from './declaration-files.ts';

/** The exports without a doc comment. */
export function undocumented(exports: readonly Declared[]): string[] {
  return exports
    .filter(({ file, nodes }) => nodes.some((node) => docOf(file, node) === undefined))
    .map(({ name }) => name);
}

/** The public members of `exports` without a doc comment, each with its full path. */
export function undocumentedMembers(exports: readonly Declared[]): string[] {
  return exports.flatMap(({ name, file, nodes }) =>
    nodes
      .flatMap((node) => [...membersIn(node, name)])
      .filter(({ node }) => docOf(file, node) === undefined)
      .map(({ path }) => path),
  );
}

/** The functions and classes without an example. */
export function withoutExample(exports: readonly Declared[]): string[] {
  return exports
    .filter(({ nodes }) => nodes.some(isCalled))
    .filter((exported) => examplesOf(exported).length === 0)
    .map(({ name }) => name);
}

/** The example programs in the doc comments of an export and of its members. */
export function examplesOf({ file, nodes }: Declared): string[] {
  return nodes
    .flatMap((node) => [node, ...Array.from(membersIn(node, ''), (member) => member.node)])
    .flatMap((node) => (docOf(file, node) ?? '').split('@example').slice(1))
    .map((example) => /^```ts\n([^]*?)^```/m.exec(example)?.[1] ?? example);
}

/** The types that `exports` mention but no entry exports: `Report, mentioned by CheckResult`. */
export function unexportedMentions(
  exports: readonly Declared[],
  entries: Iterable<EntryPoint>,
): string[] {
  const published = new Set([...entries].flatMap((entry) => entry.exports).map(keyOf));
  return exports.flatMap(({ name, file, nodes }) =>
    [...new Set(nodes.flatMap(mentionsIn))]
      .flatMap((mentioned) => declarationOf(file, mentioned) ?? [])
      .filter((mentioned) => !published.has(keyOf(mentioned)))
      .map((mentioned) => `${mentioned.name}, mentioned by ${name}`),
  );
}

/** The lines of `files` that contain a row id such as D13. */
export function rowIds(files: readonly string[], root: string): string[] {
  return files.flatMap((file) =>
    linesOf(file).flatMap((line, place) =>
      /\b[ADILRT]\d{1,3}\b(?![:\d])/.test(line)
        ? [`${relative(root, file)}:${place + 1} ${line.trim()}`]
        : [],
    ),
  );
}

interface Member {
  /** `AgentConfiguration.platformServer.fastStart`. */
  readonly path: string;
  readonly node: Node;
}

/**
 * The public members of interfaces, classes and object types in `node`, except the fields of parameters, which the
 * function's comment describes, and self-explanatory members.
 */
function* membersIn(node: Node, path: string): Generator<Member> {
  const parameters: readonly Node[] = 'params' in node ? [node.params].flat() : [];
  for (const child of childrenOf(node)) {
    if (parameters.includes(child) || isPrivate(child)) continue;
    const name = memberName(child);
    const inner = name === undefined ? path : `${path}.${name}`;
    if (name !== undefined && !isSelfExplanatory(child)) yield { path: inner, node: child };
    yield* membersIn(child, inner);
  }
}

function memberName(node: Node): string | undefined {
  if (node.type === 'TSIndexSignature') return '[index]';
  return isField(node) || node.type === 'TSMethodSignature' || node.type === 'MethodDefinition'
    ? nameOf(node.key)
    : undefined;
}

function isField(node: Node): node is PropertyDefinition | TSPropertySignature {
  return node.type === 'TSPropertySignature' || node.type === 'PropertyDefinition';
}

function isPrivate(node: Node): boolean {
  if ('accessibility' in node && node.accessibility === 'private') return true;
  return 'key' in node && node.key.type === 'PrivateIdentifier';
}

/** Whether the member is a field with one possible value, or a constructor without parameters. */
function isSelfExplanatory(member: Node): boolean {
  if (member.type === 'MethodDefinition') {
    return member.kind === 'constructor' && member.value.params.length === 0;
  }
  if (!isField(member)) return false;
  const type = member.typeAnnotation?.typeAnnotation.type;
  const isConstant = 'value' in member && member.value?.type === 'Literal';
  return isConstant || type === 'TSLiteralType' || type === 'TSUndefinedKeyword';
}

function isCalled(node: Node): boolean {
  const inner = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
  return inner?.type === 'TSDeclareFunction' || inner?.type === 'ClassDeclaration';
}

/** The names of types and values that `node` mentions, except its own type parameters. */
function mentionsIn(node: Node): string[] {
  const all = [...descendantsOf(node)];
  const own = new Set(
    all.flatMap((child) => (child.type === 'TSTypeParameter' ? nameOf(child.name) : [])),
  );
  return all.flatMap(mentionOf).filter((name) => !own.has(name));
}

function mentionOf(node: Node): string[] {
  if (node.type === 'TSTypeReference') return [nameOf(node.typeName)];
  if (node.type === 'TSTypeQuery') return [nameOf(node.exprName)];
  if (node.type === 'ClassDeclaration') return [nameOf(node.superClass)];
  const isParent = node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements';
  return isParent ? [nameOf(node.expression)] : [];
}

function* descendantsOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* descendantsOf(child);
}

function keyOf({ file, name }: Declared): string {
  return `${file} ${name}`;
}

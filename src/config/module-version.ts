import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';

/** The `version` of a module entry, and its place in the document, in UTF-16 units. */
export interface WrittenVersion {
  readonly version: string;
  readonly offset: number;
  readonly length: number;
}

/** The `version` of the module entry `name` in `text`; undefined if it has none that is text. */
export function writtenVersion(text: string, name: string): WrittenVersion | undefined {
  const entry = entryNamed(text, name);
  const node = entry && findNodeAtLocation(entry, ['version']);
  if (node?.type !== 'string') return undefined;
  return { version: String(node.value), offset: node.offset, length: node.length };
}

/** Whether the module entry `name` in `text` is a local one, which has no releases. */
export function isLocalEntry(text: string, name: string): boolean {
  const entry = entryNamed(text, name);
  return entry !== undefined && findNodeAtLocation(entry, ['type'])?.value === 'local';
}

function entryNamed(text: string, name: string): Node | undefined {
  const root = parseTree(text);
  const modules = root && findNodeAtLocation(root, ['modules']);
  return modules?.children?.find((one) => findNodeAtLocation(one, ['name'])?.value === name);
}

/** A module entry as a document has it. */
export interface WrittenEntry {
  readonly name: string;
  readonly type: string;
  readonly moduleId: string;
  /** Empty for one without a version. */
  readonly version: string;
}

/** The module entries of `text` that have a name. */
export function writtenEntries(text: string): WrittenEntry[] {
  const root = parseTree(text);
  const modules = root && findNodeAtLocation(root, ['modules']);
  return (modules?.children ?? []).flatMap((entry) => {
    const [name = '', type = '', moduleId = '', version = ''] = FIELDS.map((field) => {
      const value: unknown = findNodeAtLocation(entry, [field])?.value;
      return typeof value === 'string' ? value : '';
    });
    return name === '' ? [] : [{ name, type, moduleId, version }];
  });
}

const FIELDS = ['name', 'type', 'module_id', 'version'];

/** `text` with `version` at the place of another one. Nothing else changes: neither comments nor white space. */
export function withVersion(
  text: string,
  { offset, length }: WrittenVersion,
  version: string,
): string {
  return text.slice(0, offset) + JSON.stringify(version) + text.slice(offset + length);
}

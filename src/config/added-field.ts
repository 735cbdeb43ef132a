import { parseTree } from 'jsonc-parser';

/** The document in `text`, which can be read, with a field that it does not have. Comments stay. */
export function withField(text: string, name: string, value: string): string {
  const root = parseTree(text);
  const at = (root?.offset ?? 0) + 1;
  const end = root?.children?.length ? ',' : '\n';
  return `${text.slice(0, at)}\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}${end}${text.slice(at)}`;
}

import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { withField } from './added-field.ts';

const FIELD = '$schema';

/** The document in `text`, which is an object, with the name of its schema for editors (D349). Comments and all else stay. */
export function withSchema(text: string, schema: string): string {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, [FIELD]);
  if (!node) return withField(text, FIELD, schema);
  const { offset, length } = node;
  return `${text.slice(0, offset)}${JSON.stringify(schema)}${text.slice(offset + length)}`;
}

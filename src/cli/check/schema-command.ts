import type { DocumentKind } from '../../config/index.ts';
import { jsonSchemaOf } from '../../config/json-schema.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { Outcome } from '../../base/problem.ts';

/** `modreg schema <kind>`: prints the JSON Schema of a document, for an editor. */
export function schemaCommand(kind: DocumentKind, options: { readonly json?: true }): Outcome {
  const schema = jsonSchemaOf(kind);
  const answer = options.json
    ? [jsonLine(schema)]
    : JSON.stringify(schema, undefined, 2).split('\n');
  return { answer, notes: [], problems: [], isData: true };
}

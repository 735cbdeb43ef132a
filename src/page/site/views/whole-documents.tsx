import type { FC } from 'hono/jsx';
import type { ShownRevision } from '../../../site/served-documents.ts';

/** The documents of a revision as they are served, each of which a person opens (D440). */
export const WholeDocuments: FC<Pick<ShownRevision, 'documents'>> = ({ documents }) => (
  <>
    {Object.entries(documents).map(([file, lines]) => (
      <details>
        <summary>The whole {file}</summary>
        <pre>{lines.map((line) => `${line}\n`)}</pre>
      </details>
    ))}
  </>
);

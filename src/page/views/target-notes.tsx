import type { FC } from 'hono/jsx';
import { textLines } from '../../core/text/text-lines.ts';
import type { TargetNotes } from '../../host/target-notes.ts';

/** The notes of a release as their author wrote them: nothing interprets their Markdown (D379). */
export const TargetNotesView: FC<{ readonly shown: TargetNotes; readonly module: string }> = ({
  shown: { moduleId, version, notes },
  module,
}) => (
  <>
    <h1>
      Release notes of {moduleId} {version}
    </h1>
    <pre tabindex={0}>{textLines(notes).join('\n')}</pre>
    <p>
      <a href={module}>{moduleId}</a>
    </p>
  </>
);

import type { FC } from 'hono/jsx';
import { textLines } from '../../../core/text/text-lines.ts';
import type { NamedRelease } from '../../../site/named-release.ts';
import { modulePath } from './site-words.tsx';

/** The notes of a release as their author wrote them: nothing interprets their Markdown (D379). */
export const ReleaseNotesView: FC<{
  readonly release: NamedRelease;
  readonly notes: string | null;
}> = ({ release: { moduleId, version }, notes }) => (
  <>
    <h1>
      {moduleId} {version}
    </h1>
    {notes === null ? (
      <p>This release has no notes.</p>
    ) : (
      <pre tabindex={0}>{textLines(notes).join('\n')}</pre>
    )}
    <p>
      <a href={modulePath(moduleId)}>{moduleId}</a>
    </p>
  </>
);

import type { FC } from 'hono/jsx';
import { ColumnHeads } from './column-heads.tsx';
import type { Resolution } from '../../core/index.ts';
import { explainedReleases, runsOf, type ExplainedRelease } from '../../core/explanation/table.ts';

/** So many releases of a long run are shown at once. */
const SHOWN = 3;

/** Each release of a list, and why it is selected or refused. */
export const Releases: FC<{ readonly resolution: Resolution }> = ({ resolution }) => (
  <table class="releases">
    <ColumnHeads of={['release', 'selected', 'why']} />
    {runsOf(explainedReleases(resolution)).map((run) =>
      run.length <= SHOWN + 1 ? (
        <Body rows={run} />
      ) : (
        <>
          <Body rows={run.slice(0, SHOWN)} />
          <tbody>
            <tr>
              <td colspan={3}>
                <details>
                  <summary>{run.length - SHOWN} more</summary>
                  <table>
                    <Body rows={run.slice(SHOWN)} />
                  </table>
                </details>
              </td>
            </tr>
          </tbody>
        </>
      ),
    )}
  </table>
);

const Body: FC<{ readonly rows: readonly ExplainedRelease[] }> = ({ rows }) => (
  <tbody>
    {rows.map(({ version, isChosen, words }) => (
      <tr data-chosen={isChosen ? 'yes' : undefined}>
        <th scope="row">{version}</th>
        <td>{isChosen ? 'yes' : 'no'}</td>
        <td>{words}</td>
      </tr>
    ))}
  </tbody>
);

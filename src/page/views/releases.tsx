import type { FC } from 'hono/jsx';
import { ColumnHeads } from './column-heads.tsx';
import { dayOf } from '../clock-words.ts';
import { deployedText } from '../../core/decision/deployed.ts';
import type { DecideInput } from '../../core/decision/decision.ts';
import type { Resolution } from '../../core/index.ts';
import { artifactFor } from '../../core/releases/release.ts';
import { explainedReleases, runsOf, type ExplainedRelease } from '../../core/explanation/table.ts';
import { signedAs } from '../../core/explanation/signed-words.ts';
import { parseVersion } from '../../core/version/version.ts';

/** So many releases of a long run are shown at once. */
const SHOWN = 3;

interface Listed {
  readonly input: DecideInput;
  readonly resolution: Resolution;
  readonly timeZone: string | undefined;
}

/** Each release of a list: what it is to this machine, when it was published, its file, and why it is selected or refused. */
export const Releases: FC<Listed> = (listed) => {
  const { input, resolution } = listed;
  const columns = columnsOf(input);
  return (
    <table class="releases">
      <ColumnHeads of={['release', ...columns, 'why']} />
      {runsOf(explainedReleases(resolution)).map((run) =>
        run.length <= SHOWN + 1 ? (
          <Body rows={run} listed={listed} />
        ) : (
          <>
            <Body rows={run.slice(0, SHOWN)} listed={listed} />
            <tbody>
              <tr>
                <td colspan={columns.length + 2}>
                  <details>
                    <summary>{run.length - SHOWN} more</summary>
                    <table>
                      <Body rows={run.slice(SHOWN)} listed={listed} />
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
};

const COLUMNS = ['here', 'published', 'size'] as const;

/** Signatures matter only where they are checked. */
function columnsOf({ list }: DecideInput): readonly ((typeof COLUMNS)[number] | 'signatures')[] {
  const isChecked = !('error' in list) && list.trust !== undefined;
  return isChecked ? [...COLUMNS, 'signatures'] : COLUMNS;
}

const Body: FC<{ readonly rows: readonly ExplainedRelease[]; readonly listed: Listed }> = ({
  rows,
  listed,
}) => (
  <tbody>
    {rows.map((row) => (
      <tr data-chosen={row.isChosen ? 'yes' : undefined}>
        <th scope="row">{row.version}</th>
        {columnsOf(listed.input).map((name) => (
          <td data-name={name}>{cellOf(name, row, listed)}</td>
        ))}
        <td>{row.words}</td>
      </tr>
    ))}
  </tbody>
);

function cellOf(
  name: ReturnType<typeof columnsOf>[number],
  { version, isChosen }: ExplainedRelease,
  { input, resolution, timeZone }: Listed,
): string {
  const parsed = parseVersion(version);
  const release = parsed.ok ? resolution.input.index.find(parsed.value) : undefined;
  switch (name) {
    case 'here':
      return [
        ...(deployedText(input.deployed) === version ? ['deployed'] : []),
        ...(isChosen ? ['selected'] : []),
        ...(input.previous?.text === version ? ['previous'] : []),
      ].join(', ');
    case 'published':
      return release?.publishedAt === undefined ? '' : dayOf(release.publishedAt, timeZone);
    case 'size': {
      const { size } = (release && artifactFor(release, input.eligibility.platform)) ?? {};
      return size === undefined ? '' : sizeWords(size);
    }
    case 'signatures':
      return signedAs(version, input);
  }
}

/** `12.3 MB`. */
function sizeWords(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

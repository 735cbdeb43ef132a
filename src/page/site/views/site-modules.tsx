import type { FC } from 'hono/jsx';
import { describeStage } from '../../../core/rollout/stage.ts';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { DeployedVersion } from '../../../server/fleet/deployed-versions.ts';
import type {
  ListedModule,
  ListedRelease,
  ModulePage,
  ShownModule,
} from '../../../site/modules.ts';
import { RolloutState } from './rollout-card.tsx';
import {
  At,
  machinesOf,
  machinesPath,
  modulePath,
  notesPath,
  numberOf,
  rolloutPath,
} from './site-words.tsx';

/** So many deployed versions of a module are shown in the list of all modules. */
const MOST_VERSIONS = 4;

/** The modules of a site, each with its deployed versions, its latest release and its rollout. */
export const SiteModulesView: FC<{ readonly page: ModulePage; readonly isFirst: boolean }> = ({
  page: { modules, next },
  isFirst,
}) => (
  <>
    <h1>Modules</h1>
    {modules.length === 0 ? (
      <p>
        This registry has no module, and no machine reports one.{' '}
        <code>modreg registry publish</code> publishes a release.
      </p>
    ) : (
      <table>
        <ColumnHeads of={['module', 'latest', 'deployed', 'rollout']} />
        <tbody>
          {modules.map((module) => (
            <ModuleRow module={module} />
          ))}
        </tbody>
      </table>
    )}
    {isFirst && next === undefined ? null : (
      <nav aria-label="Pages of modules" class="paging">
        {isFirst ? null : <a href="/modules">First page</a>}
        {next === undefined ? null : (
          <a href={`/modules?after=${encodeURIComponent(next)}`} rel="next">
            Next page
          </a>
        )}
      </nav>
    )}
  </>
);

const ModuleRow: FC<{ readonly module: ListedModule }> = ({
  module: { moduleId, latest, deployed, deployedOf, rollouts },
}) => (
  <tr>
    <th scope="row">
      <a href={modulePath(moduleId)}>{moduleId}</a>
    </th>
    <td data-name="latest">{latest ?? 'no release'}</td>
    <td data-name="deployed">
      {deployed.length === 0 ? 'on no machine' : null}
      {deployed.slice(0, MOST_VERSIONS).map((one, place) => (
        <>
          {place === 0 ? '' : ', '}
          {excerpt(one.version)} <VersionCount deployed={one} />
        </>
      ))}
      {deployedOf > MOST_VERSIONS ? `, ${deployedOf - MOST_VERSIONS} more` : ''}
    </td>
    <td>
      <Rollouts rollouts={rollouts} />
    </td>
  </tr>
);

const VersionCount: FC<{ readonly deployed: DeployedVersion }> = ({
  deployed: { moduleId: module, version, machines },
}) => (
  <a
    href={machinesPath({ module, version })}
    aria-label={`${machinesOf(machines)} with ${module} ${excerpt(version)}`}
  >
    {numberOf(machines)}
  </a>
);

const Rollouts: FC<Pick<ListedModule, 'rollouts'>> = ({ rollouts }) => (
  <>
    {rollouts.map((one) => (
      <p>
        <a href={rolloutPath(one)}>{one.version}</a> {describeStage(one)}{' '}
        <RolloutState status={one.status} />
      </p>
    ))}
  </>
);

/** One module: its deployed versions, what a release would do, and its releases. */
export const SiteModuleView: FC<{ readonly module: ShownModule; readonly now: number }> = ({
  module: { moduleId, latest, deployed, deployedOf, rollouts, releases, releaseCount },
  now,
}) => (
  <>
    <h1>{moduleId}</h1>
    <p>latest release: {latest ?? 'none'}</p>
    <Rollouts rollouts={rollouts} />
    <h2>Deployed</h2>
    {deployed.length === 0 ? (
      <p>No machine reports this module.</p>
    ) : (
      <Deployed deployed={deployed} />
    )}
    {deployedOf > deployed.length ? (
      <p>{numberOf(deployedOf - deployed.length)} other versions, of fewer machines</p>
    ) : null}
    <p>
      <a href={`${modulePath(moduleId)}/outcomes`}>Where it failed or was rolled back</a>
    </p>
    <h2>What if</h2>
    <WhatIfForm moduleId={moduleId} version={latest} />
    <h2>Releases</h2>
    {releases.length === 0 ? (
      <p>This registry has no release of it.</p>
    ) : (
      <Releases {...{ moduleId, releases, now }} />
    )}
    {releaseCount > releases.length ? (
      <p>
        {numberOf(releaseCount - releases.length)} older ones:{' '}
        <code>modreg registry show {moduleId}</code>
      </p>
    ) : null}
  </>
);

/** Asks which machines would get a version. */
export const WhatIfForm: FC<{
  readonly moduleId: string;
  readonly version: string | undefined;
}> = ({ moduleId, version }) => (
  <form method="get" action={`${modulePath(moduleId)}/what-if`}>
    <label>
      version, which need not be published{' '}
      <input name="version" value={version} required autocomplete="off" spellcheck={false} />
    </label>
    <button data-quiet>Show which machines would get it</button>
  </form>
);

const Deployed: FC<{ readonly deployed: readonly DeployedVersion[] }> = ({ deployed }) => (
  <table>
    <ColumnHeads of={['version', 'machines', 'stuck', 'behind']} />
    <tbody>
      {deployed.map((one) => (
        <tr>
          <th scope="row">{excerpt(one.version)}</th>
          <td data-name="machines">
            <VersionCount deployed={one} />
          </td>
          <td data-name="stuck">{numberOf(one.stuck)}</td>
          <td data-name="behind">{numberOf(one.behind)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** In characters. */
const LONGEST_MARK = 300;

const Releases: FC<{
  readonly moduleId: ShownModule['moduleId'];
  readonly releases: readonly ListedRelease[];
  readonly now: number;
}> = ({ moduleId, releases, now }) => (
  <table>
    <ColumnHeads of={['version', 'published', 'state']} />
    <tbody>
      {releases.map(({ version, publishedAt, yanked, marks, hasNotes, rollout }) => (
        <tr>
          <th scope="row">{version}</th>
          <td data-name="published">
            {publishedAt === undefined ? 'unknown' : <At ms={publishedAt} now={now} />}
          </td>
          <td>
            {yanked === undefined ? null : `yanked${yanked === '' ? '' : `: ${excerpt(yanked)}`} `}
            {marks.length === 0
              ? null
              : `${marks.map((mark) => excerpt(mark, LONGEST_MARK)).join('; ')} `}
            {hasNotes ? (
              <>
                <a href={notesPath({ moduleId, version })}>notes</a>{' '}
              </>
            ) : null}
            {rollout === undefined ? null : (
              <>
                <a href={rolloutPath({ moduleId, version })}>rollout</a> {describeStage(rollout)}{' '}
                <RolloutState status={rollout.status} />
              </>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

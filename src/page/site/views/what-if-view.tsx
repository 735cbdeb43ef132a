import type { FC } from 'hono/jsx';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { NamedRelease } from '../../../site/named-release.ts';
import type { EffectGroup } from '../../../site/effect-groups.ts';
import type { WhatIf } from '../../../site/modules.ts';
import { WhatIfForm } from './site-modules.tsx';
import { machinePath, machinesOf, modulePath, numberOf } from './site-words.tsx';

const COLUMNS = ['when', 'machines', 'deployed', 'constraint', 'what'];

/** Which machines would get a release, when, what stops, and why others not. */
export const WhatIfView: FC<{ readonly release: NamedRelease; readonly whatIf: WhatIf }> = ({
  release: { moduleId, version },
  whatIf: { isPublished, machines, included, notComputed, groups, warnings },
}) => (
  <>
    <h1>
      What if: {moduleId} {version}
    </h1>
    <p>
      {numberOf(included)} of {machinesOf(machines)} would get it.
      {notComputed === 0 ? '' : ` Not computed for ${numberOf(notComputed)}.`}
      {isPublished
        ? ''
        : ' It is not published: this is what would happen if it were published now, for all platforms.'}
    </p>
    {warnings.slice(0, MOST_WARNINGS).map((one) => (
      <p class="warning">
        <strong>BREAKS_REQUIREMENT</strong> {one}
      </p>
    ))}
    {groups.length === 0 ? <p>No machine reports {moduleId}.</p> : <Groups groups={groups} />}
    <WhatIfForm moduleId={moduleId} version={version} />
    <p>
      <a href={modulePath(moduleId)}>{moduleId}</a>
    </p>
  </>
);

/** So many warnings are shown. */
const MOST_WARNINGS = 20;

/** So many groups are shown. */
const MOST_GROUPS = 100;

const Groups: FC<{ readonly groups: readonly EffectGroup[] }> = ({ groups }) => (
  <>
    <table>
      <ColumnHeads of={COLUMNS} />
      <tbody>
        {groups.slice(0, MOST_GROUPS).map((group) => (
          <Group group={group} />
        ))}
      </tbody>
    </table>
    {groups.length > MOST_GROUPS ? (
      <p>
        {groups.length - MOST_GROUPS} more groups: <code>modreg fleet what-if</code>
      </p>
    ) : null}
  </>
);

/** So many machines of a group are named. */
const MOST_NAMED = 3;

const Group: FC<{ readonly group: EffectGroup }> = ({
  group: { when, machines, deployed, constraint, what },
}) => (
  <tr>
    <th scope="row">{when}</th>
    <td data-name="machines">
      {numberOf(machines.length)}:{' '}
      {machines.slice(0, MOST_NAMED).map((id, place) => (
        <>
          {place === 0 ? '' : ', '}
          <a href={machinePath(id)}>{id}</a>
        </>
      ))}
      {machines.length > MOST_NAMED ? ', …' : ''}
    </td>
    <td data-name="deployed">{excerpt(deployed)}</td>
    <td data-name="constraint">{excerpt(constraint)}</td>
    <td>{excerpt(what)}</td>
  </tr>
);

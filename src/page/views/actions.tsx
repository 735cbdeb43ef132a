import type { FC } from 'hono/jsx';
import { replacementOf } from '../../core/decision/decision.ts';
import type { ModuleRow } from '../module-row.ts';

/** Links to what can be done about a module. Each leads to a page that says what it does. */
export const Actions: FC<{ readonly row: ModuleRow }> = ({
  row: { kind, name, moduleId, plan },
}) => {
  const path = `/modules/${encodeURIComponent(name)}`;
  return (
    <p class="actions">
      {kind === 'module' ? <a href={`${path}/change`}>Change…</a> : null}{' '}
      {replacementOf(plan.decision) ? (
        <>
          <a href={`${path}/upgrade`}>Upgrade now…</a>{' '}
        </>
      ) : null}
      <a href={`${path}/restart`}>Restart…</a> <a href={`${path}/rollback`}>Roll back…</a>{' '}
      <a href={`/quarantine?module=${encodeURIComponent(moduleId)}`}>Quarantine…</a>{' '}
      <a href={`/holds?module=${encodeURIComponent(name)}`}>Hold…</a>
    </p>
  );
};

import { formatConstraint } from '../../core/index.ts';
import type { Delivery } from '../../poller/index.ts';
import { jsonLine } from '../base/answer-json.ts';
import { stopsAsJson, targetAsJson } from '../../host/plan/plan-document.ts';
import { formatTime } from '../../core/text/rfc3339.ts';

/**
 * The document that the program of `modreg poll` gets on its stdin: one line of JSON, schema `modreg/action@1`. Unlike
 * other output of modreg it contains secrets: the whole address of the artifact, and the module's variables. All keys
 * before `entry` are modreg's own, so that a shell script can find them without parsing JSON.
 */
export function actionDocument(delivery: Delivery): string {
  const { action, times, entry, environment, folders } = delivery;
  const { id, target, direction, from, to, reason, artifact, restart, decidedAt } = action;
  const { platform, url, digest, size } = artifact ?? {};
  return jsonLine({
    schema: 'modreg/action@1',
    id,
    delivery: times,
    target: targetAsJson(target),
    direction,
    from: from ?? null,
    to,
    reason: reason.text,
    decided_at: formatTime(decidedAt),
    artifact: artifact && {
      platform,
      url: url ?? null,
      digest: digest ?? null,
      size: size ?? null,
    },
    folders: { root: folders.root ?? null, data: folders.data ?? null },
    restart: { of: restart.of, targets: restart.targets, stops: stopsAsJson(restart.stops) },
    entry: entry && {
      type: entry.type,
      version: entry.type === 'registry' ? formatConstraint(entry.constraint) : null,
      extra: entry.extra,
    },
    environment: environment.ok ? environment.value : null,
  });
}

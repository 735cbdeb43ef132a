import type { Requester } from '../../core/decision/restart-request.ts';
import type { World } from '../../base/world.ts';

/** The user who runs the command, also through sudo. Services and containers often have no variable with the name (T519). */
export function operatorIn(world: World): string {
  return userIn(world) ?? 'unknown';
}

/** The same as who requests something; undefined if the name is not known (D424). */
export function requesterIn(world: World): Requester | undefined {
  const by = userIn(world);
  return by === undefined ? undefined : { by, because: undefined };
}

function userIn(world: World): string | undefined {
  const { SUDO_USER, USER, LOGNAME } = world.environment;
  return SUDO_USER || USER || LOGNAME || world.userName?.() || undefined;
}

import type { World } from '../../base/world.ts';

/** The user who runs the command, also through sudo. Services and containers often have no variable with the name (T519). */
export function operatorIn(world: World): string {
  const { SUDO_USER, USER, LOGNAME } = world.environment;
  return SUDO_USER || USER || LOGNAME || world.userName?.() || 'unknown';
}

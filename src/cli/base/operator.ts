import type { World } from '../../base/world.ts';

/** The user who runs the command, also through sudo. */
export function operatorIn({ environment }: World): string {
  return environment['SUDO_USER'] || environment['USER'] || environment['LOGNAME'] || 'unknown';
}

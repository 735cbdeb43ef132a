import type { ActionTarget } from '../../core/index.ts';

/** What makes the deployed version of a target known. */
export function hintForUnknown({ name }: ActionTarget): string {
  const reported =
    name === 'platform-server'
      ? 'modreg agent run reports it once "agent" in the machine config names platform-server'
      : 'the agent of this machine reports it';
  return `${reported}; modreg poll takes it from --deployed <file>`;
}

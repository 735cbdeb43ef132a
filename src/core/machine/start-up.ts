import type { AgentConfiguration } from './machine.ts';

/** What an agent does before it starts the server. Whatever it skips then, periodic checks follow. (D28) */
export interface StartUp {
  readonly waitsForNetwork: boolean;
  readonly checksForUpdates: boolean;
}

/** What fast start skips at start-up: the wait and the first check, and nothing later. (Fast start mode) */
export function startUpOf(
  { platformServer }: AgentConfiguration,
  environment: Readonly<Record<string, string | undefined>>,
): StartUp {
  const isFast = platformServer.fastStart || environment['PLATFORM_AGENT_FAST_START'] === '1';
  return { waitsForNetwork: !isFast, checksForUpdates: !isFast };
}

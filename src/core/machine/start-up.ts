import type { AgentConfiguration } from './machine.ts';

/** What an agent does before it starts the server. Periodic update checks follow in any case (D28). */
export interface StartUp {
  readonly waitsForNetwork: boolean;
  readonly checksForUpdates: boolean;
}

/** Fast start skips the wait for the network and the first update check, and nothing after start-up (D28). */
export function startUpOf(
  { platformServer }: AgentConfiguration,
  environment: Readonly<Record<string, string | undefined>>,
): StartUp {
  const isFast = platformServer.fastStart || environment['PLATFORM_AGENT_FAST_START'] === '1';
  return { waitsForNetwork: !isFast, checksForUpdates: !isFast };
}

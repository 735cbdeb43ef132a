/** The path segment that stands for a machine without an id (Module entry). */
export const LOCAL_MACHINE = 'local';

/** The machine's id in the environment of its agent; undefined if it has none (Authentication). */
export function machineIdIn(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return environment['PLATFORM_PART_ID'] || undefined;
}

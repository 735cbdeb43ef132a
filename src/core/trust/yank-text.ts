import type { ModuleId } from '../releases/module-id.ts';

/** The text that authors sign when they yank a release (D165). As JSON, the reason is one line. */
export function yankText(moduleId: ModuleId, version: string, reason: string): string {
  return `modreg/yank@1\n${moduleId}\n${version}\n${JSON.stringify(reason)}\n`;
}

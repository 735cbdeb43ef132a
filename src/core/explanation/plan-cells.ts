import { reportedText } from './decision-words.ts';
import type { Deployed } from '../decision/deployed.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { excerpt, quote } from '../text/quote.ts';

/** A module entry: its name, and its module_id. */
interface ModuleEntryName {
  readonly name: string;
  readonly moduleId: ModuleId;
}

/** The module_id, followed by the name of the entry if that is not the conventional one. */
export function labelOf({ name, moduleId }: ModuleEntryName): string {
  return name === moduleId.replace(':', '_') ? moduleId : `${moduleId} (${excerpt(name)})`;
}

/** The deployed version. Reported text that is not a version is quoted, since it may be blank. */
export function deployedCell(deployed: Deployed): string {
  const text = reportedText(deployed) ?? deployed.kind;
  return deployed.kind === 'other' ? quote(text) : text;
}

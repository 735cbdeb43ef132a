import { parseConstraint, parseModuleId, type Constraint, type ModuleId } from 'modreg';

export function constraint(text: string): Constraint {
  const parsed = parseConstraint(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

export function moduleId(text: string): ModuleId {
  const parsed = parseModuleId(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

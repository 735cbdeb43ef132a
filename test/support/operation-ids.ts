type Operation = { readonly operationId?: unknown };

/** The components of an OpenAPI document that no sentence describes. */
export function undescribed(document: object): string[] {
  const { components } = document as {
    readonly components: Record<string, Record<string, { readonly description?: unknown }>>;
  };
  return Object.values(components).flatMap((named) =>
    Object.entries(named).flatMap(([name, { description }]) =>
      typeof description === 'string' && description.length > 5 ? [] : [name],
    ),
  );
}

/** The name of each operation of an OpenAPI document; its method and path if it has none. */
export function operationIds(document: object): string[] {
  const { paths } = document as { readonly paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) =>
      typeof operationId === 'string' ? operationId : `${method} ${path}`,
    ),
  );
}

type Operation = { readonly operationId?: unknown };

/** The name of each operation of an OpenAPI document; its method and path if it has none. */
export function operationIds(document: object): string[] {
  const { paths } = document as { readonly paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) =>
      typeof operationId === 'string' ? operationId : `${method} ${path}`,
    ),
  );
}

/** A reference to a schema of the OpenAPI document. */
export const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

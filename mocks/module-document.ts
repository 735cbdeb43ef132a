/** The document of `acme:lidar` in modreg's own protocol. (docs/registry-protocol.md, "GET /v1/modules/{namespace}/{name}") */
export function listOf(versions: readonly (string | object)[], generation: number): object {
  const releases = versions.map((one) => (typeof one === 'string' ? { version: one } : one));
  return { module_id: 'acme:lidar', generation, count: releases.length, releases };
}

/** The names of the operations, for generated clients. They never change. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'get /v1/machine': 'readMachine',
  'get /v1/live': 'followMachine',
  'post /v1/look': 'lookNow',
  'get /v1/modules/{name}/explain': 'explainModule',
  'get /v1/modules/{name}/compare': 'compareVersions',
  'put /v1/modules/{name}/version': 'changeVersion',
  'post /v1/modules/{name}/restart': 'requestRestart',
  'delete /v1/modules/{name}/restart': 'withdrawRestart',
  'post /v1/modules/{name}/upgrade': 'requestUpgrade',
  'post /v1/modules/{name}/rollback': 'rollBack',
  'get /v1/quarantine': 'listQuarantine',
  'post /v1/quarantine': 'refuseVersion',
  'delete /v1/quarantine/{module_id}/{version}': 'endQuarantine',
  'get /v1/holds': 'listHolds',
  'post /v1/holds': 'setHold',
  'delete /v1/holds': 'endHold',
  'get /v1/config': 'readConfig',
  'put /v1/config': 'replaceConfig',
  'post /v1/config/check': 'checkConfig',
  'get /v1/history': 'readHistory',
  'get /v1/logs': 'readLogs',
  'post /v1/sign-in': 'signIn',
  'post /v1/sign-out': 'signOut',
  'get /v1/openapi.json': 'readDescription',
};

/** The paths of an OpenAPI document, with the name of each operation (D318). */
export function withOperationIds(paths: Readonly<Record<string, object>>): object {
  const named = Object.entries(paths).map(([path, operations]): [string, object] => {
    const all = Object.entries(operations).map(([method, operation]): [string, object] => {
      const operationId = OPERATIONS[`${method} ${path}`];
      return [method, { operationId, ...Object(operation) }];
    });
    return [path, Object.fromEntries(all)];
  });
  return Object.fromEntries(named);
}

/** Whether `url` is that of a blob of an OCI registry. (OCI Distribution 1.1, "Pulling blobs") */
export function isBlob({ pathname }: URL): boolean {
  return /\/v2\/.+\/blobs\/sha(?:256|512):[\da-f]+$/.test(pathname);
}

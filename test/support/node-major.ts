/** 24, or 26 in `npm run test:package -- node26`. */
export const NODE_MAJOR: number = Number.parseInt(process.versions.node, 10);

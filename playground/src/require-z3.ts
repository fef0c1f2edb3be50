/** Stands in for `node:module` in a worker of a page: the script of z3 is there by `importScripts`. */
export const createRequire = (): unknown =>
  Object.assign(() => (globalThis as { initZ3?: unknown }).initZ3, { resolve: (path: string) => path });

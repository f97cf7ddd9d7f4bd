// An ambient module cannot import from a relative path by a statement.
/* eslint-disable @typescript-eslint/consistent-type-imports */

/** The `operations.ts` of the cloud or the protocol that the function serves; the build puts it in. */
declare module 'keymgr:slice' {
  type Handler = import('../../shared/http/stack.ts').HttpHandler
  export const routes: readonly import('../../shared/http/operation.ts').Route[]
  /** Answers requests that need no token before the others; absent in most slices. */
  export const around: ((handler: Handler) => Handler) | undefined
}

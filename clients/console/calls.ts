import type { PathOf, UntypedInit } from '../sdk/calls.ts'
import type { Method } from '../sdk/method.ts'

/** A call that changes something: shown to the user before it is sent. */
export interface Call {
  readonly method: Method
  /** as the description has it, with its `{names}` */
  readonly path: string
  readonly init: UntypedInit
}

/** A call of the description. Its body is checked by the service, which points to each fault. */
export const callTo = <M extends Method>(method: M, path: PathOf<M>, init: UntypedInit = {}): Call => ({
  method,
  path,
  init,
})

import type { PathOf, UntypedInit } from '../sdk/calls.ts'
import type { Method } from '../sdk/method.ts'

/** A call with an effect, which the user sees before it is sent. */
export interface Call {
  readonly method: Method
  /** path template of the description, with its `{names}` */
  readonly path: string
  readonly init: UntypedInit
}

/** A call of the description. The service validates its body and reports each error with a pointer. */
export const callTo = <M extends Method>(method: M, path: PathOf<M>, init: UntypedInit = {}): Call => ({
  method,
  path,
  init,
})

import type { PathOf, UntypedInit } from '../sdk/calls.ts'
import type { Method } from '../sdk/method.ts'
import { DANGERS } from './described.ts'

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

const TAILS: ReadonlySet<string> = new Set(DANGERS.tails)
const PATHS: ReadonlySet<string> = new Set(DANGERS.paths)

/** Whether a call stops or ends something. */
export const isDangerous = ({ method, path }: Pick<Call, 'method' | 'path'>): boolean =>
  TAILS.has(`${method} ${path.slice(path.lastIndexOf('/') + 1).replace(/^\{.*\}$/, '{}')}`) ||
  PATHS.has(`${method} ${path}`)

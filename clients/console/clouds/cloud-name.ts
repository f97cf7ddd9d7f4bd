import type { PathOf } from '../../sdk/calls.ts'

/** Clouds for which the API has all operations. */
export type CloudName =
  PathOf<'get'> extends infer P ? (P extends `/v1/keymgr/${infer N}/reports/{id}` ? N : never) : never

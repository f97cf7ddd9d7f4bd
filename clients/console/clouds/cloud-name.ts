import type { PathOf } from '../../sdk/calls.ts'

/** Clouds that the interface has everything of. */
export type CloudName =
  PathOf<'get'> extends infer P ? (P extends `/v1/keymgr/${infer N}/reports/{id}` ? N : never) : never

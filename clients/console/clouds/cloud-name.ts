import type { PathOf } from '../../sdk/calls.ts'

type Named<Tail extends string> =
  PathOf<'get'> extends infer P ? (P extends `/v1/keymgr/${infer N}/${Tail}/{id}` ? N : never) : never

/** Clouds for which the API has all operations. */
export type CloudName = Extract<Named<'reports'>, Named<'synchronization-jobs'>>

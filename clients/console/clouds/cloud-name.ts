import type { PathOf } from '../../sdk/calls.ts'

type Named<Tail extends string> =
  PathOf<'get'> extends infer P ? (P extends `/v1/keymgr/${infer N}/${Tail}/{id}` ? N : never) : never

/** Clouds for which the API has all operations. */
export type CloudName = Named<'reports'>

/** Paths above the synchronizations of a cloud's keys: that of the cloud, or of its keys where other records have some. */
export type SynchronizedAt = Extract<Named<'synchronization-jobs'>, CloudName | `${CloudName}/keys`>

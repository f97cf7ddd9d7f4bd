import type { PathOf } from '../../sdk/calls.ts'

type Named<Tail extends string> =
  PathOf<'get'> extends infer P ? (P extends `/v1/keymgr/${infer N}/${Tail}/{id}` ? N : never) : never

/** Clouds for which the API has all operations. */
export type CloudName = Named<'reports'>

/** Parent paths of a cloud's key synchronizations: the cloud, or its keys if other records are synchronized too. */
export type SynchronizedAt = Extract<Named<'synchronization-jobs'>, CloudName | `${CloudName}/keys`>

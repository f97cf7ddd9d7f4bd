import type { Context } from '../../http/context.ts'
import type { SubJob } from './run-model.ts'
import type { StoredJobConfig } from './config-store.ts'
import type { StoredJob, StoredSubJob } from './run-store.ts'

export type JobParams = StoredJobConfig['job_config_params']

/** One container, key or store that a run takes. */
export interface Piece extends Pick<SubJob, 'resource_type' | 'resource_id' | 'resource_name' | 'container'> {
  readonly cloud: string
  /** what shares the quotas of its cloud, such as an account's region: pieces of one lane are worked on as those bear it */
  readonly lane: string
  /** how much of the lane's time a piece takes under those quotas; 0 where none is asked anything */
  readonly seconds: number
}

/** Some of what a run takes and, where there is more, what to go on from. May be short, or even empty. */
export interface Pieces {
  readonly pieces: readonly Piece[]
  readonly cursor?: string
}

/** Whose run it is, and for when. */
export interface RunOf {
  readonly domain: string
  readonly config: string
  readonly params: JobParams
  readonly at: Date
  /** the least there is between two runs of the configuration */
  readonly spacingMinutes: number
  /** what it takes is looked for in the name of its caller */
  readonly context: Context
}

/** What became of a piece: done; left alone, and why; begun, to be looked at again; or not begun, for want of room. */
export type Act =
  | { readonly end: 'done'; readonly result?: string }
  | { readonly end: 'skipped'; readonly says: string }
  | { readonly end: 'begun'; readonly result: string }
  | { readonly end: 'later' }

/** What a run of one operation does. A new operation is a new row in `operations.ts`. */
export interface Operation {
  readonly description: string
  /** of its pieces, in the audit: `<Verb> <Resource>` */
  readonly says: string
  /** Checks what a configuration names. @throws Refusal NOT_FOUND, NOT_SUPPORTED for a cloud that is not built */
  readonly check: (context: Context, params: JobParams) => Promise<void>
  /** What a run takes, from the table alone. May be asked again from any cursor. */
  readonly find: (of: RunOf, cursor: string | undefined) => Promise<Pieces>
  /** What a run some time from now would take, given what the runs before it changed: for previews. */
  readonly foresee?: (of: RunOf, runs: readonly Date[]) => Promise<readonly (readonly Piece[])[]>
  /** Does a piece, in the name of the context's caller; what it changes is staged there. Asked again after a stop. */
  readonly act: (
    context: Context,
    piece: StoredSubJob,
    of: Pick<StoredJob, 'job_config_id' | 'job_config_params'>,
  ) => Promise<Act>
  /** What became of a piece that was begun. @throws Refusal by which it failed */
  readonly look?: (context: Context, piece: StoredSubJob) => Promise<Act>
  /** Ends a piece that was begun, because its run is cancelled. */
  readonly cancel?: (context: Context, piece: StoredSubJob) => Promise<void>
}

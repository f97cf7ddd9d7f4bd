import type { Context } from '../../http/context.ts'
import type { SubJob } from './run-model.ts'
import type { JobParams } from './config-model.ts'
import type { StoredJob, StoredSubJob } from './run-store.ts'

/** One container, key or store that a run takes. */
export interface Piece extends Pick<SubJob, 'resource_type' | 'resource_id' | 'resource_name' | 'container'> {
  readonly cloud: string
  /** quota group, such as an account's region: its pieces are worked on as the quota of their cloud allows */
  readonly lane: string
  /** how much of the group's time a piece takes under that quota; 0 without a quota */
  readonly seconds: number
}

/** Some pieces of a run and, where there are more, the cursor. May be short, or even empty. */
export interface Pieces {
  readonly pieces: readonly Piece[]
  readonly cursor?: string
}

/** The run that takes pieces. */
export interface RunOf {
  readonly domain: string
  readonly config: string
  readonly params: JobParams
  readonly at: Date
  /** the least there is between two runs of the configuration */
  readonly spacingMinutes: number
  /** of the initiator, in whose name pieces are found */
  readonly context: Context
}

/** The outcome of a piece: done; skipped, and why; begun, to be looked at again; or not begun, for want of room. */
export type Act =
  | { readonly end: 'done'; readonly result?: string }
  | { readonly end: 'skipped'; readonly says: string }
  | { readonly end: 'begun'; readonly result: string }
  | { readonly end: 'later' }

/** What a run of one operation does. A new operation is a new row in `job-operations.ts`. */
export interface Operation {
  readonly description: string
  /** of its pieces, in the audit: `<Verb> <Resource>` */
  readonly says: string
  /** Checks the parameters of a configuration. @throws Refusal NOT_FOUND, NOT_SUPPORTED for a cloud that is not built */
  readonly check: (context: Context, params: JobParams) => Promise<void>
  /** The pieces of a run, from the table alone. May be asked again from any cursor. */
  readonly find: (of: RunOf, cursor: string | undefined) => Promise<Pieces>
  /** The pieces of later runs, given the changes of the runs before them: for previews. */
  readonly foresee?: (of: RunOf, runs: readonly Date[]) => Promise<readonly (readonly Piece[])[]>
  /** Does a piece in the name of the context's caller and stages its changes there. Asked again after a stop. */
  readonly act: (
    context: Context,
    piece: StoredSubJob,
    of: Pick<StoredJob, 'job_config_id' | 'job_config_params'>,
  ) => Promise<Act>
  /** The outcome of a piece that was begun. @throws Refusal by which it failed */
  readonly look?: (context: Context, piece: StoredSubJob) => Promise<Act>
  /** Ends a piece that was begun, because its run is cancelled. */
  readonly cancel?: (context: Context, piece: StoredSubJob) => Promise<void>
}

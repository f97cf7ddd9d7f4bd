import type { Deployment } from '../../../infra/local/deployment.ts'
import type { Counted, UsualFault } from '../../../infra/simulators/toolkit/fault-rules.ts'
import type { Holder } from '../vault/vault.ts'

/** A fault that every simulated cloud has, in calls counted from 1. */
type MidwayFault = Counted & UsualFault<unknown>

/** A key as the cloud has it, or as our record describes it: the suite compares both. */
export interface Found {
  /** the name of the key on both sides */
  readonly ref: string
  readonly name: string
  /** Whether applications can use the key. */
  readonly live: boolean
  /** State, number of versions, tags and the like: everything that a verb changes. */
  readonly facts: object
}

/** Our record of a key; the id as the paths of the interface have it. */
export interface Recorded extends Found {
  readonly id: string
  /** The record itself says that the key must be read again. */
  readonly unread: boolean
}

/** One request about the key `name`, and the expected state at the cloud. */
export interface Verb {
  /** @returns the id of the key that the request is about */
  readonly prepare?: (who: Holder, name: string) => Promise<string>
  readonly request: (name: string, id: string) => { readonly method?: string; readonly path: string; body?: object }
  /** Facts of the key `name` in the end; absent: the cloud no longer has it. */
  readonly done?: object
  /** The same for a request that was refused first, if its effects at the cloud cannot be undone, only recorded. */
  readonly doneLater?: object
  /** Set to try only refused calls: changes by others are tried with the verbs that create. */
  readonly refusalsOnly?: true
  /** Where the newest version comes from; absent: not checked. */
  readonly origin?: 'keymgr' | 'native'
}

/** Changes that other users of the cloud make, without requests. */
interface OtherPeople {
  /** The key as applications need it no longer, though it exists. */
  readonly disable?: (deployment: Deployment, ref: string) => unknown
  readonly remove: (deployment: Deployment, ref: string) => unknown
  /** Moves the key to where our connection sees nothing. @returns a function that ends the hiding, not the move */
  readonly hide?: (deployment: Deployment, ref: string) => () => void
  /** Takes the name of the run for a key of their own, for clouds where names are unique. @returns its ref */
  readonly takeName?: (deployment: Deployment, name: string) => string | undefined | Promise<string | undefined>
}

/** A further request that reads a key again. */
export interface Refresh {
  readonly method: string
  readonly path: string
  readonly body?: object
}

/** All that the suite needs to know of a cloud. */
export interface MidwayRow {
  readonly cloud: string
  /** Injects a fault into calls that concern keys. */
  readonly inject: (deployment: Deployment, fault: MidwayFault) => () => void
  /** Number of calls that concern keys so far, refused ones included. */
  readonly calls: (deployment: Deployment) => number
  /** Connection, container, local keys. */
  readonly setUp: (who: Holder) => Promise<void>
  /** Creates a key that no verb concerns. @returns its id */
  readonly make: (who: Holder, name: string) => Promise<string>
  readonly there: (deployment: Deployment) => readonly Found[]
  /** Records of keys that exist at the cloud, as far as we know. */
  readonly recorded: (who: Holder) => Promise<readonly Recorded[]>
  /** Path of the POST that reads a key again, or another request that does. */
  readonly refresh: (id: string) => string | Refresh
  /** Where the newest version of a key comes from. */
  readonly originOf?: (who: Holder, id: string) => Promise<string>
  readonly others: OtherPeople
  readonly verbs: Readonly<Record<string, Verb>>
}

import type { Context } from '../../../http/context.ts'
import type { Single } from '../../../http/decisions.ts'

/** A search for containers through one connection. */
export interface Search {
  /** id of the connection */
  readonly connection: string
  /** default: all regions that the connection reaches */
  readonly regions?: readonly string[] | undefined
  /** a role that the connection assumes first */
  readonly role?: string | undefined
}

/** A container as its cloud lists it. */
export interface FoundContainer {
  readonly name: string
  /** absent if containers of the cloud have no region, or several */
  readonly region?: string | undefined
  /** identifies the container among all of its cloud */
  readonly key: string
  /** the body of the single call that adds it; not validated yet */
  readonly body: unknown
}

/** A connection that can be searched. */
export interface Searched {
  readonly id: string
  readonly name: string
  readonly uri: string
}

/** How containers of one cloud are found and added: the field `discover` of its row. */
export interface Discovered {
  /** The single call that looks up containers. */
  readonly find: Single
  /** The single call that adds one. `summary`: its `<Verb> <Resource>` in audit records. */
  readonly add: Single & { readonly summary: string }
  /** The connection with an id or name, if it exists; without one, every connection to the cloud. */
  readonly connections: (context: Pick<Context, 'caller'>, named?: string) => Promise<readonly Searched[]>
  /** The parts of the cloud that are listed separately, such as projects. @throws Refusal CLOUD_… */
  readonly places: (context: Context, search: Search) => Promise<readonly string[]>
  /** @throws Refusal CLOUD_… */
  readonly containersIn: (context: Context, search: Search, place: string) => Promise<readonly FoundContainer[]>
  /** Whether the domain has a record of the container. */
  readonly isKnown: (context: Pick<Context, 'caller'>, key: string) => Promise<boolean>
  /** Validates the body and makes the single call. @throws Refusal as that call */
  readonly addOne: (context: Context, body: unknown) => Promise<unknown>
}

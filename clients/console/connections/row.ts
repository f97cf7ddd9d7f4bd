import type { AnswerOf, PathOf } from '../../sdk/calls.ts'
import type { Call } from '../calls.ts'
import type { FieldRow } from '../forms/fields.ts'

type ServiceOf<P> = P extends `/v1/connectionmgmt/services/${infer S}/connection-test` ? S : never

/** Services whose connections have fields of their own in the description. */
export type ConnectionService = Exclude<ServiceOf<PathOf<'post'>>, '{svc}'>

export type Connection = AnswerOf<'get', '/v1/connectionmgmt/connections'>['resources'][number]

/** A way in which the service proves its identity. */
export interface Way {
  readonly title: string
  readonly fields: readonly FieldRow[]
  /** members of the body that select this way */
  readonly adds?: Readonly<Record<string, unknown>>
  /** whether an existing connection uses this way; default: yes */
  readonly isOf?: (connection: Connection) => boolean
  /** the credentials are made when the connection is saved, so that it cannot be tested before */
  readonly isMadeHere?: boolean
}

/** A paragraph beside a form, with steps and a text to copy. */
export interface HelpBlock {
  readonly title: string
  readonly steps: readonly string[]
  readonly copy?: string
}

/** The step of a test that failed. */
export type TestStep = NonNullable<Connection['last_connection_failed_step']>

/** A kind of fault at a step, by the text of the cloud, with what the user can do. */
export interface FaultRow {
  readonly matches: RegExp
  readonly step: TestStep
  readonly next: readonly string[]
}

/** A container at the cloud, or a level above containers, which opens. */
export interface Found {
  readonly id: string
  readonly title: string
  readonly detail?: string
  readonly opens?: boolean
  /** already added here */
  readonly isAdded?: boolean
}

/** A selected container: the ids of the levels above it, and its own. */
export interface Ticked {
  readonly path: readonly string[]
  readonly id: string
}

/** The containers that a connection can see. */
export interface Finding {
  /** a container that can be selected, in the singular */
  readonly noun: string
  /** @param path ids of the opened levels; empty for the first level */
  readonly find: (connection: string, path: readonly string[], signal: AbortSignal) => Promise<readonly Found[]>
  /** shown where a level is empty */
  readonly nothing: string
  readonly fields?: readonly FieldRow[]
  readonly add: (connection: string, ticked: readonly Ticked[], body: Record<string, unknown>) => readonly Call[]
  /** names of the added containers, from the answer to a call of `add` */
  readonly namesIn: (answer: unknown) => readonly string[]
}

/** Everything that the console knows about connections to one service. */
export interface ConnectionRow {
  /** in the path of the API */
  readonly service: ConnectionService
  /** in addresses of the console */
  readonly name: string
  readonly title: string
  /** its purpose, in a sentence */
  readonly about: string
  /** before the ways; the name is the first field of every form */
  readonly fields: readonly FieldRow[]
  readonly ways: readonly Way[]
  /** after the ways */
  readonly rest: readonly FieldRow[]
  readonly help: readonly HelpBlock[]
  readonly faults: readonly FaultRow[]
  readonly finding?: Finding
}

/** All items of a list of a cloud that is read in parts. */
export async function whole<T>(
  ask: (next: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next?: string | undefined }>,
): Promise<readonly T[]> {
  const found: T[] = []
  let next: string | undefined
  do {
    const part = await ask(next)
    found.push(...part.items)
    next = part.next
  } while (next !== undefined)
  return found
}

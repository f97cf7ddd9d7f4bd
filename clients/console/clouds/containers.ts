import type { AnswerOf, PathOf } from '../../sdk/calls.ts'
import { callTo, type Call } from '../calls.ts'
import { WORK } from '../described.ts'
import type { Choice } from '../forms/fields.ts'
import type { Action, AddWay } from '../forms/actions.tsx'
import type { FilterRow } from '../list/filters.tsx'
import type { PageOf } from '../list/pages.ts'
import { firstOf, recordsAt, type Query } from '../service.ts'
import type { AttributeRow } from '../words/attributes.tsx'
import type { Tone } from '../words/states.tsx'
import type { CloudName, SynchronizedAt } from './cloud-name.ts'

interface Named {
  readonly name: CloudName
}
interface WithContainers extends Named {
  readonly containers: Pick<ContainersRow, 'synchronizedAt'>
}

/** A container in lists and titles. */
export interface ContainerSummary {
  readonly id: string
  readonly uri: string
  readonly name: string
  /** shown instead of a name that is a path */
  readonly title: string
  readonly state: string
  readonly tone: Tone
  readonly connection: string | undefined
  readonly place: string
  readonly readAt: string | undefined
}

/** A job that synchronizes the keys of containers. */
export type Synchronization = AnswerOf<'get', `/v1/keymgr/${SynchronizedAt}/synchronization-jobs/{id}`>

/** How the permissions of a container are changed. */
export interface PermissionsRow {
  readonly path: PathOf<'post'>
  /** what users and groups can be permitted in it */
  readonly actions: readonly string[]
}

/** Everything that the console knows about the containers of a cloud. For the methods, see `PlaceRow`. */
export interface ContainersRow<C = unknown> {
  /** name of a container, in the singular */
  readonly noun: string
  /** service and kind in their URIs */
  readonly uri: string
  /** in the path of the synchronizations of their keys */
  readonly synchronizedAt: SynchronizedAt
  readonly list: (query: Query, signal?: AbortSignal) => Promise<PageOf<C>>
  readonly get: (id: string, signal: AbortSignal) => Promise<C>
  summary(container: C): ContainerSummary
  attributes(container: C): readonly AttributeRow[]
  /** loads how its permissions are changed; absent where it has none */
  readonly permissions?: () => Promise<PermissionsRow>
  /** the member of keys and synchronizations that names their container */
  readonly keysBy: string
  /** the member of lines of reports that names their container; default: `keysBy` */
  readonly linesBy?: string
  readonly filters: readonly FilterRow[]
  /** after an action named `remove`, the list is shown */
  readonly actions: readonly Action<C>[]
  readonly add: AddWay
}

/** How the keys of a cloud are synchronized. */
export function synchronizationsOf({ name, containers: { synchronizedAt } }: WithContainers) {
  const listedAs = WORK[name].containers
  const at = `/v1/keymgr/${synchronizedAt}/synchronization-jobs` as const
  return {
    ...recordsAt(at),
    /** the member that names the containers in the body, the record and queries */
    listedAs,
    /** @param names default: all containers */
    start: (names?: readonly string[]): Call =>
      callTo('post', at, { body: names === undefined ? { synchronize_all: true } : { [listedAs]: names } }),
    cancel: (id: string): Call => callTo('post', `${at}/{id}/cancel`, { path: { id } }),
  }
}

/** Tests a connection to a cloud, by its name. */
export const testConnection = ({ name }: Named, id: string): Call =>
  callTo('post', `/v1/connectionmgmt/services/${name}/connections/{id}/test`, { path: { id }, body: {} })

/** Connections to a cloud, as choices. */
export const connectionsTo = (service: CloudName) => async (): Promise<readonly Choice[]> => {
  const { resources } = await firstOf('/v1/connectionmgmt/connections', { service: [service] })
  return resources.map(({ name }) => ({ value: name }))
}

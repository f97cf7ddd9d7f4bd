import type * as z from 'zod'
import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { UpdateAcls } from './acl-model.ts'
import { updateContainerAcls } from './change-container.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from './kind.ts'
import { getContainer, listContainers, type ContainerQuery } from './read-containers.ts'

/** The routes of a kind of container as a slice declares them. */
interface Declared<A, Q> {
  /** path of the list */
  readonly at: string
  /** singular in summaries, such as `Cloud-c Key Ring`, and plural */
  readonly noun: string
  readonly plural?: string
  readonly answers: A
  readonly query: Q
  /** the actions that its permissions can contain */
  readonly actions: readonly [string, ...string[]]
}

/** The routes of a kind of container: users see the containers that they may, administrators change them. */
export function containerRoutes<
  T extends StoredContainer,
  R extends ContainerRow & { id: string; name: string },
  A extends z.ZodType,
  Q extends z.ZodType<ContainerQuery>,
>(
  kind: ContainerKind<T, R, z.input<A>>,
  { at, noun, plural = `${noun}s`, answers, query, actions }: Declared<A, Q>,
): ReturnType<typeof routesOn<A>> & { readonly usual: readonly Route[] } {
  const on = routesOn({ at, answers, reads: 'keymgr-users', changes: 'keymgr-admins' })
  return {
    ...on,
    /** List, read, and change permissions. */
    usual: [
      on.list(`List ${plural}`, query, (context, asked) => listContainers(kind, context, asked)),
      on.get(`Get ${noun}`, (context, id) => getContainer(kind, context, id)),
      on.act(
        'update-acls',
        `Update ${noun} Permissions`,
        (context, id, body) => updateContainerAcls(kind, context, id, body),
        UpdateAcls(actions),
      ),
    ],
  }
}

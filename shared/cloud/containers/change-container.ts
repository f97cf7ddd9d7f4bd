import type { Context } from '../../http/context.ts'
import type { Refusal } from '../../base/errors.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Stored } from '../../store/entity.ts'
import type { AclChange, UpdateAcls } from './acl-model.ts'
import { permissionsAfter } from './change-acls.ts'
import { findContainer } from './find-container.ts'
import { changesTold, presented, type ContainerKind, type ContainerRow, type StoredContainer } from './kind.ts'

/** Stages the record of a new container. @param taken the refusal when another container has its name */
export function addContainer<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  { changes, caller, about }: Context,
  container: T,
  taken: (name: string) => Refusal,
): Stored<S> {
  changes.create(kind.entity, caller.domain.id, container, (_kind, name) => taken(name))
  about({ uri: container.uri, name: kind.nameOf(container), after: changesTold(kind, {}, container).after })
  return presented(kind, { item: container, rev: 1 })
}

/**
 * Changes a container that the caller may see.
 * @param change checks the change and returns the new record
 * @throws Refusal NOT_FOUND, VERSION_STALE, and as `change`
 */
export async function changeContainer<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  context: Context,
  id: string,
  change: (container: T) => T | Promise<T>,
): Promise<Stored<S>> {
  const { caller, changes, now, about } = context
  const stored = await findContainer(kind, context, id)
  assertIfMatch(context, stored)
  const { item: before, rev } = stored
  const after: T = { ...(await change(before)), updatedAt: now.toISOString() }
  changes.update(kind.entity, caller.domain.id, stored, after)
  about({ uri: after.uri, name: kind.nameOf(after), ...changesTold(kind, before, after), record: before })
  return presented(kind, { item: after, rev: rev + 1 })
}

/**
 * Permits and revokes actions, entry by entry.
 * @throws Refusal NOT_FOUND, also for a user or group that does not exist, VERSION_STALE, STATE_CONFLICT, RULE_BROKEN
 */
export const updateContainerAcls = <T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  context: Context,
  id: string,
  { acls: changes }: UpdateAcls,
): Promise<Stored<S>> =>
  changeContainer(kind, context, id, async (container): Promise<T> => {
    kind.assertActive?.(container)
    const kept = kind.kept ?? ((change: AclChange) => change)
    const acls = await permissionsAfter(context, container.acls, { acls: changes.map(kept) }, kind.viewOf)
    return { ...container, acls }
  })

/**
 * Removes a container's record; does not change the cloud.
 * @param check refuses while the container is needed, and stages the removal of dependent records
 * @throws Refusal NOT_FOUND, VERSION_STALE, and as `check`
 */
export async function removeContainer<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  context: Context,
  id: string,
  check: (container: T) => Promise<void>,
): Promise<void> {
  const stored = await findContainer(kind, context, id)
  const { item } = stored
  assertIfMatch(context, stored)
  await check(item)
  context.changes.remove(kind.entity, context.caller.domain.id, stored)
  context.about({ uri: item.uri, name: kind.nameOf(item), before: changesTold(kind, item, {}).before, record: item })
}

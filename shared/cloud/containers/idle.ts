import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { isWorkedOnInBulk } from '../../work/bulk/store.ts'
import { isReportedOn } from '../../work/report/store.ts'
import { openSagasIn } from '../../work/sagas/store.ts'
import { relyOnNoJob, synchronizationJobs } from '../../work/synchronize/store.ts'
import { called, type ContainerKind, type ContainerRow, type StoredContainer } from './kind.ts'

/**
 * Requires that no synchronization of a container runs, now and at the commit, and that no job or report works on its
 * keys. Ours: a job or report that begins at that very moment finds its keys deleted.
 * @throws Refusal IN_USE
 */
export async function assertIdle<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  container: T,
): Promise<void> {
  const domain = caller.domain.id
  const { id } = container
  const name = called(kind, container)
  if ((await synchronizationJobs.holder(domain, 'container', id)) !== undefined)
    throw new Refusal('IN_USE', `${name} is being synchronized: wait for the job or cancel it.`)
  if (await isWorkedOnInBulk(domain, id))
    throw new Refusal('IN_USE', `A bulk job works on keys of ${lowered(name)}: wait for it or cancel it.`)
  if (await isReportedOn(domain, id))
    throw new Refusal('IN_USE', `A report on ${lowered(name)} is under way: wait for it or delete it.`)
  relyOnNoJob(changes, domain, id)
}

/**
 * Checks that no saga is under way in a container, or in the part of it that is to be removed: a key being created
 * would remain at the cloud without a record. Ours: checked once. A saga that begins at that very moment is undone when
 * it is about to record its key; if the container is already deleted, only the mark on the cloud's key identifies its
 * owner.
 * @throws Refusal IN_USE
 */
export async function assertNoWork<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  { caller }: Pick<Context, 'caller'>,
  container: T,
): Promise<void> {
  if ((await openSagasIn(caller.domain.id, container.id)) === 0) return
  const name = lowered(called(kind, container))
  throw new Refusal('IN_USE', `Work on keys of ${name} is in progress or being undone: try again later, or cancel it.`)
}

/** The name as it appears within a sentence. */
const lowered = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`

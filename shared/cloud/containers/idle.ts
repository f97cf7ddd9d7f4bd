import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { isWorkedOnInBulk } from '../../work/bulk/store.ts'
import { isReportedOn } from '../../work/report/store.ts'
import { openSagasIn } from '../../work/sagas/store.ts'
import { relyOnNoJob, synchronizationJobs } from '../../work/synchronize/store.ts'
import { called, type ContainerKind, type ContainerRow, type StoredContainer } from './kind.ts'

/**
 * Lets a container be changed only while no synchronization of it runs, now and when the change is committed, and no job
 * or report works on its keys. Ours: a job or report that begins at that very moment finds its keys gone.
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
 * Lets a container, or a part of it, go only while no work of several calls is under way there: a key that is being made
 * would stay at the cloud without record. Ours: asked once. Work that begins at that very moment is taken back when it
 * comes to its record; in a container that is gone, only the mark on the key tells whose it is.
 * @throws Refusal IN_USE
 */
export async function assertNoWork<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  { caller }: Pick<Context, 'caller'>,
  container: T,
): Promise<void> {
  if ((await openSagasIn(caller.domain.id, container.id)) === 0) return
  const name = lowered(called(kind, container))
  throw new Refusal(
    'IN_USE',
    `Work on keys of ${name} is under way, or being taken back: try again later, or give it up.`,
  )
}

/** Within a sentence. */
const lowered = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`

import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { isWorkedOnInBulk } from '../../work/bulk/store.ts'
import { isReportedOn } from '../../work/report/store.ts'
import { openSagasIn } from '../../work/sagas/store.ts'
import { relyOnNoJob, synchronizationJobs } from '../../work/synchronize/store.ts'

/** @param called how a sentence speaks of the container: `The KMS entry main` */
type Container = { readonly id: string; readonly called: string }

/**
 * Lets a container be changed only while no synchronization of it runs, now and when the change is committed, and no job
 * or report works on its keys. Ours: one of those that begins at that very moment finds them gone.
 * @throws Refusal IN_USE
 */
export async function assertIdle(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  { id, called }: Container,
): Promise<void> {
  const domain = caller.domain.id
  if ((await synchronizationJobs.holder(domain, 'container', id)) !== undefined)
    throw new Refusal('IN_USE', `${called} is being synchronized: wait for the job or cancel it.`)
  if (await isWorkedOnInBulk(domain, id))
    throw new Refusal('IN_USE', `A bulk job works on keys of ${lowered(called)}: wait for it or cancel it.`)
  if (await isReportedOn(domain, id))
    throw new Refusal('IN_USE', `A report on ${lowered(called)} is under way: wait for it or delete it.`)
  relyOnNoJob(changes, domain, id)
}

/**
 * Lets a container, or a part of it, be left only while nothing is under way there that has several calls to make: a key
 * that is being made would stay at the cloud without record. Ours: asked once. Work that begins at that very moment is
 * taken back when it comes to its record, but in a container that is gone, where only the mark tells whose key it is.
 * @throws Refusal IN_USE
 */
export async function assertNoWork({ caller }: Pick<Context, 'caller'>, { id, called }: Container): Promise<void> {
  if ((await openSagasIn(caller.domain.id, id)) === 0) return
  throw new Refusal('IN_USE', `Work on keys of ${lowered(called)} is under way, or being taken back: try again later.`)
}

/** Within a sentence. */
const lowered = (called: string): string => `${called.charAt(0).toLowerCase()}${called.slice(1)}`

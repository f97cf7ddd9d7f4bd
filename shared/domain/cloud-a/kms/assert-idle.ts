import type { Context } from '../../../context.ts'
import { Refusal } from '../../../errors.ts'
import type { StoredCloudAKms } from '../../../store/cloud-a-kms.ts'
import { isWorkedOnInBulk } from '../../../store/bulk-job.ts'
import { openSagasIn } from '../../../store/saga.ts'
import { relyOnNoJob, synchronizationJobs } from '../../../store/synchronization.ts'

/**
 * Lets an entry be changed only while no synchronization of it runs, now and when the change is committed, and no bulk
 * job works on its keys. Ours: a bulk job that begins at that very moment finds them gone.
 * @throws Refusal IN_USE
 */
export async function assertIdle({ caller, changes }: Context, { id, name }: StoredCloudAKms): Promise<void> {
  const domain = caller.domain.id
  if ((await synchronizationJobs.holder(domain, 'container', id)) !== undefined)
    throw new Refusal('IN_USE', `The KMS entry ${name} is being synchronized: wait for the job or cancel it.`)
  if (await isWorkedOnInBulk(domain, id))
    throw new Refusal('IN_USE', `A bulk job works on keys of the KMS entry ${name}: wait for it or cancel it.`)
  relyOnNoJob(changes, domain, id)
}

/**
 * Lets an entry, or a region of it, be left only while nothing is under way there that has several calls to make: a key
 * that is being made would stay at the cloud without record. Ours: asked once. Work that begins at that very moment is
 * taken back when it comes to its record, but in an entry that is deleted, where only the mark tells whose key it is.
 * @throws Refusal IN_USE
 */
export async function assertNoWork({ caller }: Pick<Context, 'caller'>, { id, name }: StoredCloudAKms): Promise<void> {
  if ((await openSagasIn(caller.domain.id, id)) === 0) return
  throw new Refusal(
    'IN_USE',
    `Work on keys of the KMS entry ${name} is under way, or being taken back: try again later.`,
  )
}

import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { BulkJob, type BulkJobQuery, type CreateBulkJob } from './model.ts'
import { cloudA } from '../cloud.ts'
import { bulkJobs, jobsAskedBy, type StoredBulkJob } from '../../../work/bulk/store.ts'
import { cloudAKeys, type StoredCloudAKey } from '../keys/store.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { beginAfterwards, stageJobs } from '../../../work/bulk/stage-jobs.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { listed, type ResourceList } from '../../../http/listed.ts'
import { assertActive } from '../kms/kms-kind.ts'
import { viewOfKey } from '../keys/key-rules.ts'
import { findTemplateFor } from '../keys/policy-inputs.ts'
import { CLOUD_A_BULK } from './bulk-verbs.ts'

const present = ({ item, rev }: Stored<StoredBulkJob>): Stored<BulkJob> => ({ item: BulkJob.parse(item), rev })

/** A job's operation and its keys. */
type Particulars = Pick<StoredBulkJob, 'operation' | 'keys' | 'container_ids' | 'days' | 'policy_template_id'>

/** Stages jobs in the caller's name, and begins with them once they are committed. */
export const stageBulkJobs = (context: Context, wanted: readonly Particulars[]): Stored<BulkJob>[] =>
  stageJobs(
    context,
    wanted.map((particulars) => ({ ...particulars, cloud_name: 'cloud-a' })),
  ).map(present)

interface KeyHere {
  readonly key: StoredCloudAKey
  readonly kms: StoredCloudAKms
}

/** The keys a body names, with their containers. @throws Refusal NOT_FOUND pointing at every one the caller cannot see */
async function keysNamed({ caller }: Context, ids: readonly string[]): Promise<KeyHere[]> {
  const domain = caller.domain.id
  const keys = new Map((await cloudAKeys.getMany(domain, ids)).map(({ item }) => [item.id, item]))
  const kmsIds = [...new Set([...keys.values()].map(({ kms_id }) => kms_id))]
  const kms = new Map((await cloudAKms.getMany(domain, kmsIds)).map(({ item }) => [item.id, item]))
  const found = ids.map((id) => {
    const key = keys.get(id)
    const container = key && kms.get(key.kms_id)
    return key && container && may(caller, container, viewOfKey(key)) ? { key, kms: container } : undefined
  })
  const errors = found.flatMap((one, at): BrokenField[] =>
    one === undefined ? [{ pointer: `#/keys/${at}`, detail: 'is not there' }] : [],
  )
  if (errors.length > 0) throw new Refusal('NOT_FOUND', 'Not every key is there.', { errors })
  return found.filter((one) => one !== undefined)
}

/**
 * Does the same to many keys, in the caller's name, after the request. What can be told of a key only when its turn
 * comes stands in the job then.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT for an archived container, RULE_BROKEN
 */
export async function createBulkJob(context: Context, body: CreateBulkJob): Promise<Stored<BulkJob>> {
  const { operation, keys, policy_template_id } = body
  const here = await keysNamed(context, keys)
  const containers = [...new Map(here.map(({ kms }) => [kms.id, kms])).values()]
  for (const { key, kms } of here) {
    assertMay(context.caller, kms, 'keybulkoperation')
    assertMay(context.caller, kms, CLOUD_A_BULK[operation].may(key))
  }
  for (const kms of containers) {
    assertActive(kms)
    if (policy_template_id !== undefined)
      await findTemplateFor(context, kms, policy_template_id, '#/policy_template_id')
  }
  const [job] = stageBulkJobs(context, [{ ...body, container_ids: containers.map(({ id }) => id) }])
  if (job === undefined) throw new Error('One job was staged')
  tell(context, job.item)
  return job
}

function tell({ about }: Context, job: BulkJob, before?: BulkJob): void {
  const told = ({ operation, keys, overall_status, abort }: BulkJob) => ({ operation, keys, overall_status, abort })
  about({ uri: job.uri, name: job.operation, ...(before && { before: told(before) }), after: told(job) })
}

/** Ours: administrators see every job, everybody else those they asked for. @throws Refusal NOT_FOUND */
async function findJob({ caller }: Context, id: string): Promise<Stored<StoredBulkJob>> {
  const stored = await bulkJobs.get(caller.domain.id, id)
  const isSeen = isKeymgrAdmin(caller) || stored?.item.asker.sub === caller.sub
  if (stored?.item.cloud_name !== 'cloud-a' || !isSeen) throw new Refusal('NOT_FOUND', 'There is no such bulk job.')
  return stored
}

/** @throws Refusal NOT_FOUND */
export const getBulkJob = async (context: Context, id: string): Promise<Stored<BulkJob>> =>
  present(await findJob(context, id))

export const listBulkJobs = ({ caller }: Context, query: BulkJobQuery): Promise<ResourceList<BulkJob>> =>
  listed(bulkJobs, caller.domain.id, query, {
    served: isKeymgrAdmin(caller) ? cloudA.name : jobsAskedBy(caller.sub),
    filters: { id: query.id, overall_status: query.overall_status, operation: query.operation },
    order: 'newest first',
    present: (stored) => present(stored).item,
  })

/**
 * Keys that have not had their turn are left alone. A job that is being worked on ends after the key at hand, any other
 * with this request.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT when it is over
 */
export async function cancelBulkJob(context: Context, id: string): Promise<Stored<BulkJob>> {
  const { caller, changes, now } = context
  const stored = await findJob(context, id)
  const { item: before, rev } = stored
  if (before.overall_status !== 'in_progress')
    throw new Refusal('STATE_CONFLICT', `The bulk job is ${before.overall_status} already.`)
  const at = now.toISOString()
  const isHeld = Date.parse(before.heldUntil) > now.getTime()
  const after: StoredBulkJob = { ...before, abort: true, updatedAt: at, dueAt: isHeld ? before.dueAt : at }
  if (!isHeld) beginAfterwards(context, [after])
  changes.update(bulkJobs, caller.domain.id, stored, after)
  const shown = present({ item: after, rev: rev + 1 })
  tell(context, shown.item, present(stored).item)
  return shown
}

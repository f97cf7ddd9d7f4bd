import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import { BulkJob, type CreateBulkJob } from './model.ts'
import { cloudJobs } from '../../../work/bulk/cloud-jobs.ts'
import { cloudAKeys, type StoredCloudAKey } from '../keys/store.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import { assertActive } from '../kms/kind.ts'
import { viewOfKey } from '../keys/key-rules.ts'
import { findTemplateFor } from '../keys/policy-inputs.ts'
import { CLOUD_A_BULK } from '../bulk.ts'
import { NAME } from '../name.ts'

const jobs = cloudJobs(NAME, (job) => BulkJob.parse(job))
export const { stage: stageBulkJobs, get: getBulkJob, list: listBulkJobs, cancel: cancelBulkJob } = jobs

interface KeyHere {
  readonly key: StoredCloudAKey
  readonly kms: StoredCloudAKms
}

/**
 * The keys that a body names, with their containers. @throws Refusal NOT_FOUND pointing at every key that the caller
 * cannot see
 */
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
 * Applies the same action to many keys, in the caller's name, after the request. Refusals of a single key appear in the
 * job.
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
  return jobs.create(context, {
    ...without(body, 'keys'),
    members: here.map(({ key }) => ({ id: key.id, record: key })),
    container_ids: containers.map(({ id }) => id),
  })
}

import { CloudAKey } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import type { CloudAKms } from '../../../../shared/clouds/cloud-a/kms/model.ts'
import { PolicyTemplate } from '../../../../shared/clouds/cloud-a/templates/model.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import { SynchronizationJob } from '../../../../shared/work/synchronize/model.ts'
import { CLOUD_A, runBulkJob, tagOf } from './container-steps.ts'
import { remove } from '../demo.ts'
import { assertTold } from '../failure.ts'
import { get, KEYS, shownKey } from './key-steps.ts'
import { passDaysOf, type CloudADemo } from './cloud-a-demo.ts'

const JOBS = `${CLOUD_A}/synchronization-jobs`
/** The shortest waiting period of the cloud before a key is deleted. */
const WAITING_DAYS = 7

/** Deletes a key and creates another one at the cloud, without keymgr. @returns the cloud's id of the new key */
export async function changeAtTheCloud(demo: CloudADemo, lost: CloudAKey): Promise<string> {
  const { narrator, cloud, name } = demo
  const passDays = passDaysOf(demo)
  narrator.step('Another user of the cloud deletes one key and makes another')
  await cloud.scheduleDeletion(lost.cloud_a_param.KeyID, WAITING_DAYS)
  if (passDays) {
    passDays(WAITING_DAYS + 1)
    narrator.note(`The clock is moved on by ${WAITING_DAYS + 1} days: that key is deleted, and our token has expired.`)
    await demo.logIn()
  }
  return cloud.createKey(`${name}-found`, [tagOf(demo)])
}

/** Synchronizes the container and checks the changes. */
export async function synchronize(
  demo: CloudADemo,
  kms: CloudAKms,
  { lost, found }: { readonly lost: CloudAKey; readonly found: string },
): Promise<void> {
  const { narrator, service } = demo
  const passDays = passDaysOf(demo)
  narrator.step('Refresh: a synchronization job reads all keys of the entry')
  const { id } = await service.call('POST', JOBS, {
    body: { kms: [kms.name] },
    answers: SynchronizationJob,
    shows: ({ id, overall_status }) => ({ id, overall_status }),
  })
  const job = await service.until(`${JOBS}/${id}`, {
    answers: SynchronizationJob,
    isThere: ({ overall_status }) => overall_status !== 'in_progress',
    shows: ({ overall_status, detailed_status, added, updated, gone }) => ({
      overall_status,
      detailed_status,
      added,
      updated,
      gone,
    }),
  })
  assertTold(job.overall_status === 'completed', 'the synchronization is completed')
  assertTold(job.added >= 1, 'it found the new key')
  const { resources } = await service.call('GET', `${KEYS}?keyid=${found}&kms=${kms.name}`, {
    answers: listOf(CloudAKey),
    shows: ({ total, resources }) => ({ total, ...(resources[0] && shownKey(resources[0])) }),
  })
  assertTold(resources[0]?.key_material_origin === 'native', "the key made behind keymgr's back has a record")
  const after = await get(demo, lost, ({ gone, cloud_a_param: { KeyState } }) => (gone ? { gone } : { KeyState }))
  if (passDays === undefined)
    return assertTold(after.cloud_a_param.KeyState === 'PendingDeletion', 'the key that will go waits for its deletion')
  assertTold(after.gone, 'the key that was deleted at the cloud is gone')
  await remove(demo, `${KEYS}/${lost.id}`)
}

/** Creates a policy template and applies it to a key. */
export async function putTemplate(
  { narrator, service, name }: CloudADemo,
  kms: CloudAKms,
  { users, key }: { readonly users: readonly string[]; readonly key: CloudAKey },
): Promise<PolicyTemplate> {
  narrator.step('Make a policy template, and put it on the new key')
  const made = await service.call('POST', `${CLOUD_A}/templates`, {
    body: { name, kms: kms.name, key_users: users.slice(0, 1) },
    answers: PolicyTemplate,
    shows: ({ id, key_users, is_verified }) => ({ id, key_users, is_verified }),
  })
  const { policy_template_id } = await service.call('POST', `${KEYS}/${key.id}/policy`, {
    body: { policytemplate: made.id },
    answers: CloudAKey,
    shows: (changed) => ({
      policy_template_id: changed.policy_template_id,
      Tags: changed.cloud_a_param.Tags.map(({ TagKey }) => TagKey),
    }),
  })
  assertTold(policy_template_id === made.id, 'the key says which template made its policy')
  const template = await service.call('GET', `${CLOUD_A}/templates/${made.id}`, {
    answers: PolicyTemplate,
    shows: ({ is_verified }) => ({ is_verified }),
  })
  assertTold(template.is_verified, 'the cloud took the template for a key, so it is verified')
  return template
}

/** Applies the template to many keys, one after the other. */
export async function applyToMany(demo: CloudADemo, template: PolicyTemplate, kms: CloudAKms): Promise<void> {
  const { narrator, service } = demo
  narrator.step('Put it on all native keys in one bulk job')
  const tags = encodeURIComponent(`demo=${demo.name}`)
  const query = `kms=${kms.name}&tags=${tags}&origin=CLOUD_A_KMS&key_state=Enabled`
  const { resources } = await service.call('GET', `${KEYS}?${query}`, {
    answers: listOf(CloudAKey),
    shows: ({ total }) => ({ total }),
  })
  const keys = resources.map(({ id }) => id)
  const job = await runBulkJob(demo, { operation: 'applypolicytemplate', policy_template_id: template.id, keys })
  assertTold(
    keys.every((id) => job.detailed_status[id] === 'Success'),
    'each key has the policy',
  )
}

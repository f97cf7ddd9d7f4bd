import { expect, test } from 'vitest'
import { CLOUD_A, keysOf, REGION, useCloudA } from './cloud-a.ts'

const JOBS = `${CLOUD_A}/synchronization-jobs`
const tests = useCloudA({ flowPauseMs: () => 1 })

async function synchronize(): Promise<any> {
  const { admin, service } = tests()
  const { id } = await admin.ok('POST', JOBS, { kms: ['main'], regions: [REGION] })
  await service.deployment.flows.idle()
  return admin.ok('GET', `${JOBS}/${id}`)
}

test('a key whose description keeps failing is finally skipped, and read again when possible', async () => {
  const { cloud, admin } = tests()
  const { id, cloud_a_param } = await keysOf(admin).create({})
  const { KeyID } = cloud_a_param
  cloud.inject({ fault: 'server-error', operation: 'DescribeKey', when: ({ KeyId }) => KeyId === KeyID })
  const job = await synchronize()
  expect(job).toMatchObject({ overall_status: 'completed', unread: 1, errors: [expect.stringContaining(KeyID)] })
  expect(await keysOf(admin).get(id)).toMatchObject({ unread: ['key'] })
  cloud.reset()
  expect(await synchronize()).toMatchObject({ overall_status: 'completed' })
  expect(await keysOf(admin).get(id)).not.toHaveProperty('unread')
})

import { expect, test } from 'vitest'
import { KEYS, useDatacust } from '../datacust-data/datacust-data.ts'

const datacust = useDatacust()
const CONFIGS = '/v1/scheduler/job-configs'

test('a rotation job of the cloud gives a joined external key a new version', async () => {
  const { admin } = datacust().vault
  const key = await datacust().key(await datacust().store())
  const { id: job_config_id } = await admin.ok('POST', CONFIGS, {
    name: 'external keys',
    operation: 'keymgr_key_rotation',
    run_at: '0 3 1 1 *',
    keymgr_key_rotation_params: { cloud_name: 'datacust' },
  })
  expect(await datacust().acts(KEYS, key, 'enable-auto-rotation', { job_config_id })).toMatchObject({
    auto_rotate: true,
    labels: { job_config_id },
  })
  expect((await admin.call('DELETE', `${CONFIGS}/${job_config_id as string}`)).status).toBe(409)
  await admin.ok('POST', `${CONFIGS}/${job_config_id as string}/run-now`)
  const versions = async () => (await admin.ok('GET', `${KEYS}/${key.id as string}`)).version_count
  await expect.poll(versions, { timeout: 20_000 }).toBe(2)
  expect(await datacust().acts(KEYS, key, 'disable-auto-rotation')).toMatchObject({ auto_rotate: false })
})

import { beforeAll, expect, test } from 'vitest'
import { cloudAOf, keysOf as cloudAKeys, OTHER_REGION, type CloudATests } from '../cloud-a/cloud-a.ts'
import { keysOf as cloudCKeys, useCloudC } from '../cloud-c/cloud-c.ts'
import { expectRefused, HOUR } from '../vault/vault.ts'

/** A blocked container receives no material of a local key, by any operation. */
const tests = useCloudC()
let cloudA: CloudATests
let keysA: ReturnType<typeof cloudAKeys>
let keysC: ReturnType<typeof cloudCKeys>

const BLOCKS = '/v1/emergency/blocks'
const block = (target: string): Promise<any> =>
  tests().admin.ok('POST', BLOCKS, {
    ...{ kind: 'container', target, reason: 'leaked', until: tests().at(HOUR), confirmers: ['confirmer'] },
  })

beforeAll(async () => {
  cloudA = await cloudAOf(tests(), 'account')
  await tests().user('confirmer', [])
  for (const name of ['one', 'two']) await tests().admin.create({ name, algorithm: 'aes', usageMask: 76 })
  keysA = cloudAKeys(tests().admin)
  keysC = cloudCKeys(tests().admin)
})

test('cloud-a: keys are not uploaded, filled, rotated or replicated with local material', async () => {
  const waits = await keysA.create({ cloud_a_param: { Origin: 'EXTERNAL' } })
  const filled = await keysA.upload({ source_key_identifier: 'one' })
  const param = { MultiRegion: true }
  const primary = await keysA.upload({ source_key_identifier: 'one', cloud_a_param: param })
  await block(cloudA.kms.id as string)
  const source = { source_key_identifier: 'two' }
  expectRefused(await keysA.tryUpload(source), 409, 8)
  expectRefused(await keysA.tryAct(waits.id, 'import-material', source), 409, 8)
  expectRefused(await keysA.tryAct(filled.id, 'rotate-material', source), 409, 8)
  expectRefused(await keysA.tryAct(filled.id, 'rotate', { source_key_id: 'two' }), 409, 8)
  expectRefused(await keysA.tryAct(primary.id, 'replicate-key', { replica_region: OTHER_REGION }), 409, 8)
  await keysA.create({}) // the cloud generates its material
  await keysA.act(filled.id, 'disable')
})

test('cloud-c: keys are not uploaded, and versions are not added with local material', async () => {
  const key = await keysC.upload('before', 'one')
  await block(tests().ring.id as string)
  expectRefused(await keysC.tryUpload('after', 'two'), 409, 8)
  const version = { source_key_id: 'two', source_key_tier: 'local' }
  expectRefused(await keysC.tryAct(key.id, 'versions', version), 409, 8)
  await keysC.addVersion((await keysC.create('native')).id)
  const { state } = await tests().admin.get('two')
  expect(state).toBe('Active')
})

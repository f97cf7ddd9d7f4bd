import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { beforeAll } from 'vitest'
import { keysOf, REGION, useCloudA } from '../cloud-a.ts'

export const cloudA = useCloudA()
export let keys: ReturnType<typeof keysOf>
/** Exportable, for symmetric use. */
const USE = 76
const aes = randomBytes(32)
export const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

beforeAll(async () => {
  keys = keysOf(cloudA().admin)
  const { admin } = cloudA()
  await admin.create({ name: 'aes', algorithm: 'aes', material: aes.toString('hex'), usageMask: USE })
  const material = pair.privateKey.export({ format: 'pem', type: 'pkcs8' })
  await admin.create({ name: 'ec', algorithm: 'ec', material, usageMask: 67 })
})

export const native = (cloud_a_param: object = {}, more: object = {}): Promise<any> =>
  keys.create({ cloud_a_param, ...more })
export const uploaded = (cloud_a_param: object = {}): Promise<any> =>
  keys.upload({ source_key_identifier: 'aes', cloud_a_param })
/** A key that the cloud no longer has, according to its record. */
export async function goneKey(): Promise<any> {
  const key = await native()
  cloudA().cloud.forget(cloudA().account.id, REGION, key.cloud_a_param.KeyID as string)
  return keys.act(key.id as string, 'refresh')
}

import { expect, test } from 'vitest'
import { CLOUD_B, CONNECTIONS, connectionBody, refused, SUBSCRIPTION, useCloudB } from './cloud-b.ts'

const tests = useCloudB()
const PATH = `${CONNECTIONS}/certified`
const KEY = { key_name: 'through-certificate', key_vault: 'shop-plain', cloud_b_param: { kty: 'EC' } }

const proved = (): Promise<any> => tests().admin.ok('POST', `${PATH}/test`)
const ask = (path: string, body: object) => tests().admin.call('POST', `${CLOUD_B}/${path}`, body)
/** Registers the connection's certificate in the cloud, as its administrator would. */
async function register(): Promise<void> {
  const { client_id, certificate } = await tests().admin.ok('GET', PATH)
  tests().cloud.registerCertificate(client_id as string, certificate as string)
}

test('a connection by a certificate works from its registration at the cloud on, until the next certificate', async () => {
  const { admin, cloud } = tests()
  const own = { client_secret: undefined, is_certificate_used: true, cert_duration: 10 }
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'certified', own))
  const unregistered = {
    connection_ok: false,
    connection_error: expect.stringMatching(/^Cloud-b refused: AADSTS700027: .* not registered on application/),
  }
  expect(await proved()).toEqual(unregistered)
  expect(await admin.ok('GET', PATH)).toMatchObject({ ready: false, last_connection_ok: false })
  const vaults = { connection: 'certified', subscription_id: SUBSCRIPTION, vaults: [{ name: 'shop-plain' }] }
  const { detail } = await refused(ask('add-vaults', vaults), 422, 2, ['#/connection'])
  expect(detail).toContain('AADSTS700027')
  await register()
  expect(await proved()).toEqual({ connection_ok: true })
  expect((await ask('add-vaults', vaults)).status).toBe(201)
  const key = await admin.ok('POST', `${CLOUD_B}/keys`, KEY)
  expect(key).toMatchObject({ status: 'ACTIVE', version: cloud.keyOf(KEY.key_vault, KEY.key_name)?.versions[0]?.id })

  await admin.ok('PATCH', PATH, { cert_duration: 20 })
  expect(await proved()).toEqual(unregistered)
  const denied = await refused(ask('keys', KEY), 502, 16, [])
  expect(denied.detail).toContain('AADSTS700027')
  await register()
  expect(await proved()).toEqual({ connection_ok: true })
  expect(await admin.ok('POST', `${CLOUD_B}/keys`, KEY)).toMatchObject({ is_latest: true })
  expect(cloud.keyOf(KEY.key_vault, KEY.key_name)?.versions).toHaveLength(2)
})

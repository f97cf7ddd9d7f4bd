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
    connection_failed_step: 'log_in',
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

const CSR = '/v1/connectionmgmt/connections/csr'

/** A certificate that an authority of the organization signs for a request. */
async function signedFor(csr: string): Promise<string> {
  const { admin } = tests()
  const at = '/v1/ca/local-cas'
  const { id } = await admin.ok('POST', at, { cn: 'Office' })
  await admin.ok('POST', `${at}/${id}/self-sign`, {})
  return (await admin.ok('POST', `${at}/${id}/certs`, { csr, purpose: 'client' })).cert
}

test('a certificate that an authority signs for a request replaces the secret, and later a secret replaces it', async () => {
  const { admin, cloud } = tests()
  const path = `${CONNECTIONS}/signed`
  const { client_id, client_secret } = connectionBody(cloud, 'signed') as any
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'signed'))
  const certificate = await signedFor((await admin.ok('POST', CSR, { cn: 'keymgr' })).csr)
  cloud.registerCertificate(client_id as string, certificate)
  const signed = await admin.ok('PATCH', path, { certificate })
  expect(signed).toMatchObject({ is_certificate_used: true, external_certificate_used: true, certificate })
  expect(signed.certificate_thumbprint).toMatch(/^[0-9A-F]{40}$/)
  expect(signed).not.toHaveProperty('cert_duration')
  expect(await admin.ok('POST', `${path}/test`)).toEqual({ connection_ok: true })

  const other = await admin.ok('PATCH', path, { description: 'unchanged access', certificate })
  expect(other).toMatchObject({ certificate, last_connection_ok: true })
  await refused(admin.call('PATCH', path, { cert_duration: 5 }), 422, 2, ['#/client_secret', '#/cert_duration'])

  const back = await admin.ok('PATCH', path, { client_secret })
  expect(back).toMatchObject({ is_certificate_used: false, external_certificate_used: false })
  expect(back).not.toHaveProperty('certificate')
  expect(await admin.ok('POST', `${path}/test`)).toEqual({ connection_ok: true })
})

test('a certificate without a request of this service, or beside a secret, is refused', async () => {
  const { admin, cloud } = tests()
  const made = await admin.ok('POST', CONNECTIONS, {
    ...connectionBody(cloud, 'own', { client_secret: undefined, is_certificate_used: true }),
  })
  const body = connectionBody(cloud, 'refused', { client_secret: undefined })
  const create = (more: object) => admin.call('POST', CONNECTIONS, { ...body, ...more })
  await refused(create({ certificate: made.certificate }), 422, 2, ['#/certificate'])
  await refused(create({ certificate: 'no certificate' }), 422, 2, ['#/certificate'])
  await refused(create({ certificate: made.certificate, client_secret: 'x' }), 422, 2, ['#/client_secret'])
  await refused(create({ server_cert: 'x', client_secret: 'x' }), 501, 19, ['#/server_cert'])
})

import { expect, test } from 'vitest'
import { CONNECTIONS, connectionBody, refused, useCrm } from './crm.ts'

const crm = useCrm()
const OWN_DOMAIN = { login_host: 'https://other.my.salesforce.com' }

test.each([
  ['another log-in host', OWN_DOMAIN],
  ['another app', { client_id: 'another.app' }],
  ['another edition', { cloud_name: 'sandbox' }],
])('%s needs the secrets again, so that no saved one is sent there', async (_what, change) => {
  const { admin, cloud } = crm()
  const [name] = Object.keys(change)
  const at = `${CONNECTIONS}/${name ?? ''}`
  const { client_secret, password, ...body } = connectionBody(cloud, name ?? '')
  await admin.ok('POST', CONNECTIONS, { ...body, client_secret, password })
  const calls = cloud.calls().length
  await refused(admin.call('PATCH', at, change), 422, 2, ['#/client_secret'])
  await refused(admin.call('POST', `${at}/test`, change), 422, 2, ['#/client_secret'])
  expect(cloud.calls()).toHaveLength(calls)
  const { client_id, cloud_name } = body
  expect(await admin.ok('PATCH', at, { client_id, cloud_name, wrap_hash: 'SHA1' })).toMatchObject({ client_id })
  expect(await admin.ok('PATCH', at, { ...change, client_secret, password })).toMatchObject(change)
})

test('a connection by certificate may change its log-in host, since its key is not sent', async () => {
  const { admin, cloud } = crm()
  const { client_secret: _secret, password: _password, ...body } = connectionBody(cloud, 'certified')
  await admin.ok('POST', CONNECTIONS, { ...body, is_certificate_used: true })
  expect(await admin.ok('PATCH', `${CONNECTIONS}/certified`, OWN_DOMAIN)).toMatchObject(OWN_DOMAIN)
})

test('a log-in host is without a path', async () => {
  const body = { ...connectionBody(crm().cloud, 'path'), login_host: `${OWN_DOMAIN.login_host}/a/path` }
  await refused(crm().admin.call('POST', CONNECTIONS, body), 422, 2, ['#/login_host'])
})

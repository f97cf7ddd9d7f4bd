import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { PFX } from '../../infra/simulators/cloud-b/certificates/pfx-file.ts'
import { CLOUD_B, refused, useCloudB, VAULT, VAULTS } from './cloud-b.ts'
import { atCloud, synchronized } from './other-people.ts'

const tests = useCloudB({ flowPauseMs: () => 1 })
const CERTIFICATES = `${CLOUD_B}/certificates`
const IMPORT = `${CERTIFICATES}/import`

const POLICY = {
  issuer: { name: 'Self' },
  key_props: { kty: 'EC', crv: 'P-256', exportable: false, reuse_key: false },
  secret_props: { contentType: 'application/x-pkcs12' },
  x509_props: { subject: 'CN=shop.example', sans: { dns_names: ['a.example'] }, validity_months: 6 },
  lifetime_actions: [{ trigger: { days_before_expiry: 30 }, action: { action_type: 'EmailContacts' } }],
}
const bodyOf = (cert_name: string, policy: object = {}, more: object = {}) => ({
  cert_name,
  key_vault: VAULT,
  cloud_b_param: { policy: { ...POLICY, ...policy }, ...more },
})
const pfxOf = (cert_name: string, more: object = {}) => ({
  ...{ cert_name, key_vault: VAULT, pfx: PFX.base64, password: PFX.password },
  ...more,
})
const ask = (method: string, path: string, body?: unknown) => tests().admin.call(method, path, body)
const create = (name: string): Promise<any> => tests().admin.ok('POST', CERTIFICATES, bodyOf(name))
const act = (id: string, action: string): Promise<any> => tests().admin.ok('POST', `${CERTIFICATES}/${id}/${action}`)
const get = (id: string): Promise<any> => tests().admin.ok('GET', `${CERTIFICATES}/${id}`)
const list = async (query: string): Promise<any[]> =>
  (await tests().admin.ok('GET', `${CERTIFICATES}?limit=-1&${query}`)).resources

test('a certificate is issued as its policy says', async () => {
  const { admin, vault, records } = tests()
  const made = await admin.ok('POST', CERTIFICATES, bodyOf('issued', {}, { tags: { team: 'shop' } }))
  expect(made).toMatchObject({
    cert_name: 'issued',
    key_vault: VAULT,
    key_vault_id: vault.id,
    is_latest: true,
    status: 'ACTIVE',
    gone: false,
    azure_expire_at: expect.any(String),
    cloud_b_param: {
      id: `https://${VAULT}.vault.azure.net/certificates/issued/${made.version}`,
      kid: `https://${VAULT}.vault.azure.net/keys/issued/${made.version}`,
      sid: `https://${VAULT}.vault.azure.net/secrets/issued/${made.version}`,
      attributes: { enabled: true },
      tags: { team: 'shop' },
      policy: { issuer: { name: 'Self' }, lifetime_actions: POLICY.lifetime_actions },
    },
  })
  expect(made).not.toHaveProperty('key_material_origin')
  const certificate = new X509Certificate(Buffer.from(made.cloud_b_param.cer, 'base64'))
  expect([certificate.subject, certificate.subjectAltName]).toEqual(['CN=shop.example', 'DNS:a.example'])
  expect(certificate.fingerprint.replaceAll(':', '').toLowerCase()).toBe(made.cloud_b_param.x5t)
  expect(await get(made.id)).toEqual(made)
  expect(await records(`resource_uri=${made.uri}`)).toMatchObject([
    { success: true, message: 'Create Cloud-b Certificate' },
  ])
})

test('a certificate that waits for its issuer is on record without its content', async () => {
  const { admin, cloud } = tests()
  const waiting = await admin.ok('POST', CERTIFICATES, bodyOf('waiting', { issuer: { name: 'Unknown' } }))
  expect(waiting).toMatchObject({ status: 'ACTIVE', cloud_b_param: { attributes: { enabled: false } } })
  expect(waiting.cloud_b_param).not.toHaveProperty('cer')
  await synchronized(tests(), `${CERTIFICATES}/synchronization-jobs`, { key_vaults: [VAULT] })
  expect(await get(waiting.id)).toMatchObject({ status: 'ACTIVE', gone: false })
  const x5c = [cloud.issueFor(VAULT, 'waiting').toString('base64')]
  await atCloud(cloud, VAULT, 'POST', '/certificates/waiting/pending/merge', { x5c })
  const issued = await act(waiting.id, 'refresh')
  expect(issued).toMatchObject({ version: waiting.version, cloud_b_param: { cer: x5c[0] } })
  expect((await list('cert_name=waiting')).map(({ id }) => id)).toEqual([waiting.id])
})

test('a PFX imports its certificate, and is stored nowhere', async () => {
  const { admin } = tests()
  const body = pfxOf('imported', { cloud_b_param: { attributes: { enabled: false }, tags: { from: 'file' } } })
  const made = await admin.ok('POST', IMPORT, body)
  expect(made.cloud_b_param).toMatchObject({ attributes: { enabled: false }, tags: { from: 'file' } })
  const { subject } = new X509Certificate(Buffer.from(made.cloud_b_param.cer, 'base64'))
  expect(subject).toBe('CN=shop.example\nO=Shop')
  const shown = JSON.stringify([made, await admin.ok('GET', '/v1/audit/records?limit=-1')])
  for (const secret of [PFX.base64, 'password']) expect(shown).not.toContain(secret)
})

const TAKEN = { pfx: undefined, password: undefined }
const OTHER = { caid: 'x', source_cert_identifier: 'y', private_key_pem: 'z' }
test.each([
  ['a wrong password', { password: 'wrong' }, 422, 16, []],
  ['no password', { password: undefined }, 422, 16, []],
  ['what is no PFX', { pfx: 'AAAA' }, 422, 16, []],
  ['what is no Base64', { pfx: '*' }, 422, 2, ['#/pfx']],
  ['neither a PFX nor a certificate', TAKEN, 422, 2, ['#/pfx']],
  ['both', { ...OTHER }, 422, 2, ['#/pfx']],
  ['a password alone', { ...TAKEN, ...OTHER, password: 'x' }, 422, 2, ['#/password']],
  ['a certificate without its key', { ...TAKEN, ...OTHER, private_key_pem: undefined }, 422, 2, ['#/caid']],
  ['a certificate of an authority that does not exist', { ...TAKEN, ...OTHER }, 404, 5, ['#/caid']],
])('an import of %s is refused', async (_what, more, status, code, fields) => {
  await refused(ask('POST', IMPORT, pfxOf('refused', more)), status, code, fields)
})

/** A certificate of a local authority, and the key that only its requester has. */
async function issuedHere(): Promise<{ caid: string; cert: any; key: string }> {
  const { admin } = tests()
  const authorities = '/v1/ca/local-cas'
  const { id: caid } = await admin.ok('POST', authorities, { cn: 'Shop authority', name: 'shop-ca' })
  await admin.ok('POST', `${authorities}/${caid}/self-sign`, {})
  const { csr, key } = await admin.ok('POST', '/v1/ca/csr', { cn: 'here.example', dnsNames: ['here.example'] })
  const order = { csr, purpose: 'server', name: 'here' }
  return { caid, key, cert: await admin.ok('POST', `${authorities}/${caid}/certs`, order) }
}

test('a certificate of a local authority is imported with the key of its requester, which stays nowhere', async () => {
  const { admin } = tests()
  const { caid, cert, key } = await issuedHere()
  const from = { caid: 'shop-ca', source_cert_identifier: 'here', private_key_pem: key }
  const made = await admin.ok('POST', IMPORT, pfxOf('from-authority', { ...TAKEN, ...from }))
  const there = new X509Certificate(Buffer.from(made.cloud_b_param.cer, 'base64'))
  expect(there.fingerprint256).toBe(new X509Certificate(cert.cert).fingerprint256)
  const byIds = { ...from, caid, source_cert_identifier: cert.id }
  expect(await admin.ok('POST', IMPORT, pfxOf('from-authority', { ...TAKEN, ...byIds }))).toMatchObject({
    is_latest: true,
  })
  const shown = JSON.stringify([made, await admin.ok('GET', '/v1/audit/records?limit=-1')])
  expect(shown).not.toContain(key.split('\n')[1])

  const refusing = (more: object) => ask('POST', IMPORT, pfxOf('refused', { ...TAKEN, ...from, ...more }))
  const { key: other } = await admin.ok('POST', '/v1/ca/csr', { cn: 'other.example' })
  await refused(refusing({ private_key_pem: other }), 422, 2, ['#/private_key_pem'])
  await refused(refusing({ private_key_pem: cert.cert }), 422, 2, ['#/private_key_pem'])
  await refused(refusing({ source_cert_identifier: 'nowhere' }), 404, 5, ['#/source_cert_identifier'])
  await admin.ok('POST', `/v1/ca/local-cas/${caid}/certs/${cert.id}/revoke`, { reason: 'superseded' })
  await refused(refusing({}), 409, 8, [])
})

test.each([
  ['no issuer', { issuer: undefined }, 422, 2, ['#/cloud_b_param/policy/issuer']],
  ['an issuer that the vault does not have', { issuer: { name: 'Nobody' } }, 422, 16, []],
  ['no subject', { x509_props: {} }, 422, 16, []],
  ['a key of another kind', { key_props: { kty: 'oct' } }, 422, 2, ['#/cloud_b_param/policy/key_props/kty']],
  ['a member there is not', { shoe: 1 }, 400, 1, ['#/cloud_b_param/policy/shoe']],
])('a policy with %s is refused', async (_what, policy, status, code, fields) => {
  await refused(ask('POST', CERTIFICATES, bodyOf('refused', policy)), status, code, fields)
})

test('versions, changes, deletion and recovery work as for secrets, and include key and secret', async () => {
  const { admin, advance } = tests()
  const first = await create('renewed')
  advance(1_000)
  const second = await create('renewed')
  expect(await list('cert_name=renewed&version=-1')).toMatchObject([{ id: second.id }])
  const off = { attributes: { enabled: false }, tags: { old: 'yes' } }
  expect((await admin.ok('PATCH', `${CERTIFICATES}/${first.id}`, off)).cloud_b_param).toMatchObject(off)
  await refused(ask('PATCH', `${CERTIFICATES}/${first.id}`, { attributes: { exp: 1 } }), 400, 1, ['#/attributes/exp'])
  for (const family of ['', '/secrets'])
    await synchronized(tests(), `${CLOUD_B}${family}/synchronization-jobs`, { key_vaults: [VAULT] })
  const [key] = (await admin.ok('GET', `${CLOUD_B}/keys?key_name=renewed&version=-1`)).resources
  const [secret] = (await admin.ok('GET', `${CLOUD_B}/secrets?secret_name=renewed&version=-1`)).resources
  expect([key.version, secret.version]).toEqual([second.version, second.version])
  expect(secret.cloud_b_param).toMatchObject({ managed: true })
  await refused(ask('POST', `${CLOUD_B}/secrets/${secret.id}/soft-delete`), 409, 8, [])
  await refused(ask('PATCH', `${CLOUD_B}/secrets/${secret.id}`, { tags: {} }), 409, 8, [])
  expect(await act(first.id, 'soft-delete')).toMatchObject({ status: 'SOFT-DELETED' })
  expect((await get(second.id)).status).toBe('SOFT-DELETED')
  expect((await admin.ok('POST', `${CLOUD_B}/secrets/${secret.id}/refresh`)).status).toBe('SOFT-DELETED')
  expect(await act(second.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  expect((await get(first.id)).status).toBe('ACTIVE')
  await refused(ask('DELETE', `${CERTIFICATES}/${first.id}`), 409, 8, [])
  await act(second.id, 'soft-delete')
  expect(await act(second.id, 'hard-delete')).toMatchObject({ status: 'DELETED', gone: true })
  expect(await admin.ok('DELETE', `${CERTIFICATES}/${first.id}`)).toEqual({ status: 204 })
  expect(await list('cert_name=renewed')).toHaveLength(1)
})

test('a vault with purge protection keeps deleted certificates', async () => {
  await tests().addVaults('shop-locked')
  const made = await tests().admin.ok('POST', CERTIFICATES, { ...bodyOf('kept'), key_vault: 'shop-locked' })
  await act(made.id, 'soft-delete')
  const { detail } = await refused(ask('POST', `${CERTIFICATES}/${made.id}/hard-delete`), 409, 8, [])
  expect(detail).toContain('purge protection')
})

test('other people at the cloud are followed by a synchronization', async () => {
  const { cloud } = tests()
  await tests().addVaults('shop-plain')
  const path = '/certificates/theirs'
  await atCloud(cloud, 'shop-plain', 'POST', `${path}/create`, { policy: POLICY, tags: { by: 'them' } })
  const family = `${CERTIFICATES}/synchronization-jobs`
  const job = await synchronized(tests(), family, { key_vaults: ['shop-plain'] })
  expect(job).toMatchObject({ overall_status: 'completed', added: 1, updated: 0, gone: 0 })
  const [theirs] = await list('cert_name=theirs')
  expect(theirs).toMatchObject({ key_vault: 'shop-plain', cloud_b_param: { tags: { by: 'them' } } })
  expect(await synchronized(tests(), family, { key_vaults: ['shop-plain'] })).toMatchObject({ added: 0, updated: 0 })
  await atCloud(cloud, 'shop-plain', 'DELETE', path)
  expect(await synchronized(tests(), family, { key_vaults: ['shop-plain'] })).toMatchObject({ gone: 1 })
  expect(await get(theirs.id)).toMatchObject({ status: 'DELETED', gone: true })
})

test('issuing and importing need separate permissions', async () => {
  const { admin, user, vault } = tests()
  const { holder, sub } = await user('certified', ['keymgr Users'])
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${VAULTS}/${vault.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
  await permit('certificatecreate')
  const made = await holder.ok('POST', CERTIFICATES, bodyOf('by-user'))
  await refused(holder.call('POST', IMPORT, pfxOf('by-user-too')), 403, 4, [])
  await refused(holder.call('POST', `${CERTIFICATES}/${made.id}/soft-delete`), 403, 4, [])
  await permit('certificateupload', 'certificatedelete')
  await holder.ok('POST', IMPORT, pfxOf('by-user-too'))
  await holder.ok('POST', `${CERTIFICATES}/${made.id}/soft-delete`)
})

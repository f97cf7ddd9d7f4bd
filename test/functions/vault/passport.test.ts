import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { verifyPassport } from '../../../clients/verify/passport.ts'
import { useService } from '../../support/service.ts'

const service = useService()
let token = ''
let keySet: JSONWebKeySet
beforeAll(async () => {
  token = await service().logIn()
  // the first signature creates the domain's key
  await post('/v1/vault/keys2', { name: 'first' })
  expect((await service().call('GET', '/v1/vault/keys2/first/passport', { token })).status).toBe(200)
  keySet = (await service().call('GET', '/v1/audit/heads/jwks.json', { token })).body as JSONWebKeySet
})

const post = async (path: string, body: object) => {
  const answer = await service().call('POST', path, { token, body })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

/** Claims of a key's passport, verified by another implementation of JWS. */
async function claimsOf(reference: string, path = '/v1/vault/keys2'): Promise<any> {
  const { status, body } = await service().call('GET', `${path}/${reference}/passport`, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  const { payload, protectedHeader } = await jwtVerify(body.passport, createLocalJWKSet(keySet), {
    algorithms: ['ES256'],
    typ: 'keymgr-passport+jwt',
    issuer: service().deployment.baseUrl,
  })
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'keymgr-passport+jwt', kid: keySet.keys[0]?.kid })
  expect(verifyPassport(JSON.stringify(body), keySet)).toMatchObject({ isGenuine: true, faults: [], claims: payload })
  return payload
}

test('a passport states the origin of a key, its versions, and the recipients of its material', async () => {
  const key = await post('/v1/vault/keys2', { name: 'travelled', usageMask: 12 | 64, unexportable: false })
  await post('/v1/vault/keys2/travelled/versions', {})
  await post('/v1/vault/keys2', { name: 'kek', usageMask: 48 })
  await post(`/v1/vault/keys2/${key.id}/export`, {})
  await post(`/v1/vault/keys2/${key.id}/export`, { wrapKeyName: 'kek' })
  const clone = await post(`/v1/vault/keys2/${key.id}/clone`, { newKeyName: 'twin' })
  const claims = await claimsOf('travelled')
  expect(claims.key).toMatchObject({ name: 'travelled', algorithm: 'aes', size: 256, origin: 'generated', version: 1 })
  expect(claims.versions).toMatchObject([
    { id: key.id, version: 0, origin: 'generated', state: 'Active', neverExported: false },
    { version: 1, origin: 'generated', state: 'Active', neverExported: true },
  ])
  expect(claims.material).toMatchObject([
    { way: 'exported', by: 'admin', resource: key.uri },
    { way: 'exported', by: 'admin', resource: key.uri, wrappedBy: 'kek' },
    { way: 'cloned', by: 'admin', resource: key.uri, clonedTo: clone.uri },
  ])
  expect(claims.material[0]).not.toHaveProperty('wrappedBy')
  expect(claims.evidence.complete).toBe(true)
  const actions = claims.evidence.records.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(['Create Key', 'Rotate Key', 'Export Key', 'Export Key', 'Clone Key'])
  const records = await service().call('GET', `/v1/audit/records/${claims.material[0].record}`, { token })
  expect(records.body).toMatchObject({ message: 'Export Key', success: true })
  expect((await claimsOf('twin')).key).toMatchObject({ origin: 'cloned', clonedFrom: key.id })
})

test('once a signed head covers the records of a key, its passport proves every one', async () => {
  const key = await post('/v1/vault/keys2', { name: 'proven', usageMask: 12 | 64 })
  await post(`/v1/vault/keys2/${key.id}/export`, {})
  await service().deployment.fire('drain-outbox')
  await service().deployment.fire('sign-heads')
  const { body } = await service().call('GET', '/v1/vault/keys2/proven/passport', { token })
  const { faults, proven, pending, claims } = verifyPassport(body.passport, keySet) as any
  expect(faults).toEqual([])
  expect(pending).toEqual([])
  expect(proven).toEqual(claims.evidence.records.map(({ id }: { id: string }) => id))
  expect(proven).toHaveLength(2)
  const inclusion = await service().call('GET', `/v1/audit/proofs/inclusion?record=${proven[1]}`, { token })
  expect(inclusion.status, JSON.stringify(inclusion.body)).toBe(200)
})

test('the passports of an imported key and of a key pair state the origin', async () => {
  await post('/v1/vault/keys2', { name: 'brought', material: '00112233445566778899aabbccddeeff' })
  const claims = await claimsOf('brought')
  expect(claims.key).toMatchObject({ origin: 'imported', size: 128 })
  expect(JSON.stringify(claims)).not.toContain('0011223344')
  await post('/v1/vault/keys2', { name: 'pair', algorithm: 'ec', curveid: 'prime256v1' })
  expect((await claimsOf('pair_public')).key).toMatchObject({ origin: 'generated', objectType: 'Public Key' })
  await post('/v1/vault/keys2', { name: 'empty', emptyMaterial: true })
  expect((await claimsOf('empty')).key).toMatchObject({ origin: 'unknown' })
})

test('a passport is refused like the key itself', async () => {
  await post('/v1/vault/keys2', { name: 'private' })
  const { token: stranger } = await service().userIn(token, 'stranger', ['Key Users'])
  const answers = await Promise.all(
    [
      { token, path: '/v1/vault/keys2/nothing/passport' },
      { token: stranger, path: '/v1/vault/keys2/private/passport' },
      { token: undefined, path: '/v1/vault/keys2/private/passport' },
      { token, path: '/v1/vault/keys2/private/passport?more=1' },
    ].map(({ token: by, path }) => service().call('GET', path, { token: by })),
  )
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 401, 400])
})

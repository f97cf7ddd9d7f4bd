import { describe, expect, test } from 'vitest'
import type { Answered } from '../../support/service.ts'
import { openssl, someName } from '../ca/ca.ts'
import { expectRefused, HOUR, useVault } from './vault.ts'

const CSR = '/v1/vault/csr'
const vault = useVault()
const admin = () => vault().admin

const tryMake = (body: object): Promise<Answered> => admin().call('POST', CSR, { csrParams: { cn: 'shop' }, ...body })
const publicHalf = async (id: string): Promise<string> => {
  const { links } = await admin().get(id)
  return (await admin().act(links[0].target, 'export')).material
}
const publicIn = (csr: string): Promise<string> => openssl(['req', '-in', '{csr}', '-noout', '-pubkey'], { csr })
const EC = { algorithm: 'ec', curveid: 'prime256v1' }

describe('a request of a local key', () => {
  test.each<[string, object, (key: any) => string]>([
    ['RSA, by id', { algorithm: 'rsa', size: 2_048 }, ({ id }) => id],
    ['EC, by name', EC, ({ name }) => name],
    ['EC, by alias', { ...EC, aliases: [{ alias: 'shop-key' }] }, () => 'shop-key'],
    ['EC that signs certificates alone', { ...EC, usageMask: 4_096 }, ({ uri }) => uri],
  ])('%s, is signed by it and has its names', async (_what, spec, referenceOf) => {
    const key = await admin().create({ name: someName('key'), ...spec })
    const csrParams = {
      ...{ cn: 'Shop', names: [{ O: 'Shop', C: 'DE' }], dnsNames: ['shop.example.test'] },
      ...{ emailAddresses: ['me@example.test'], ipAddresses: ['2001:db8::1'] },
    }
    const made = await admin().ok('POST', CSR, { csrParams, keyID: referenceOf(key) })
    expect(Object.keys(made).sort()).toEqual(['csr', 'keyID'])
    expect(made.keyID).toBe(key.id)
    expect(await publicIn(made.csr)).toBe(await publicHalf(key.id))
    const text = await openssl(['req', '-in', '{csr}', '-noout', '-text', '-verify'], { csr: made.csr })
    expect(text).toMatch(/verify OK/)
    for (const name of ['O = Shop', 'DNS:shop.example.test', 'email:me@example.test', 'IP Address:2001:DB8'])
      expect(text.replaceAll(/ ?= ?/g, ' = ')).toContain(name)
  })

  test('is of the version that the id names, and of the latest by name', async () => {
    const first = await admin().create({ name: someName('key'), ...EC })
    const next = await admin().act(first.name, 'versions', {})
    expect((await tryMake({ keyID: first.id })).body.keyID).toBe(first.id)
    expect((await tryMake({ keyID: first.name })).body.keyID).toBe(next.id)
  })

  test.each<[string, object, number, number]>([
    ['that signs nothing', { ...EC, usageMask: 64 }, 403, 12],
    ['that is not active yet', { ...EC, activationDate: '2999-01-01T00:00:00Z' }, 409, 8],
    ['that is symmetric', { algorithm: 'aes', usageMask: 1 }, 422, 2],
    ['on another curve', { algorithm: 'ec', curveid: 'secp256k1' }, 422, 2],
  ])('%s is refused', async (_what, spec, status, code) => {
    const { id } = await admin().create(spec)
    expectRefused(await tryMake({ keyID: id }), status, code, ...(code === 8 ? [] : ['#/keyID']))
  })

  test('may be of Ed25519', async () => {
    const { id } = await admin().create({ algorithm: 'ec', curveid: 'curve25519', usageMask: 1 })
    const { status, body } = await tryMake({ keyID: id })
    expect(status, JSON.stringify(body)).toBe(200)
  })

  test('is refused for a deactivated key, a public half, and an unknown key', async () => {
    const { id, links } = await admin().create({ ...EC, deactivationDate: vault().at(HOUR) })
    expectRefused(await tryMake({ keyID: links[0].target }), 403, 12, '#/keyID')
    expectRefused(await tryMake({ keyID: 'no-such-key' }), 404, 5, '#/keyID')
    expect((await tryMake({ keyID: id })).status).toBe(200)
    await admin().act(id, 'revoke', { reason: 'Superseded' })
    expectRefused(await tryMake({ keyID: id }), 409, 8)
  })

  test('is for its owner, key administrators, and groups that may sign with it', async () => {
    const [owner, signer, reader] = [
      await vault().user('owner', ['Key Users']),
      await vault().user('signer', ['Key Users']),
      await vault().user('reader', ['Key Users']),
    ]
    await admin().ok('POST', '/v1/usermgmt/groups/', { name: 'signers' })
    await admin().ok('POST', '/v1/usermgmt/groups/', { name: 'readers' })
    await admin().ok('POST', `/v1/usermgmt/groups/signers/users/${signer.sub}`)
    await admin().ok('POST', `/v1/usermgmt/groups/readers/users/${reader.sub}`)
    const meta = { permissions: { SignWithKey: ['signers'], ReadKey: ['readers'] } }
    const key = await owner.holder.create({ ...EC, meta })
    const ask = (who = owner) => who.holder.call('POST', CSR, { csrParams: { cn: 'a' }, keyID: key.id })
    expect((await ask()).status).toBe(200)
    expect((await ask(signer)).status).toBe(200)
    expectRefused(await ask(reader), 403, 4)
    const { holder: stranger } = await vault().user('stranger', ['Key Users'])
    expectRefused(await stranger.call('POST', CSR, { csrParams: { cn: 'a' }, keyID: key.id }), 404, 5, '#/keyID')
    const { holder: other } = await vault().user('authority', ['CA Admins'])
    expectRefused(await other.call('POST', CSR, { csrParams: { cn: 'a' }, keyID: key.id }), 403, 4)
  })
})

describe('a request of a new key', () => {
  test('is signed by the key that is stored with it', async () => {
    const name = someName('key')
    const made = await admin().ok('POST', CSR, {
      csrParams: { cn: 'new' },
      keyGenParams: { ...EC, name, labels: { of: 'shop' }, unexportable: true },
    })
    const key = await admin().get(name)
    expect(key).toMatchObject({ id: made.keyID, labels: { of: 'shop' }, unexportable: true, neverExported: true })
    expect(await publicIn(made.csr)).toBe(await publicHalf(made.keyID))
    const records = JSON.stringify(await vault().records('message=Create%20Key'))
    expect(records).toContain(name)
  })

  test('is the same for a repeated Idempotency-Key, with one key', async () => {
    const name = someName('key')
    const ask = () =>
      admin().ok('POST', CSR, { csrParams: { cn: 'a' }, keyGenParams: { ...EC, name } }, { 'idempotency-key': name })
    expect(await ask()).toEqual(await ask())
  })

  test('has the fields of a template', async () => {
    const { id } = await admin().ok('POST', '/v1/vault/templates', { name: someName('template'), ...EC })
    expect((await tryMake({ keyGenParams: { templateId: id } })).status).toBe(200)
  })

  test.each<[string, object, number, number, ...string[]]>([
    ['no algorithm', {}, 422, 2, '#/keyGenParams/algorithm'],
    ['a symmetric one', { algorithm: 'aes' }, 422, 2, '#/keyGenParams/algorithm'],
    ['a curve of no certificate', { algorithm: 'ec', curveid: 'secp256k1' }, 422, 2, '#/keyGenParams/algorithm'],
    ['a size that RSA does not have', { algorithm: 'rsa', size: 2_049 }, 422, 2, '#/keyGenParams/size'],
    ['material', { ...EC, material: 'x' }, 400, 1, '#/keyGenParams/material'],
    ['a usage that signs nothing', { ...EC, usageMask: 64 }, 403, 12, '#/keyGenParams/usageMask'],
    ['a later activation', { ...EC, activationDate: '2999-01-01T00:00:00Z' }, 409, 8],
    ['a template that is not there', { templateId: 'none' }, 404, 5, '#/keyGenParams/templateId'],
    [
      'dates out of order',
      { ...EC, activationDate: '2030-01-01T00:00:00Z', deactivationDate: '2029-01-01T00:00:00Z' },
      422,
      2,
      '#/keyGenParams/deactivationDate',
    ],
  ])('with %s is refused, and creates none', async (_what, spec, status, code, ...pointers) => {
    const name = someName('key')
    expectRefused(await tryMake({ keyGenParams: { name, ...spec } }), status, code, ...pointers)
    expect((await admin().call('GET', `/v1/vault/keys2/${name}`)).status).toBe(404)
  })

  test('under a name in use is refused, naming it', async () => {
    const { name } = await admin().create({ name: someName('key') })
    expectRefused(await tryMake({ keyGenParams: { ...EC, name } }), 409, 7, '#/keyGenParams/name')
  })
})

test.each<[string, object, string]>([
  ['neither a key nor a new one', {}, '#/keyID'],
  ['both', { keyID: 'a', keyGenParams: EC }, '#/keyGenParams'],
  ['no common name', { keyID: 'a', csrParams: {} }, '#/csrParams/cn'],
  ['a host name that is none', { keyID: 'a', csrParams: { cn: 'a', dnsNames: ['a b'] } }, '#/csrParams/dnsNames/0'],
  [
    'too many alternative names',
    {
      keyID: 'a',
      csrParams: {
        cn: 'a',
        dnsNames: Array.from({ length: 60 }, (_, at) => `a${at}.example`),
        emailAddresses: Array.from({ length: 60 }, (_, at) => `a${at}@b.example`),
      },
    },
    '#/csrParams/dnsNames',
  ],
])('a body with %s is refused, naming it', async (_what, body, pointer) => {
  expectRefused(await tryMake(body), 422, 2, pointer)
})

test('names that no certificate has are refused as names, not as fields of the key', async () => {
  const csrParams = { cn: 'a\u202eb' }
  expectRefused(await tryMake({ csrParams, keyGenParams: EC }), 422, 2, '#/csrParams')
})

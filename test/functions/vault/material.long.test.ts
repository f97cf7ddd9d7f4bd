import * as crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { beforeAll, expect, test } from 'vitest'
import { expectRefused, HOUR, KEYS, useVault } from './vault.ts'

const { keys, pfx, password } = JSON.parse(
  readFileSync(new URL('../../vectors/key-files.json', import.meta.url), 'utf8'),
) as { keys: Record<string, { pem: string }>; pfx: Record<string, { base64: string }>; password: string }
const pem = (name: string): string => keys[name]?.pem ?? ''
const file = (name: string): string => pfx[name]?.base64 ?? ''
const spki = (name: string): string =>
  crypto.createPublicKey(pem(name)).export({ format: 'pem', type: 'spki' }).toString()
const der = (name: string): Buffer => crypto.createPrivateKey(pem(name)).export({ format: 'der', type: 'pkcs8' })
const rsaPublic = crypto.createPublicKey(pem('rsa'))

const vault = useVault()
/** Material of the wrapping keys and of the wrapped keys. */
const KEK = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex')
const SECRET = Buffer.from('ffeeddccbbaa99887766554433221100f0e0d0c0b0a090807060504030201000', 'hex')
const secret = SECRET.toString('hex')

beforeAll(async () => {
  const { admin } = vault()
  await admin.create({
    name: 'aes kek',
    material: KEK.toString('hex'),
    meta: { permissions: { ReadKey: ['Key Users'] } },
  })
  await admin.create({ name: 'other kek' })
  await admin.create({ name: 'rsa kek', algorithm: 'rsa', material: pem('rsa'), usageMask: 16 + 32 })
  await admin.create({ name: 'secret', material: secret })
  await admin.create({ name: 'rsa', algorithm: 'rsa', material: pem('rsa') })
  await admin.create({ name: 'ec', algorithm: 'ec', material: pem('ec') })
})

test.each([
  ['hex', { material: secret }, { size: 256, format: 'raw' }, secret],
  ['hex in capitals', { material: secret.toUpperCase(), size: 256 }, { size: 256 }, secret],
  ['base64', { material: SECRET.toString('base64'), encoding: 'base64', format: 'raw' }, { size: 256 }, secret],
  ['an hmac key', { algorithm: 'hmac-sha1', material: 'ab'.repeat(20) }, { size: 160 }, 'ab'.repeat(20)],
  ['PKCS #8', { algorithm: 'rsa', size: 2048, material: pem('rsa') }, { size: 2048 }, pem('rsa')],
  ['PKCS #1', { algorithm: 'rsa', format: 'pkcs1', material: pem('rsa-pkcs1') }, { size: 2048 }, pem('rsa')],
  ['an ec key', { algorithm: 'ec', material: pem('ec') }, { size: 256, curveid: 'prime256v1' }, pem('ec')],
  ['Ed25519', { algorithm: 'ec', curveid: 'curve25519', material: pem('ed') }, { curveid: 'curve25519' }, pem('ed')],
  ['DER', { algorithm: 'ec', encoding: 'base64', material: der('ec').toString('base64') }, {}, pem('ec')],
  ['encrypted PKCS #8', { algorithm: 'ec', material: pem('ec-enc'), password }, { size: 256 }, pem('ec')],
  ['a PFX', { algorithm: 'rsa', format: 'pkcs12', material: file('rsa-default'), password }, {}, pem('rsa')],
  ['an old PFX', { algorithm: 'rsa', format: 'pkcs12', material: file('rsa-legacy'), password }, {}, pem('rsa')],
  ['a PFX of ec', { algorithm: 'ec', format: 'pkcs12', material: file('ec-3des'), password }, {}, pem('ec')],
])('%s is imported and exported byte for byte', async (_what, body, shown, out) => {
  const { admin, stored } = vault()
  const made = await admin.create(body)
  expect(made).toMatchObject(shown)
  expect(made.objectType).toBe(out.includes('PRIVATE') ? 'Private Key' : 'Symmetric Key')
  expect((await admin.act(made.id as string, 'export', {})).material).toBe(out)
  if (made.objectType === 'Private Key')
    expect((await admin.act(made.links[0].target as string, 'export', {})).material).toBe(
      crypto.createPublicKey(out).export({ format: 'pem', type: 'spki' }).toString(),
    )
  const kept = JSON.stringify(await stored(made.id as string))
  expect(kept).toContain('"sealed"')
  for (const trace of [out, out.split('\n')[1] ?? secret, SECRET.toString('base64')]) expect(kept).not.toContain(trace)
})

test.each([
  ['rsa', { objectType: 'Public Key' }],
  ['ec', { unexportable: true }],
])('the public key of %s can be imported alone', async (algorithm, more) => {
  const { admin } = vault()
  const made = await admin.create({ algorithm, material: spki(algorithm), ...more })
  expect(made).toMatchObject({ objectType: 'Public Key', links: [], format: 'pkcs8' })
  const { material, neverExported } = await admin.act(made.id as string, 'export', {})
  expect([material, neverExported]).toEqual([spki(algorithm), false])
})

const kw = (kek: Buffer, bytes: Buffer): Buffer => {
  const cipher = crypto.createCipheriv('id-aes256-wrap', kek, Buffer.alloc(8, 0xa6))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}
const kwp = (kek: Buffer, bytes: Buffer): Buffer => {
  const cipher = crypto.createCipheriv('id-aes256-wrap-pad', kek, Buffer.from('a65959a6', 'hex'))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}
const unKwp = (kek: Buffer, bytes: Buffer): Buffer => {
  const cipher = crypto.createDecipheriv('id-aes256-wrap-pad', kek, Buffer.from('a65959a6', 'hex'))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}
const unKw = (kek: Buffer, bytes: Buffer): Buffer => {
  const cipher = crypto.createDecipheriv('id-aes256-wrap', kek, Buffer.alloc(8, 0xa6))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}
const oaep = (key: crypto.KeyObject, oaepHash: string) => ({
  key,
  padding: crypto.constants.RSA_PKCS1_OAEP_PADDING,
  oaepHash,
})
const rsaWrap = (hash: string) => (bytes: Buffer) => crypto.publicEncrypt(oaep(rsaPublic, hash), bytes)
const rsaUnwrap = (hash: string) => (bytes: Buffer) =>
  crypto.privateDecrypt(oaep(crypto.createPrivateKey(pem('rsa')), hash), bytes)
const rsaAes = (hash: string) => (bytes: Buffer) => {
  const ephemeral = crypto.randomBytes(32)
  return Buffer.concat([rsaWrap(hash)(ephemeral), kwp(ephemeral, bytes)])
}
const unRsaAes = (hash: string) => (bytes: Buffer) =>
  unKwp(rsaUnwrap(hash)(bytes.subarray(0, 256)), bytes.subarray(256))
const pkcs1 = { padding: crypto.constants.RSA_PKCS1_PADDING }
const wrapPkcs1 = (bytes: Buffer) => crypto.publicEncrypt({ key: rsaPublic, ...pkcs1 }, bytes)
const unwrapPkcs1 = (bytes: Buffer) => crypto.privateDecrypt({ key: pem('rsa'), ...pkcs1 }, bytes)

type Turn = (bytes: Buffer) => Buffer
const METHODS: [what: string, fields: Record<string, string>, wrap: Turn, unwrap: Turn, kek: 'aes' | 'rsa'][] = [
  ['AES-KWP by default', {}, (bytes) => kwp(KEK, bytes), (bytes) => unKwp(KEK, bytes), 'aes'],
  ['AES-KWP', algo('AES/AESKEYWRAPPADDING'), (bytes) => kwp(KEK, bytes), (bytes) => unKwp(KEK, bytes), 'aes'],
  ['AES-KW', algo('AES/AESKEYWRAP'), (bytes) => kw(KEK, bytes), (bytes) => unKw(KEK, bytes), 'aes'],
  ['RSA-AES by default', {}, rsaAes('sha256'), unRsaAes('sha256'), 'rsa'],
  ['RSA-AES', algo('RSA/RSAAESKEYWRAPPADDING', 'oaep'), rsaAes('sha1'), unRsaAes('sha1'), 'rsa'],
  ['OAEP', { wrapPublicKeyPadding: 'oaep' }, rsaWrap('sha1'), rsaUnwrap('sha1'), 'rsa'],
  ['OAEP with SHA-256', { wrapPublicKeyPadding: 'oaep256' }, rsaWrap('sha256'), rsaUnwrap('sha256'), 'rsa'],
  ['OAEP with SHA-384', { wrapPublicKeyPadding: 'oaep384' }, rsaWrap('sha384'), rsaUnwrap('sha384'), 'rsa'],
  ['OAEP with SHA-512', { wrapPublicKeyPadding: 'oaep512' }, rsaWrap('sha512'), rsaUnwrap('sha512'), 'rsa'],
  ['PKCS #1 padding', { wrapPublicKeyPadding: 'pkcs1' }, wrapPkcs1, unwrapPkcs1, 'rsa'],
]
function algo(wrappingEncryptionAlgo: string, padding?: string): Record<string, string> {
  return {
    wrappingMethod: 'encrypt',
    wrappingEncryptionAlgo,
    ...(padding !== undefined && { wrapPublicKeyPadding: padding }),
  }
}

test.each(METHODS)('material is imported and exported under %s', async (what, fields, wrap, unwrap, kek) => {
  const { admin } = vault()
  const under = { ...fields, wrapKeyName: `${kek} kek` }
  const made = await admin.create({ ...under, material: wrap(SECRET).toString('base64') })
  expect((await admin.act(made.id as string, 'export', {})).material).toBe(secret)
  const out = await admin.act('secret', 'export', under)
  expect(out.encoding).toBe('base64')
  expect(unwrap(Buffer.from(out.material as string, 'base64'))).toEqual(SECRET)
  const hex = await admin.act('secret', 'export', { ...under, encoding: 'hex' })
  expect(unwrap(Buffer.from(hex.material as string, 'hex'))).toEqual(SECRET)
  if (kek === 'rsa') {
    const away = await admin.act('secret', 'export', { ...fields, wrapPublicKey: spki('rsa') })
    expect(unwrap(Buffer.from(away.material as string, 'base64'))).toEqual(SECRET)
  }
  if (!/KWP|RSA-AES/.test(what)) return
  const asymmetric = { ...under, algorithm: 'ec', material: wrap(der('ec')).toString('hex'), encoding: 'hex' }
  const pair = await admin.create(asymmetric)
  expect((await admin.act(pair.id as string, 'export', {})).material).toBe(pem('ec'))
  const pkcs8 = await admin.act('ec', 'export', under)
  expect(unwrap(Buffer.from(pkcs8.material as string, 'base64'))).toEqual(der('ec'))
})

test.each([
  ['a size that disagrees', { size: 128, material: secret }],
  ['a length that is no size', { material: 'ab'.repeat(20) }],
  ['an odd number of hex digits', { material: `${secret}a` }],
  ['hex that is none', { material: 'zz'.repeat(32) }],
  ['base64 that was cut', { encoding: 'base64', material: 'abc' }],
  ['PEM for a symmetric key', { material: pem('ec') }],
  ['an ec key as rsa', { algorithm: 'rsa', material: pem('ec') }],
  ['an rsa key as ec', { algorithm: 'ec', material: pem('rsa') }],
  ['another curve', { algorithm: 'ec', curveid: 'secp384r1', material: pem('ec') }],
  ['another rsa size', { algorithm: 'rsa', size: 4096, material: pem('rsa') }],
  ['an rsa size not offered', { algorithm: 'rsa', material: pem('small') }],
  ['a small public exponent', { algorithm: 'rsa', material: pem('e3') }],
  ['three primes', { algorithm: 'rsa', material: pem('multi') }],
  ['garbage in PEM', { algorithm: 'rsa', material: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }],
  ['two PEM blocks', { algorithm: 'ec', material: `${pem('ec')}\n${pem('ec')}` }],
  ['a label that is not of the format', { algorithm: 'rsa', format: 'pkcs1', material: pem('rsa') }],
  ['hex for an asymmetric key', { algorithm: 'rsa', material: secret }],
  ['raw as format of rsa', { algorithm: 'rsa', format: 'raw', material: pem('rsa') }],
  ['a wrong password', { algorithm: 'ec', material: pem('ec-enc'), password: 'wrong' }],
  ['no password', { algorithm: 'ec', material: pem('ec-enc') }],
  ['a wrong PFX password', { algorithm: 'ec', format: 'pkcs12', material: file('ec-default'), password: 'wrong' }],
  ['a PFX without MAC', { algorithm: 'ec', format: 'pkcs12', material: file('ec-nomac'), password }],
  ['a PFX without key', { algorithm: 'ec', format: 'pkcs12', material: file('nokey'), password }],
  ['more than 64 KiB', { encoding: 'base64', material: 'A'.repeat(65_540) }],
  ['what another key wrapped', { wrapKeyName: 'other kek', material: kwp(KEK, SECRET).toString('base64') }],
  ['what was wrapped another way', { wrapKeyName: 'aes kek', material: kw(KEK, SECRET).toString('base64') }],
  ['what was cut short', { wrapKeyName: 'aes kek', material: kwp(KEK, SECRET).subarray(8).toString('base64') }],
  ['wrapped text that is no base64', { wrapKeyName: 'aes kek', material: 'not base64!' }],
  ['wrapped bytes of another kind', { wrapKeyName: 'aes kek', algorithm: 'ec', material: wrapped(SECRET) }],
  ['wrapped bytes of another size', { wrapKeyName: 'aes kek', size: 128, material: wrapped(SECRET) }],
])('import refuses %s', async (_what, body) => {
  const refused = await vault().admin.call('POST', KEYS, body)
  expectRefused(refused, 422, 2, '#/material')
  expect(JSON.stringify(refused.body)).not.toContain(secret.slice(0, 16))
})
function wrapped(bytes: Buffer): string {
  return kwp(KEK, bytes).toString('base64')
}

const pkcs8Of = (kind: 'rsa' | 'ec', options: object): string => {
  const { privateKey } = crypto.generateKeyPairSync(kind as 'rsa', options as { modulusLength: number })
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}
test.each([
  ['made in a legacy size', { algorithm: 'rsa', size: 1024 }, '#/size'],
  ['made in it later', { algorithm: 'rsa', size: 1024, emptyMaterial: true }, '#/size'],
  ['made as tdes', { algorithm: 'tdes' }, '#/algorithm'],
  ['made as tdes of a size', { algorithm: 'TDES', size: 128 }, '#/algorithm'],
  ['imported as tdes', { algorithm: 'tdes', material: '0123456789abcdeffedcba9876543210' }, '#/algorithm'],
  ['made on a legacy curve', { algorithm: 'ec', curveid: 'brainpoolP160r1' }, '#/curveid'],
  ['imported from RSA', { algorithm: 'rsa', material: pkcs8Of('rsa', { modulusLength: 1024 }) }, '#/material'],
  [
    'imported from a curve',
    { algorithm: 'ec', material: pkcs8Of('ec', { namedCurve: 'brainpoolP192t1' }) },
    '#/material',
  ],
])('a legacy key is not %s', async (_what, body, field) => {
  const refused = await vault().admin.call('POST', KEYS, body)
  expectRefused(refused, 422, 2, field)
  expect(refused.body.detail).toContain('does not allow legacy algorithms')
})

test('an import may set any state; a destroyed key keeps no material', async () => {
  const { admin, stored } = vault()
  for (const state of ['Pre-Active', 'Active', 'Deactivated', 'Compromised'])
    expect(await admin.create({ material: secret, state })).toMatchObject({ state, emptyMaterial: false })
  for (const state of ['Destroyed', 'Destroyed Compromised']) {
    const dates = { destroyDate: '2020-01-01T00:00:00Z' }
    const made = await admin.create({ material: secret, state, ...dates }, '?includeMaterial=true')
    expect(made).toMatchObject({ state, emptyMaterial: true, size: 256, neverExported: true, ...dates })
    expect(made).not.toHaveProperty('material')
    expect(await stored(made.id as string)).not.toHaveProperty('sealed')
    expect(await admin.create({ emptyMaterial: true, state, algorithm: 'ec' })).toMatchObject({ state, links: [] })
    expectRefused(await admin.call('POST', KEYS, { material: 'zz', state }), 422, 2, '#/material')
  }
})

test('a wrapping key wraps and unwraps only as its usage, its state and its permissions allow', async () => {
  const { admin, user, at, advance } = vault()
  const brought = { material: wrapped(SECRET) }
  const kek = async (name: string, body: object = {}) => {
    await admin.create({ name, material: KEK.toString('hex'), ...body })
    return { in: () => admin.call('POST', KEYS, { ...brought, wrapKeyName: name }), out: () => out(name) }
  }
  const out = (wrapKeyName: string) => admin.tryAct('secret', 'export', { wrapKeyName })
  const encrypting = await kek('encrypts only', { usageMask: 4 + 8 })
  expectRefused(await encrypting.in(), 403, 12, '#/wrapKeyName')
  expectRefused(await encrypting.out(), 403, 12, '#/wrapKeyName')
  const unwrapping = await kek('unwraps only', { usageMask: 32 })
  expect((await unwrapping.in()).status).toBe(201)
  expectRefused(await unwrapping.out(), 403, 12, '#/wrapKeyName')
  for (const state of ['Deactivated', 'Compromised']) {
    const processing = await kek(state, { state })
    expect((await processing.in()).status).toBe(201)
    expectRefused(await processing.out(), 409, 8)
  }
  const stopping = await kek('stopped', { protectStopDate: at(HOUR) })
  expect((await stopping.out()).status).toBe(200)
  const early = await kek('processes later', { processStartDate: at(2 * HOUR) })
  expect((await early.out()).status).toBe(200)
  expectRefused(await early.in(), 409, 8)
  advance(HOUR)
  expect((await stopping.in()).status).toBe(201)
  expectRefused(await stopping.out(), 409, 8)
  const archived = await kek('archived')
  await admin.act('archived', 'archive')
  const waiting = await kek('waiting', { state: 'Pre-Active' })
  for (const none of [archived, waiting]) {
    expectRefused(await none.in(), 409, 8)
    expectRefused(await none.out(), 409, 8)
  }
  expectRefused(await admin.call('POST', KEYS, { ...brought, wrapKeyName: 'nobody' }), 404, 5, '#/wrapKeyName')
  expectRefused(await out('nobody'), 404, 5, '#/wrapKeyName')

  const ann = (await user('ann', ['Key Users'])).holder
  await ann.create({ name: 'of ann' })
  const asks = (wrapKeyName: string) => ann.tryAct('of ann', 'export', { wrapKeyName })
  expectRefused(await asks('other kek'), 404, 5, '#/wrapKeyName')
  expectRefused(await asks('aes kek'), 403, 4)
  await admin.update('aes kek', { meta: { permissions: { EncryptWithKey: ['Key Users'] } } })
  expect((await asks('aes kek')).status).toBe(200)
  expectRefused(await ann.call('POST', KEYS, { ...brought, wrapKeyName: 'aes kek' }), 403, 4)
  await admin.update('aes kek', { meta: { permissions: { UseKey: ['Key Users'] } } })
  expect((await ann.call('POST', KEYS, { ...brought, wrapKeyName: 'aes kek' })).status).toBe(201)
})

test.each([
  ['raw in base64', 'secret', { encoding: 'base64' }, SECRET.toString('base64')],
  ['pkcs8', 'rsa', { format: 'pkcs8' }, pem('rsa')],
  ['pkcs1', 'rsa', { format: 'pkcs1' }, pem('rsa-pkcs1')],
  ['pkcs8 in DER', 'ec', { encoding: 'hex' }, der('ec').toString('hex')],
  ['a public key', 'ec_public', {}, spki('ec')],
])('export as %s', async (_what, name, body, material) => {
  const exported = await vault().admin.act(name, 'export', body)
  expect(exported.material).toBe(material)
  expect(exported).toMatchObject({ neverExported: false, version: 0, ...('format' in body && { format: body.format }) })
})

test('a key exported under a password opens in OpenSSL as PKCS #8, and as PFX is imported again', async () => {
  const { admin } = vault()
  const encrypted = (await admin.act('ec', 'export', { password: 'pässword' })).material as string
  expect(encrypted).toContain('BEGIN ENCRYPTED PRIVATE KEY')
  const opened = crypto.createPrivateKey({ key: encrypted, passphrase: 'pässword' })
  expect(opened.export({ format: 'der', type: 'pkcs8' })).toEqual(der('ec'))
  const { material } = await admin.act('ec', 'export', { format: 'pkcs12', password: 'pässword' })
  const pfxFile = Buffer.from(material as string, 'base64')
  // With a wrong password, OpenSSL reports the MAC, which it checks first; with the right one, the missing certificate.
  expect(() => createSecureContext({ pfx: pfxFile, passphrase: 'wrong' })).toThrow(/mac verify/i)
  expect(() => createSecureContext({ pfx: pfxFile, passphrase: 'pässword' })).toThrow(/unable to load/i)
  const again = await admin.create({ algorithm: 'ec', format: 'pkcs12', material, password: 'pässword' })
  expect((await admin.act(again.id as string, 'export', {})).material).toBe(pem('ec'))
})

const small = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
test.each([
  ['raw of rsa', 'rsa', { format: 'raw' }, '#/format'],
  ['pkcs8 of aes', 'secret', { format: 'pkcs8' }, '#/format'],
  ['a PFX without password', 'ec', { format: 'pkcs12' }, '#/format'],
  ['a PFX of aes', 'secret', { format: 'pkcs12', password }, '#/format'],
  ['a password for raw', 'secret', { password }, '#/format'],
  ['two ways to wrap', 'secret', { wrapKeyName: 'aes kek', wrapPublicKey: spki('rsa') }, '#/wrapPublicKey'],
  ['wrapping and a password', 'ec', { wrapKeyName: 'aes kek', password }, '#/wrapKeyName'],
  ['another wrapping method', 'secret', { wrapKeyName: 'aes kek', wrappingMethod: 'pbe' }, '#/wrappingMethod'],
  ['an rsa padding under aes', 'secret', { wrapKeyName: 'aes kek', wrapPublicKeyPadding: 'oaep' }, '#/wrapKeyName'],
  ['an ec key to wrap with', 'secret', { wrapPublicKey: spki('ec') }, '#/wrapPublicKey'],
  ['a private key to wrap with', 'secret', { wrapPublicKey: pem('rsa') }, '#/wrapPublicKey'],
  ['a weak key to wrap with', 'secret', { wrapPublicKey: pemOf(small) }, '#/wrapPublicKey'],
  ['garbage to wrap with', 'secret', { wrapPublicKey: 'PUBLIC KEY' }, '#/wrapPublicKey'],
  ['aes under a public key', 'secret', { wrapPublicKey: spki('rsa'), ...algo('AES/AESKEYWRAP') }, '#/wrapPublicKey'],
  ['more than OAEP holds', 'rsa', { wrapPublicKey: spki('rsa'), wrapPublicKeyPadding: 'oaep' }, '#/wrapPublicKey'],
])('export refuses %s', async (_what, name, body, field) => {
  expectRefused(await vault().admin.tryAct(name, 'export', body), 422, 2, field)
})
function pemOf(key: crypto.KeyObject): string {
  return key.export({ format: 'pem', type: 'spki' }).toString()
}

test('unexportable keys are not exported, but their public half may be', async () => {
  const { admin } = vault()
  await admin.create({ name: 'stays', algorithm: 'ec', unexportable: true })
  await admin.create({ name: 'no export use', usageMask: 12 })
  for (const name of ['stays', 'no export use']) {
    expectRefused(await admin.tryAct(name, 'export', {}), 403, 11)
    expectRefused(await admin.tryAct(name, 'export', { wrapKeyName: 'aes kek' }), 403, 11)
    expect((await admin.get(name)).neverExported).toBe(true)
  }
  const exported = await admin.act('stays_public', 'export', {})
  expect(crypto.createPublicKey(exported.material as string).asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
  expect((await admin.get('stays')).neverExported).toBe(true)
})

test('the first export clears neverExported for good, and is the only one to change the record', async () => {
  const { admin } = vault()
  const { id } = await admin.create({ name: 'first export' })
  const etag = async () => {
    const { headers, body } = await admin.call('GET', `${KEYS}/${id}`)
    return [headers.get('etag'), body.neverExported]
  }
  const [before] = await etag()
  expect((await admin.act('first export', 'export', { wrapKeyName: 'aes kek' })).neverExported).toBe(false)
  const [after, never] = await etag()
  expect([after === before, never]).toEqual([false, false])
  await admin.act('first export', 'export', {})
  await admin.update('first export', { unexportable: true })
  expect(await admin.get('first export')).toMatchObject({ neverExported: false, neverExportable: false })
  expectRefused(await admin.tryAct('first export', 'export', {}), 403, 11)
})

test('an archived key is not exported until it is recovered; owners and granted groups export', async () => {
  const { admin, user } = vault()
  const bob = await user('bob', ['Key Users'])
  await admin.create({ name: 'archive', material: secret, meta: { permissions: { ReadKey: ['Key Users'] } } })
  expectRefused(await bob.holder.tryAct('archive', 'export', {}), 403, 4)
  await admin.update('archive', { meta: { permissions: { ExportKey: ['Key Users'] } } })
  expect((await bob.holder.act('archive', 'export', {})).material).toBe(secret)
  await admin.act('archive', 'archive')
  expectRefused(await admin.tryAct('archive', 'export', {}), 409, 8)
  await admin.act('archive', 'recover')
  expect((await admin.act('archive', 'export')).material).toBe(secret)
  const own = await bob.holder.create({ material: secret })
  expect((await bob.holder.act(own.id as string, 'export', {})).material).toBe(secret)
})

import * as crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { expectRefused, KEYS, useVault } from './vault.ts'

const { keys, password } = JSON.parse(
  readFileSync(new URL('../../vectors/key-files.json', import.meta.url), 'utf8'),
) as { keys: Record<string, { pem: string }>; password: string }
const pem = (name: string): string => keys[name]?.pem ?? ''
const spki = (name: string): string =>
  crypto.createPublicKey(pem(name)).export({ format: 'pem', type: 'spki' }).toString()
const der = (name: string): Buffer => crypto.createPrivateKey(pem(name)).export({ format: 'der', type: 'pkcs8' })

const vault = useVault()
const secret = 'ffeeddccbbaa99887766554433221100f0e0d0c0b0a090807060504030201000'
/** RFC 2202, section 3, test case 1. */
const HI_THERE = { material: Buffer.from('Hi There').toString('hex'), mac: 'b617318655057264e28bc0b6fb378c8ef146be00' }
const opaque = { objectType: 'Opaque Object', algorithm: 'opaque' }

beforeAll(async () => {
  const { admin } = vault()
  await admin.create({ name: 'kek' })
  await admin.create({ name: 'rsa', algorithm: 'rsa', material: pem('rsa'), usageMask: 1 + 2 + 16 + 32 + 64 })
  await admin.create({ name: 'ec', algorithm: 'ec', material: pem('ec') })
  await admin.create({ name: 'ed', algorithm: 'ec', material: pem('ed') })
  await admin.create({ name: 'mac', algorithm: 'hmac-sha1', material: '0b'.repeat(20) })
  await admin.create({ name: 'secret', material: secret })
  await admin.create({ name: 'hi', ...opaque, material: HI_THERE.material })
})

const macked = (name: string, more: object = {}) => ({ wrappingMethod: 'mac/sign', wrapKeyName: name, ...more })
const exported = (name: string, body: object) => vault().admin.act(name, 'export', body)
const tryImport = (body: object) => vault().admin.call('POST', KEYS, body)

test('material is exported and imported with the MAC of RFC 2202', async () => {
  const { admin } = vault()
  const out = await exported('hi', macked('mac', { encoding: 'hex' }))
  expect(out).toMatchObject({
    material: HI_THERE.material,
    macSignature: HI_THERE.mac,
    macSignatureAlgorithm: 'hmac-sha1',
    encoding: 'hex',
  })
  const { material, macSignature } = await exported('hi', macked('mac'))
  expect([material, macSignature]).toEqual([HI_THERE.material, Buffer.from(HI_THERE.mac, 'hex').toString('base64')])
  const back = { ...opaque, ...macked('mac'), material, macSignature }
  const made = await admin.create({ ...back, name: 'hi again' })
  expect((await exported(made.id, {})).material).toBe(material)
  await admin.act('hi again', 'versions', macked('mac', { material, macSignature }))
  for (const wrong of [`A${macSignature.slice(1)}`, macSignature.slice(0, -4), '!', 'AAAA'])
    expectRefused(await tryImport({ ...back, macSignature: wrong }), 422, 2, '#/macSignature')
  const other = await tryImport({ ...back, material: `${material.slice(0, -2)}66` })
  expectRefused(other, 422, 2, '#/macSignature')
  expect(other.body.detail).toBe('macSignature does not verify')
})

test.each([
  ['ec', 'ecdsa-sha256', 'sha256'],
  ['rsa', 'rsa-pss-sha256', 'sha256'],
  ['ed', 'ed25519', null],
])('the %s key signs material, raw and DER; its public half verifies it', async (name, algorithm, hash) => {
  const { admin } = vault()
  const padding = name === 'rsa' && { padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  const genuine = ({ macSignature }: any, bytes: Buffer) =>
    crypto.verify(hash, bytes, { key: spki(name), ...padding }, Buffer.from(macSignature as string, 'base64'))
  const raw = await exported('secret', macked(name))
  expect(raw).toMatchObject({ material: secret, macSignatureAlgorithm: algorithm })
  expect(genuine(raw, Buffer.from(secret, 'hex'))).toBe(true)
  const pair = await exported('ec', macked(name))
  expect(pair.material).toBe(pem('ec'))
  expect(genuine(pair, der('ec'))).toBe(true)
  const { material, macSignature } = pair
  for (const verifier of [name, `${name}_public`]) {
    const made = await admin.create({ algorithm: 'ec', ...macked(verifier), material, macSignature })
    expect((await exported(made.id, {})).material).toBe(pem('ec'))
  }
  const forged = { algorithm: 'ec', ...macked(name), material: pem('ed'), macSignature }
  expectRefused(await tryImport(forged), 422, 2, '#/macSignature')
  expectRefused(await admin.tryAct('secret', 'export', macked(`${name}_public`)), 403, 12, '#/wrapKeyName')
})

test('a key MACs, signs and verifies only as its usage, its state and its permissions allow', async () => {
  const { admin, user } = vault()
  const hmac = { algorithm: 'hmac-sha1', material: '0b'.repeat(20) }
  const back = { ...opaque, material: HI_THERE.material, macSignature: HI_THERE.mac, encoding: 'hex' }
  const out = async (name: string) => (await admin.tryAct('hi', 'export', macked(name))).status
  const into = async (name: string) => (await tryImport({ ...back, ...macked(name) })).status
  await admin.create({ name: 'generates', ...hmac, usageMask: 128 })
  expect([await out('generates'), await into('generates')]).toEqual([200, 403])
  await admin.create({ name: 'verifies', ...hmac, usageMask: 256 })
  expect([await out('verifies'), await into('verifies')]).toEqual([403, 201])
  await admin.create({ name: 'wraps only', ...hmac, usageMask: 16 + 32 })
  expectRefused(await admin.tryAct('hi', 'export', macked('wraps only')), 403, 12, '#/wrapKeyName')
  await admin.create({ name: 'old mac', ...hmac, state: 'Deactivated' })
  expect([await out('old mac'), await into('old mac')]).toEqual([409, 201])
  expect([await out('kek'), await out('no key')]).toEqual([403, 404])
  await admin.create({ name: 'aes that macs', usageMask: 128 })
  await admin.create({ name: 'public that signs', algorithm: 'ec', material: spki('ec'), usageMask: 1 })
  for (const name of ['aes that macs', 'public that signs'])
    expectRefused(await admin.tryAct('hi', 'export', macked(name)), 422, 2, '#/wrapKeyName')

  const { holder } = await user('sam', ['Key Users'])
  await holder.create({ name: 'of sam' })
  const grant = (permissions: object) => admin.update('mac', { meta: { permissions } })
  await grant({ EncryptWithKey: ['Key Users'], SignWithKey: ['Key Users'], MACVerifyWithKey: ['Key Users'] })
  expectRefused(await holder.tryAct('of sam', 'export', macked('mac')), 403, 4)
  expect((await holder.call('POST', KEYS, { ...back, ...macked('mac') })).status).toBe(201)
  await grant({ MACWithKey: ['Key Users'] })
  expect((await holder.tryAct('of sam', 'export', macked('mac'))).status).toBe(200)
  expectRefused(await holder.call('POST', KEYS, { ...back, ...macked('mac') }), 403, 4)
})

const pbe = { wrappingMethod: 'pbe', password }
test('raw keys, pairs, public keys and opaque bytes are exported and imported under a password', async () => {
  const { admin } = vault()
  const clear = { secret, ec: pem('ec'), ec_public: spki('ec'), hi: HI_THERE.material }
  for (const [name, material] of Object.entries(clear)) {
    const out = await exported(name, pbe)
    expect(out.encoding).toBe(name === 'ec' ? undefined : 'base64')
    const what = name === 'hi' ? opaque : { algorithm: name.startsWith('ec') ? 'ec' : 'aes' }
    const made = await admin.create({ ...what, ...pbe, material: out.material })
    expect((await exported(made.id, {})).material).toBe(material)
    const wrong = { ...what, ...pbe, material: out.material, password: `${password}!` }
    if (name === 'secret') expectRefused(await tryImport(wrong), 422, 2, '#/material')
  }
  const opened = crypto.createPrivateKey({ key: (await exported('ec', pbe)).material, passphrase: password })
  expect(opened.export({ format: 'der', type: 'pkcs8' })).toEqual(der('ec'))
  const hex = await exported('ec', { ...pbe, encoding: 'hex' })
  await admin.create({ algorithm: 'ec', ...pbe, material: hex.material, encoding: 'hex' })
  await admin.create({ algorithm: 'ec', ...pbe, material: pem('ec-enc') })
  const pkcs1 = await exported('rsa', { ...pbe, format: 'pkcs1' })
  await admin.create({ algorithm: 'rsa', ...pbe, format: 'pkcs1', material: pkcs1.material })
  expectRefused(await tryImport({ algorithm: 'ec', ...pbe, material: pem('ec-enc-999') }), 422, 2, '#/material')
  expectRefused(await tryImport({ ...pbe, material: 'no base64' }), 422, 2, '#/material')
})

test.each([
  ['under an AES key', { wrapKeyName: 'kek' }, { wrapKeyName: 'kek' }],
  ['under a local RSA key', { wrapKeyName: 'rsa', wrapPublicKeyPadding: 'oaep' }, { wrapKeyName: 'rsa' }],
  ['under a public key', { wrapPublicKey: spki('rsa') }, { wrapKeyName: 'rsa', wrapPublicKeyPadding: 'oaep256' }],
  ['under a password', { password }, { password }],
  ['under a password by name', { ...pbe }, { ...pbe }],
])('a JWE %s is exported and imported', async (what, out, back) => {
  const { admin } = vault()
  const { material, format, encoding } = await exported('secret', { format: 'jwe', ...out })
  expect([format, encoding, material.split('.')]).toEqual(['jwe', undefined, expect.objectContaining({ length: 5 })])
  const made = await admin.create({ format: 'jwe', material, ...back }, '?includeMaterial=true')
  expect(made).toMatchObject({ material: secret, format: 'raw', neverExported: false })
  const cut = await tryImport({ format: 'jwe', material: material.slice(0, -3), ...back })
  expectRefused(cut, 422, 2, '#/material')
  expectRefused(await tryImport({ format: 'jwe', material, algorithm: 'ec', ...back }), 422, 2, '#/material')
  await admin.act(made.id, 'versions', { format: 'jwe', material, ...back })
  if (what !== 'under an AES key') return
  const pair = await exported('ec', { format: 'jwe', ...out })
  const again = await admin.create({ algorithm: 'ec', format: 'jwe', material: pair.material, ...back })
  expect((await exported(again.id, {})).material).toBe(pem('ec'))
  expectRefused(await tryImport({ format: 'jwe', material, wrapKeyName: 'rsa' }), 422, 2, '#/material')
  expectRefused(await tryImport({ format: 'jwe', material, wrapKeyName: 'mac' }), 403, 12, '#/wrapKeyName')
})

const jwe = { format: 'jwe' }
test.each<[string, object, string]>([
  ['pbe without a password', { wrappingMethod: 'pbe' }, '#/wrappingMethod'],
  ['pbe under a key', { wrappingMethod: 'pbe', wrapKeyName: 'kek' }, '#/wrappingMethod'],
  ['pbe of a PFX', { ...pbe, format: 'pkcs12' }, '#/wrappingMethod'],
  ['pbe with the padding of a key', { ...pbe, wrapPublicKeyPadding: 'oaep' }, '#/wrapPublicKeyPadding'],
  ['mac/sign without a key', { wrappingMethod: 'mac/sign' }, '#/wrappingMethod'],
  ['mac/sign of a PFX', macked('mac', { format: 'pkcs12' }), '#/wrappingMethod'],
  ['mac/sign of a JWE', macked('mac', jwe), '#/wrappingMethod'],
  ['mac/sign with AES', macked('mac', { wrappingEncryptionAlgo: 'AES/AESKEYWRAP' }), '#/wrappingEncryptionAlgo'],
  ['encrypt without a key', { wrappingMethod: 'encrypt' }, '#/wrappingMethod'],
  ['an algorithm without a key', { wrappingEncryptionAlgo: 'AES/AESKEYWRAP' }, '#/wrappingEncryptionAlgo'],
  ['a JWE under nothing', jwe, '#/format'],
  ['a JWE in hex', { ...jwe, wrapKeyName: 'kek', encoding: 'hex' }, '#/encoding'],
  ['a key and a password', { ...jwe, wrapKeyName: 'kek', password }, '#/wrapKeyName'],
])('export and import refuse %s', async (_what, body, field) => {
  const { admin } = vault()
  const macSignature = { macSignature: 'AAAA' }
  const isMac = 'wrappingMethod' in body && body.wrappingMethod === 'mac/sign'
  expectRefused(await admin.tryAct('secret', 'export', body), 422, 2, field)
  expectRefused(await tryImport({ material: secret, ...body, ...(isMac && macSignature) }), 422, 2, field)
  expectRefused(await admin.call('POST', '/v1/vault/keys-bulk-export', { ids: ['secret'], ...body }), 422, 2, field)
})

test.each<[string, object, string]>([
  ['a MAC that is missing', macked('mac', { material: secret }), '#/wrappingMethod'],
  ['a MAC that nothing asks for', { material: secret, macSignature: 'AAAA' }, '#/macSignature'],
  [
    'a MAC of a key in a PFX',
    macked('mac', { material: 'AAAA', macSignature: 'AAAA', format: 'pkcs12' }),
    '#/wrappingMethod',
  ],
  ['a certificate in a JWE', { objectType: 'Certificate', material: 'a.b.c', ...jwe, password }, '#/material'],
  ['text that is no JWE', { material: secret, ...jwe, password }, '#/material'],
])('import refuses %s', async (_what, body, field) => {
  expectRefused(await tryImport(body), 422, 2, field)
})

test('every way out needs an exportable key and clears neverExported, also in bulk', async () => {
  const { admin } = vault()
  await admin.create({ name: 'stays', unexportable: true })
  const ways = [pbe, { ...jwe, password }, { ...jwe, wrapKeyName: 'kek' }, macked('mac')]
  for (const [at, way] of ways.entries()) {
    expectRefused(await admin.tryAct('stays', 'export', way), 403, 11)
    const name = `leaves ${at}`
    await admin.create({ name })
    const [one, other] = await admin.ok('POST', '/v1/vault/keys-bulk-export', { ids: [name, 'stays'], ...way })
    expect(one).toMatchObject({ name, neverExported: false, material: expect.any(String) })
    expect('macSignature' in one).toBe('wrapKeyName' in way && way.wrapKeyName === 'mac')
    expect(other).toMatchObject({ error: { status: 403, code: 11 } })
    expect((await admin.get(name)).neverExported).toBe(false)
  }
  expect((await admin.get('stays')).neverExported).toBe(true)
})

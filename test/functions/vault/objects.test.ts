import { createHash, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { authority } from '../../support/certificates.ts'
import { expectRefused, KEYS, pathOf, useVault } from './vault.ts'

const vault = useVault()
const hello = Buffer.from('héllo wörld', 'utf8')
const { issue, cert: rootCert } = authority('tests of objects')

test.each([
  ['an opaque object by its algorithm', { algorithm: 'OPAQUE' }, 'Opaque Object'],
  ['an opaque object by its type', { objectType: 'Opaque Object' }, 'Opaque Object'],
  ['secret data', { objectType: 'Secret Data' }, 'Secret Data'],
  [
    'secret data with its algorithm',
    { objectType: 'Secret Data', algorithm: 'opaque', format: 'opaque' },
    'Secret Data',
  ],
])('%s is imported and exported byte for byte', async (_what, body, objectType) => {
  const { admin } = vault()
  const made = await admin.create({ ...body, material: hello.toString('hex') })
  const record = { algorithm: 'opaque', objectType, format: 'opaque', size: hello.length * 8, usageMask: 64, usage: '' }
  expect(made).toMatchObject({ ...record, links: [], neverExported: true })
  for (const field of ['keyCheckValue', 'sha256Fingerprint', 'certificate']) expect(made).not.toHaveProperty(field)
  const out = await admin.act(made.id as string, 'export', {})
  expect(out).toMatchObject({ material: hello.toString('hex'), format: 'opaque', neverExported: false })
  const base64 = await admin.act(made.id as string, 'export', { encoding: 'base64', format: 'opaque' })
  expect(base64.material).toBe(hello.toString('base64'))
})

test('opaque bytes are wrapped, get versions of another length, and are cloned and destroyed', async () => {
  const { admin, stored } = vault()
  await admin.create({ name: 'kek' })
  await admin.create({
    name: 'note',
    objectType: 'Secret Data',
    material: '00',
    usageMask: 64,
    rotationFrequencyDays: 1,
  })
  const wrapped = await admin.act('note', 'export', { wrapKeyName: 'kek' })
  const again = { objectType: 'Secret Data', material: wrapped.material, wrapKeyName: 'kek' }
  expect((await admin.act((await admin.create(again)).id as string, 'export', {})).material).toBe('00')
  expectRefused(await admin.tryAct('note', 'versions', {}), 422, 2, '#/material')
  const next = await admin.act('note', 'versions', { material: hello.toString('base64'), encoding: 'base64' })
  expect(next).toMatchObject({ version: 1, objectType: 'Secret Data', size: hello.length * 8 })
  const clone = await admin.act('note', 'clone', { newKeyName: 'note too', includeMaterial: true })
  expect(clone).toMatchObject({ objectType: 'Secret Data', material: hello.toString('hex') })
  await admin.act('note', 'revoke', { reason: 'Superseded' })
  expect((await admin.act('note', 'destroy')).state).toBe('Destroyed')
  expect(await stored(next.id as string)).not.toHaveProperty('sealed')
})

test.each([
  ['no material', { objectType: 'Opaque Object' }, '#/objectType'],
  ['no material of opaque', { algorithm: 'opaque' }, '#/material'],
  ['another algorithm', { objectType: 'Secret Data', algorithm: 'aes', material: '00'.repeat(16) }, '#/objectType'],
  ['another object type', { objectType: 'Symmetric Key', algorithm: 'opaque', material: '00' }, '#/objectType'],
  ['another format', { algorithm: 'opaque', format: 'raw', material: '00' }, '#/material'],
  ['a use but export', { algorithm: 'opaque', usageMask: 4, material: '00' }, '#/usageMask'],
  ['a use of a certificate', { objectType: 'Certificate', usageMask: 2, material: rootCert }, '#/usageMask'],
  ['a size that differs', { algorithm: 'opaque', size: 16, material: '00' }, '#/material'],
  ['more than 32 KiB', { algorithm: 'opaque', encoding: 'base64', material: 'A'.repeat(43_696) }, '#/material'],
  ['no certificate', { objectType: 'Certificate' }, '#/objectType'],
  ['a certificate to come', { objectType: 'Certificate', emptyMaterial: true }, '#/objectType'],
  ['a key for a certificate', { objectType: 'Certificate', material: issue('a').key }, '#/material'],
  ['two certificates', { objectType: 'Certificate', material: rootCert + rootCert }, '#/material'],
  [
    'a certificate and more',
    { objectType: 'Certificate', encoding: 'hex', material: `${derOf(rootCert)}00` },
    '#/material',
  ],
  ['a format of a certificate', { objectType: 'Certificate', format: 'pkcs8', material: rootCert }, '#/material'],
  ['another algorithm of it', { objectType: 'Certificate', algorithm: 'rsa', material: rootCert }, '#/material'],
  ['another curve of it', { objectType: 'Certificate', curveid: 'secp384r1', material: rootCert }, '#/material'],
  ['a certificate as a key', { algorithm: 'ec', material: rootCert }, '#/material'],
])('import refuses %s', async (_what, body, field) => {
  expectRefused(await vault().admin.call('POST', KEYS, body), 422, 2, field)
})
function derOf(pem: string): string {
  return new X509Certificate(pem).raw.toString('hex')
}

test('a certificate is known by its fingerprints and names, and linked to the keys it is for', async () => {
  const { admin, user } = vault()
  const { cert, key } = issue('keys.example')
  const pair = await admin.create({ name: 'pair', algorithm: 'ec', material: key })
  const made = await admin.create({ name: 'cert', objectType: 'Certificate', material: cert, unexportable: true })
  const { raw, validTo } = new X509Certificate(cert)
  expect(made).toMatchObject({ algorithm: 'ec', curveid: 'prime256v1', size: 256, format: 'x509', usageMask: 0 })
  expect(made.sha1Fingerprint).toBe(createHash('sha1').update(raw).digest('hex'))
  expect(made.sha256Fingerprint).toBe(createHash('sha256').update(raw).digest('hex'))
  expect(made.certificate).toMatchObject({ subject: 'CN=keys.example', issuer: 'CN=tests of objects' })
  expect(Date.parse(made.certificate.notAfter as string)).toBe(Date.parse(validTo))
  const halves = [
    { type: 'privateKey', target: pair.id },
    { type: 'publicKey', target: pair.links[0].target },
  ]
  expect(made.links).toHaveLength(2)
  expect(made.links).toEqual(expect.arrayContaining(halves))
  // it is public, so the flag does not prevent its export
  expect((await admin.act('cert', 'export', {})).material).toBe(cert)
  expect((await admin.act('cert', 'export', { encoding: 'hex' })).material).toBe(raw.toString('hex'))
  expectRefused(await admin.tryAct('cert', 'export', { format: 'pkcs1' }), 422, 2, '#/format')
  expect(await admin.names('?objectType=Certificate')).toEqual(['cert'])
  const ann = (await user('ann of objects', ['Key Users'])).holder
  expect((await ann.create({ objectType: 'Certificate', encoding: 'hex', material: derOf(cert) })).links).toEqual([])
})

test('the private key of a certificate that is kept here is not deleted before it', async () => {
  const { admin } = vault()
  const { cert, key } = issue('needs its key')
  await admin.create({ name: 'certified', algorithm: 'ec', material: key })
  await admin.create({ name: 'its-cert', objectType: 'Certificate', material: cert })
  const refused = await admin.call('DELETE', '/v1/vault/keys2/certified')
  expectRefused(refused, 409, 9)
  expect(refused.body.detail).toBe('The key certified is used by 1 certificate. Users: its-cert.')
  const uses = [{ kind: 'certificate', count: 1, names: ['its-cert'], haveCopies: false }]
  expect(await admin.ok('GET', '/v1/vault/keys2/certified/uses')).toEqual({ isUsed: true, uses })
  expect(await admin.ok('GET', '/v1/vault/keys2/its-cert/uses')).toEqual({ isUsed: false, uses: [] })
  expectRefused(await admin.call('GET', '/v1/vault/keys2/absent/uses'), 404, 5)
  await admin.remove('its-cert')
  await admin.remove('certified')
})

test('a certificate is renewed by import, also for another key; the pair rotates separately', async () => {
  const { admin } = vault()
  const [first, second] = [issue('one'), issue('two')]
  await admin.create({ name: 'renewed', objectType: 'Certificate', material: first.cert })
  const pair = await admin.create({ name: 'second pair', algorithm: 'ec', material: second.key })
  expectRefused(await admin.tryAct('renewed', 'versions', {}), 422, 2, '#/material')
  expectRefused(
    await admin.tryAct('renewed', 'versions', { material: second.cert, usageMask: 1 }),
    422,
    2,
    '#/usageMask',
  )
  const next = await admin.act('renewed', 'versions', { material: second.cert })
  expect(next).toMatchObject({ version: 1, objectType: 'Certificate', certificate: { subject: 'CN=two' } })
  expect(next.links).toContainEqual({ type: 'privateKey', target: pair.id })
  await admin.act('renewed', 'revoke', { reason: 'Superseded' })
  await admin.act('renewed', 'destroy')
  await admin.remove('renewed')
  expect((await admin.get('second pair')).state).toBe('Active')
  expect((await admin.act('second pair', 'versions', {})).version).toBe(1)
})

test('the check value of a symmetric key is computed from its material; other objects have none', async () => {
  const { admin, user } = vault()
  await admin.create({ name: 'zero', size: 128, material: '00'.repeat(16) })
  expect(await admin.act('zero', 'generate-kcv')).toEqual({ kcv: '66e94b' })
  const mac = await admin.create({ name: 'mac', algorithm: 'hmac-sha256' })
  expect(await admin.act('mac', 'generate-kcv')).toEqual({ kcv: mac.keyCheckValue })
  await admin.act('mac', 'versions', {})
  expect(await admin.act('mac', 'generate-kcv', undefined, '?version=0')).toEqual({ kcv: mac.keyCheckValue })
  await admin.create({ name: 'none yet', emptyMaterial: true })
  expectRefused(await admin.tryAct('none yet', 'generate-kcv'), 409, 8)
  await admin.create({ name: 'signs', algorithm: 'ec' })
  expectRefused(await admin.tryAct('signs', 'generate-kcv'), 422, 2)
  const bob = (await user('bob of objects', ['Key Users'])).holder
  expectRefused(await bob.tryAct('zero', 'generate-kcv'), 404, 5)
})

test('an object that is no key gets no other use later', async () => {
  const { admin } = vault()
  const { id } = await admin.create({ objectType: 'Secret Data', material: '00' })
  expectRefused(await admin.call('PATCH', pathOf(id as string), { usageMask: 68 }), 422, 2, '#/usageMask')
  expect((await admin.update(id as string, { usageMask: 0 })).usageMask).toBe(0)
  expectRefused(await admin.tryAct(id as string, 'export', {}), 403, 11)
  expectRefused(await admin.call('POST', KEYS, { material: 'AAAA', wrapKeyName: id }), 403, 12, '#/wrapKeyName')
})

const HALVES = ['01'.repeat(16), '02'.repeat(16)] as const
const WHOLE = HALVES.join('')

test.each([
  [undefined, 256],
  [128, 128],
])('an xts key of size %s is made, rotated, cloned, exported and imported again', async (size, bits) => {
  const { admin } = vault()
  const name = `xts ${bits}`
  const made = await admin.create({ name, xts: true, ...(size !== undefined && { size }) }, '?includeMaterial=true')
  expect(made).toMatchObject({ algorithm: 'aes', xts: true, size: bits, objectType: 'Symmetric Key', usageMask: 124 })
  expect(made.material).toHaveLength(bits / 2)
  expect(await admin.act(name, 'generate-kcv')).toEqual({ kcv: made.keyCheckValue })
  const apart = await admin.act(name, 'export', { combineXts: false })
  expect(`${apart.material}${apart.tweakKey.material}`).toBe(made.material)
  expect(apart.material).toHaveLength(bits / 4)
  const whole = await admin.act(name, 'export', { combineXts: true })
  expect(whole.material).toBe(made.material)
  expect(whole).not.toHaveProperty('tweakKey')
  const clone = await admin.act(name, 'clone', { newKeyName: `${name} too`, includeMaterial: true })
  expect(clone).toMatchObject({ xts: true, size: bits, material: made.material, keyCheckValue: made.keyCheckValue })
  const next = await admin.act(name, 'versions', {})
  expect(next).toMatchObject({ xts: true, size: bits, version: 1 })
  expect(next.keyCheckValue).not.toBe(made.keyCheckValue)
  expect((await admin.act(name, 'versions', { material: made.material })).keyCheckValue).toBe(made.keyCheckValue)
  expectRefused(await admin.tryAct(name, 'versions', { material: 'ab'.repeat(bits / 8) }), 422, 2, '#/material')
  expect(await admin.act(name, 'attributes', { attribute: 'xts' })).toMatchObject({ value: true })
})

test('an xts key is wrapped in one piece or in two, and many are exported in one call', async () => {
  const { admin } = vault()
  await admin.create({ name: 'xts', xts: true, material: WHOLE, size: 128 })
  await admin.create({ name: 'no xts' })
  await admin.create({ name: 'kek of xts' })
  const kek = { wrapKeyName: 'kek of xts' }
  const { material } = await admin.act('xts', 'export', kek)
  const again = await admin.create({ name: 'unwrapped', xts: true, material, ...kek })
  expect(again).toMatchObject({ xts: true, size: 128 })
  expect((await admin.act('unwrapped', 'export', {})).material).toBe(WHOLE)
  const apart = await admin.act('xts', 'export', { ...kek, combineXts: false })
  for (const [at, piece] of [apart, apart.tweakKey].entries()) {
    const half = await admin.create({ name: `half ${at}`, material: piece.material, ...kek })
    expect(half).toMatchObject({ size: 128 })
    expect(half).not.toHaveProperty('xts')
    expect((await admin.act(`half ${at}`, 'export', {})).material).toBe(HALVES[at])
  }
  for (const how of [{ wrappingMethod: 'pbe' }, { format: 'jwe' }]) {
    const under = { ...how, password: 'Pass-word-1' }
    const { material } = await admin.act('xts', 'export', under)
    const { id } = await admin.create({ xts: true, size: 128, material, ...under })
    expect((await admin.act(id as string, 'export', {})).material).toBe(WHOLE)
  }
  await admin.create({ name: 'voucher', algorithm: 'hmac-sha256' })
  const vouched = { wrapKeyName: 'voucher', wrappingMethod: 'mac/sign', combineXts: false }
  const { macSignature, tweakKey } = await admin.act('xts', 'export', vouched)
  expect(tweakKey).toMatchObject({ material: HALVES[1], macSignature: expect.any(String) })
  expect(tweakKey.macSignature).not.toBe(macSignature)
  const bulk = { ids: ['xts', 'no xts'], combineXts: false }
  const [xts, other] = await admin.ok('POST', '/v1/vault/keys-bulk-export', bulk)
  expect([xts.material, xts.tweakKey]).toEqual([HALVES[0], { material: HALVES[1] }])
  expect(other).not.toHaveProperty('tweakKey')
})

test('an xts key gets its material later, and a template may ask for one', async () => {
  const { admin } = vault()
  expect(await admin.create({ name: 'later', xts: true, emptyMaterial: true })).toMatchObject({ xts: true, size: 256 })
  expectRefused(await admin.tryAct('later', 'versions', { material: WHOLE }), 422, 2, '#/material')
  const material = `${'01'.repeat(32)}${'02'.repeat(32)}`
  expect(await admin.act('later', 'versions', { material })).toMatchObject({ xts: true, emptyMaterial: false })
  await admin.ok('POST', '/v1/vault/templates', { name: 'of disks', xts: true })
  expect(await admin.create({ templateId: 'of disks' })).toMatchObject({ xts: true, size: 256 })
  expectRefused(await admin.call('POST', KEYS, { templateId: 'of disks', algorithm: 'rsa' }), 422, 2, '#/xts')
})

test.each([
  ['equal halves', { material: HALVES[0] + HALVES[0] }, '#/material'],
  ['material of one half', { size: 128, material: HALVES[0] }, '#/material'],
  ['material of another size', { size: 256, material: WHOLE }, '#/material'],
  ['192 bits', { size: 192 }, '#/size'],
  ['192 bits, to be imported later', { size: 192, emptyMaterial: true }, '#/size'],
  ['another algorithm', { algorithm: 'aria' }, '#/xts'],
  ['a pair', { algorithm: 'rsa' }, '#/xts'],
  ['another kind of object', { objectType: 'Secret Data', material: WHOLE }, '#/xts'],
])('an xts key with %s is refused', async (_what, body, field) => {
  expectRefused(await vault().admin.call('POST', KEYS, { xts: true, ...body }), 422, 2, field)
})

test('an xts key wraps nothing', async () => {
  const { admin } = vault()
  await admin.create({ name: 'no kek', xts: true, size: 128, usageMask: 16 + 32 })
  await admin.create({ name: 'to wrap' })
  const refused = await admin.tryAct('to wrap', 'export', { wrapKeyName: 'no kek' })
  expectRefused(refused, 422, 2, '#/wrapKeyName')
  expect(refused.body.detail).toContain('xts')
  const material = Buffer.alloc(24).toString('base64')
  expectRefused(await admin.call('POST', KEYS, { material, wrapKeyName: 'no kek' }), 422, 2, '#/wrapKeyName')
})

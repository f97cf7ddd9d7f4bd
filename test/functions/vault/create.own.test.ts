import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { expectRefused, HOUR, KEYS, pathOf, useVault } from './vault.ts'

const vault = useVault({ environment: { KEYMGR_LEGACY_ALGORITHMS: 'allowed' } })

const MASKS: Record<string, [mask: number, usage: string]> = {
  aes: [124, 'encryption/wrap'],
  aria: [124, 'encryption/wrap'],
  tdes: [124, 'encryption/wrap'],
  'hmac-sha1': [448, 'mac'],
  'hmac-sha256': [448, 'mac'],
  'hmac-sha384': [448, 'mac'],
  'hmac-sha512': [448, 'mac'],
  rsa: [79, 'encryption/signing'],
  ec: [67, 'signing'],
}

test.each([
  ['aes', [256, 192, 128]],
  ['aria', [256, 192, 128]],
  ['tdes', [192, 128]],
  ['hmac-sha1', [160, 128, 136, 512]],
  ['hmac-sha256', [256, 192, 128]],
  ['hmac-sha384', [384, 288, 192]],
  ['hmac-sha512', [512, 384, 256]],
])('%s has its sizes, the first of them by default', async (algorithm, sizes) => {
  const { admin } = vault()
  for (const [size, asked] of [[sizes[0], undefined], ...sizes.map((size) => [size, size])]) {
    const made = await admin.create({ algorithm, ...(asked !== undefined && { size: asked }) }, '?includeMaterial=true')
    const [usageMask, usage] = MASKS[algorithm] ?? []
    const plain = { objectType: 'Symmetric Key', format: 'raw', state: 'Active', version: 0, links: [], aliases: [] }
    expect(made).toMatchObject({ ...plain, algorithm, size, usageMask, usage, unexportable: false, labels: {} })
    expect(made.material).toMatch(/^[0-9a-f]+$/)
    expect(made.material.length * 4).toBe(size)
    expect(made.keyCheckValue).toMatch(/^[0-9a-f]{6}$/)
    expect(made.legacy).toBe(algorithm === 'tdes' ? true : undefined)
  }
})

test.each([2048, 1024, 3072, 4096])('rsa of %i bits is a pair of linked halves', async (size) => {
  const { admin } = vault()
  const asked = size === 2048 ? { algorithm: 'rsa' } : { algorithm: 'rsa', size }
  const made = await admin.create({ ...asked, name: `rsa ${size}` }, '?includeMaterial=true')
  expect(made).toMatchObject({ size, objectType: 'Private Key', format: 'pkcs8', usageMask: 79 })
  const key = createPrivateKey(made.material as string)
  expect(key.asymmetricKeyDetails?.modulusLength).toBe(size)
  const half = await admin.get(`rsa ${size}_public`)
  expect(made.links).toEqual([{ type: 'publicKey', target: half.id }])
  expect(half).toMatchObject({ size, objectType: 'Public Key', usageMask: 70, usage: 'encryption/signing' })
  expect(half.links).toEqual([{ type: 'privateKey', target: made.id }])
  expect([made.legacy, half.legacy]).toEqual(size < 2048 ? [true, true] : [undefined, undefined])
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const prints = { sha1Fingerprint: 'sha1', sha256Fingerprint: 'sha256' }
  for (const [field, hash] of Object.entries(prints))
    expect([made[field], half[field]]).toEqual(Array(2).fill(createHash(hash).update(spki).digest('hex')))
})

const BRAINPOOL = [160, 192, 224, 256, 320, 384, 512].flatMap((size) =>
  ['r', 't'].map((kind): [string, number] => [`brainpoolP${size}${kind}1`, size]),
)
test.each([
  ['prime256v1', 256],
  ['secp224k1', 224],
  ['secp224r1', 224],
  ['secp256k1', 256],
  ['secp384r1', 384],
  ['secp521r1', 521],
  ...BRAINPOOL,
  ['curve25519', 256],
] as [string, number][])('ec on %s', async (curveid, size) => {
  const { admin } = vault()
  const made = await admin.create({ algorithm: 'EC', curveid, size: 17 }, '?includeMaterial=true')
  expect(made).toMatchObject({ algorithm: 'ec', curveid, size, usageMask: 67, objectType: 'Private Key' })
  const { asymmetricKeyDetails, asymmetricKeyType } = createPrivateKey(made.material as string)
  expect(asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType).toBe(curveid === 'curve25519' ? 'ed25519' : curveid)
  expect(await admin.get(made.links[0].target as string)).toMatchObject({ curveid, size, usageMask: 66 })
  expect(made.legacy).toBe(size < 224 ? true : undefined)
})

test('by default a key is AES-256 with a generated name, and ec is on prime256v1', async () => {
  const { admin } = vault()
  const [one, other] = [await admin.create(), await admin.create()]
  expect(one).toMatchObject({ algorithm: 'aes', size: 256, unexportable: false, undeletable: false })
  expect(one.name).not.toBe('')
  expect(one.name).not.toBe(other.name)
  expect(one.id).toMatch(/^[0-9a-f]{64}$/)
  expect(one.id).not.toBe(other.id)
  expect(one).toMatchObject({ neverExported: true, neverExportable: false, emptyMaterial: false })
  expect(one.uri).toBe(`keymgr:${ROOT_DOMAIN_ID}:vault:keys:${one.name}-v0`)
  expect(one.account).toBe(`keymgr:keymgr:admin:accounts:${ROOT_DOMAIN_ID}`)
  expect(one).not.toHaveProperty('material')
  expect(one).not.toHaveProperty('sealed')
  expect((await admin.create({ algorithm: 'ec' })).curveid).toBe('prime256v1')
})

test.each([
  ['aes', 60],
  ['ec', 3],
  ['hmac-sha256', 384],
])('an unexportable %s has no Export use by default, its public half has', async (algorithm, usageMask) => {
  const { admin } = vault()
  const made = await admin.create({ algorithm, unexportable: true })
  expect(made).toMatchObject({ usageMask, unexportable: true, neverExportable: true })
  if (algorithm === 'ec')
    expect(await admin.get(`${made.name}_public`)).toMatchObject({ unexportable: false, usageMask: 66 })
})

test.each(['seed', 'blowfish', 'constructor'])('%s is refused by name', async (algorithm) => {
  const refused = await vault().admin.call('POST', KEYS, { algorithm })
  expectRefused(refused, 422, 2, '#/algorithm')
  if (!['blowfish', 'constructor'].includes(algorithm)) expect(refused.body.detail).toContain(algorithm)
})

test.each([
  ['a size aes does not have', { size: 512 }, 422, '#/size'],
  ['an rsa key of 512 bits', { algorithm: 'rsa', size: 512 }, 422, '#/size'],
  ['an odd rsa size', { algorithm: 'rsa', size: 2047 }, 422, '#/size'],
  ['a size of another hash', { algorithm: 'hmac-sha256', size: 512 }, 422, '#/size'],
  ['a short hmac', { algorithm: 'hmac-sha1', size: 120 }, 422, '#/size'],
  ['an hmac of broken bytes', { algorithm: 'hmac-sha1', size: 129 }, 422, '#/size'],
  ['a size in words', { size: '256' }, 400, '#/size'],
  ['an id to be made and one given', { generateKeyId: true, keyId: 'mine' }, 422, '#/generateKeyId'],
  ['a size of an id that is not made', { idSize: 16 }, 422, '#/idSize'],
  ['an id that is too short', { generateKeyId: true, idSize: 7 }, 422, '#/idSize'],
  ['an id that is too long', { generateKeyId: true, idSize: 65 }, 422, '#/idSize'],
  ['a weak curve', { algorithm: 'ec', curveid: 'prime192v1' }, 422, '#/curveid'],
  ['an unknown curve', { algorithm: 'ec', curveid: 'p-256' }, 422, '#/curveid'],
  ['a curve for aes', { curveid: 'prime256v1' }, 422, '#/curveid'],
  ['a usage beyond all bits', { usageMask: 4_194_304 }, 422, '#/usageMask'],
  ['an object type of another kind', { objectType: 'Private Key' }, 422, '#/objectType'],
  ['a public key out of nothing', { algorithm: 'rsa', objectType: 'Public Key' }, 422, '#/objectType'],
  ['a certificate', { objectType: 'Certificate' }, 422, '#/objectType'],
  ['processing before activation', dated('activationDate', 'processStartDate'), 422, '#/processStartDate'],
  ['deactivation before activation', dated('activationDate', 'deactivationDate'), 422, '#/deactivationDate'],
  ['deactivation before the stop', dated('protectStopDate', 'deactivationDate'), 422, '#/deactivationDate'],
  ['a date without a time', { activationDate: '2030-01-01' }, 422, '#/activationDate'],
  ['a state that only imports have', { state: 'Compromised' }, 422, '#/state'],
  ['an unknown state', { state: 'Asleep' }, 422, '#/state'],
  ['material that is and is not', { material: 'ab', emptyMaterial: true }, 422, '#/emptyMaterial'],
  ['a password for nothing', { password: 'secret' }, 422, '#/password'],
  ['a wrapping key for nothing', { wrapKeyName: 'kek' }, 422, '#/wrapKeyName'],
  ['a label name of 64 characters', { labels: { ['l'.repeat(64)]: '' } }, 422, undefined],
  ['51 labels', { labels: labels(51) }, 422, '#/labels'],
  ['a label that is a number', { labels: { a: 1 } }, 400, '#/labels/a'],
  ['an alias of another type', { aliases: [{ alias: 'a', type: 'email' }] }, 422, '#/aliases/0/type'],
  ['an alias with an index', { aliases: [{ alias: 'a', index: 3 }] }, 400, '#/aliases/0/index'],
  ['permissions of an unknown kind', { meta: { permissions: { SellKey: ['x'] } } }, 400, '#/meta/permissions/SellKey'],
  ['permissions that are no list', { meta: { permissions: { UseKey: 'x' } } }, 400, '#/meta/permissions/UseKey'],
  ['more meta than a record holds', { meta: { text: 'x'.repeat(17_000) } }, 422, '#/meta'],
  ['a rotation period below zero', { rotationFrequencyDays: -1 }, 422, '#/rotationFrequencyDays'],
  ['an iv that is no hex', { defaultIV: 'xyz' }, 422, '#/defaultIV'],
  ['a name with <', { name: 'a<b' }, 422, '#/name'],
  ['a name with a backslash', { name: 'a\\b' }, 422, '#/name'],
  ['a name with a line break', { name: 'a\nb' }, 422, '#/name'],
  ['an empty name', { name: '' }, 422, '#/name'],
  ['a name of 256 characters', { name: 'n'.repeat(256) }, 422, '#/name'],
  ['a pair without room for the public name', { algorithm: 'ec', name: 'n'.repeat(249) }, 422, '#/name'],
  ['a field we do not know', { colour: 'red' }, 400, '#/colour'],
])('create refuses %s', async (_what, body, status, field) => {
  const { admin } = vault()
  const before = (await admin.list('?limit=1')).total
  expectRefused(await admin.call('POST', KEYS, body), status, status === 400 ? 1 : 2, ...(field ? [field] : []))
  expect((await admin.list('?limit=1')).total).toBe(before)
})

function dated(earlier: string, latter: string) {
  return { [earlier]: '2031-01-02T00:00:00Z', [latter]: '2031-01-01T00:00:00Z' }
}
function labels(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`label-${at}`, String(at)]))
}

test('several errors are reported at once, of schemas and of rules', async () => {
  const refused = await vault().admin.call('POST', KEYS, {
    algorithm: 'seed',
    colour: 'red',
    usageMask: -1,
    password: 'secret',
    activationDate: '2031-01-02T00:00:00Z',
    deactivationDate: '2031-01-01T00:00:00Z',
  })
  expectRefused(refused, 400, 1, '#/algorithm', '#/colour', '#/usageMask', '#/password', '#/deactivationDate')
})

test('every field of a body is stored in the record', async () => {
  const { admin } = vault()
  const said = {
    usageMask: 4_194_303,
    labels: labels(50),
    meta: { purpose: { of: ['tests', 1, null] }, permissions: { UseKey: ['Key Users'] } },
    rotationFrequencyDays: 30,
    description: 'für alles',
    defaultIV: '00112233445566778899aabb',
    keyId: 'key-7',
    uuid: 'u-7',
    muid: 'm-7',
    name: 'n'.repeat(248),
  }
  const made = await admin.create({ ...said, aliases: [{ alias: 'one' }, { alias: 'urn:two', type: 'uri' }] })
  expect(made).toMatchObject(said)
  expect(made.rotationDateReached).toBe(false)
  expect(made.usage).toBe('encryption/signing/mac/wrap/fpe')
  expect(made.aliases).toEqual([
    { alias: 'one', type: 'string', index: 0 },
    { alias: 'urn:two', type: 'uri', index: 1 },
  ])
  expect(await admin.get(made.id as string)).toEqual(made)
})

test('a random keyId is generated on request, for both halves of a pair and all versions', async () => {
  const { admin } = vault()
  const { name, keyId } = await admin.create({ algorithm: 'ec', generateKeyId: true })
  expect(keyId).toMatch(/^[0-9a-f]{32}$/)
  expect((await admin.get(`${name}_public`)).keyId).toBe(keyId)
  expect((await admin.act(name as string, 'versions', {})).keyId).toBe(keyId)
  expect((await admin.create({ generateKeyId: true, idSize: 64 })).keyId).toMatch(/^[0-9a-f]{128}$/)
  expect(await admin.create({ generateKeyId: false })).not.toHaveProperty('keyId')
})

test('names and aliases share one namespace, and a taken one is pointed at', async () => {
  const { admin } = vault()
  await admin.create({ name: 'taken', aliases: [{ alias: 'also taken' }] })
  await admin.create({ name: 'half_public' })
  for (const [body, field] of [
    [{ name: 'taken' }, '#/name'],
    [{ name: 'also taken' }, '#/name'],
    [{ name: 'free', aliases: [{ alias: 'free too' }, { alias: 'taken' }] }, '#/aliases/1/alias'],
    [{ name: 'free', aliases: [{ alias: 'also taken' }] }, '#/aliases/0/alias'],
    [{ name: 'free', aliases: [{ alias: 'free' }] }, '#/aliases/0/alias'],
    [{ name: 'free', aliases: [{ alias: 'twice' }, { alias: 'twice' }] }, '#/aliases/1/alias'],
    [{ name: 'half', algorithm: 'ec' }, '#/name'],
  ] as const)
    expectRefused(await admin.call('POST', KEYS, body), 409, 7, field)
  await admin.create({ name: 'free' })
  await admin.create({ name: 'Taken' }) // compared case-sensitively
})

test('a key without material waits for its first version with material, pairs included', async () => {
  const { admin } = vault()
  const made = await admin.create({ name: 'empty', emptyMaterial: true, size: 128 })
  expect(made).toMatchObject({ emptyMaterial: true, size: 128, state: 'Active' })
  expect(made).not.toHaveProperty('keyCheckValue')
  expectRefused(await admin.tryAct('empty', 'export', {}), 409, 8)
  const filled = await admin.act('empty', 'versions', { material: '00'.repeat(16) })
  expect(filled).toMatchObject({ version: 1, emptyMaterial: false, size: 128 })

  const pair = await admin.create({ name: 'empty pair', algorithm: 'ec', emptyMaterial: true })
  expect(pair).toMatchObject({ objectType: 'Private Key', curveid: 'prime256v1', size: 256, links: [] })
  expect(await admin.names('?name=empty%20pair*')).toEqual(['empty pair'])
  const whole = await admin.act('empty pair', 'versions')
  expect((await admin.get('empty pair_public')).links).toEqual([{ type: 'privateKey', target: whole.id }])
})

test('the state follows from the body: Active, or Pre-Active if requested or activated later', async () => {
  const { admin, at } = vault()
  const now = await admin.create()
  expect(now.activationDate).toBe(now.createdAt)
  expect(await admin.create({ state: 'Pre-Active' })).not.toHaveProperty('activationDate')
  const activationDate = at(HOUR)
  for (const state of [undefined, 'Active', 'Pre-Active'])
    expect(await admin.create({ ...(state && { state }), activationDate })).toMatchObject({
      state: 'Pre-Active',
      activationDate,
    })
  expect(await admin.create({ activationDate: at(-HOUR) })).toMatchObject({ state: 'Active' })
})

test('includeMaterial answers exportable material and counts as an export', async () => {
  const { admin } = vault()
  const ask = (body: object) => admin.call('POST', `${KEYS}?includeMaterial=true`, body)
  expectRefused(await ask({ unexportable: true }), 403, 11)
  expectRefused(await ask({ usageMask: 12 }), 403, 11)
  expectRefused(await admin.call('POST', `${KEYS}?includeMaterial=yes`, {}), 400, 1, 'includeMaterial')
  expectRefused(await admin.call('POST', `${KEYS}?include=true`, {}), 400, 1, 'include')
  const made = await admin.create({}, '?includeMaterial=true')
  expect(made.neverExported).toBe(false)
  const got = await admin.get(made.id as string)
  expect(got.neverExported).toBe(false)
  expect(got).not.toHaveProperty('material')
  expect((await admin.create({}, '?includeMaterial=false')).neverExported).toBe(true)
})

test('Key Users own the keys that they create and create none for others; Key Admins may', async () => {
  const { admin, user } = vault()
  const ann = await user('ann', ['Key Users'])
  const kim = await user('kim', ['Key Admins'])
  const own = await ann.holder.create({ meta: { note: 'mine' } })
  expect(own.meta).toEqual({ note: 'mine', ownerId: ann.sub })
  expect((await ann.holder.create({ meta: { ownerId: ann.sub } })).meta.ownerId).toBe(ann.sub)
  expectRefused(await ann.holder.call('POST', KEYS, { meta: { ownerId: kim.sub } }), 403, 4, '#/meta/ownerId')
  expect((await kim.holder.create({ meta: { ownerId: ann.sub } })).meta.ownerId).toBe(ann.sub)
  expect((await kim.holder.create({ assignSelfAsOwner: true })).meta.ownerId).toBe(kim.sub)
  expect(await admin.create()).not.toHaveProperty('meta')
  const pair = await ann.holder.create({ algorithm: 'ec' })
  expect((await ann.holder.get(pair.links[0].target as string)).meta.ownerId).toBe(ann.sub)
})

test('of 50 concurrent creates of one name one succeeds; with 50 names all do; counts are exact', async () => {
  const { admin } = vault()
  const total = async (query = '?limit=1') => (await admin.list(query)).total as number
  const before = await total()
  const same = await Promise.all(Array.from({ length: 50 }, () => admin.call('POST', KEYS, { name: 'contended' })))
  expect(same.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(49).fill(409)])
  for (const lost of same.filter(({ status }) => status === 409)) expectRefused(lost, 409, 7, '#/name')
  expect(await total()).toBe(before + 1)
  const each = await Promise.all(
    Array.from({ length: 50 }, (_, at) => admin.call('POST', KEYS, { name: `crowd-${at}` })),
  )
  expect(each.map(({ status }) => status)).toEqual(Array(50).fill(201))
  expect(new Set(each.map(({ body }) => body.id)).size).toBe(50)
  expect(await total()).toBe(before + 51)
  expect(await total('?state=Active,Pre-Active&limit=1')).toBe(before + 51)
  expect(await total('?name=crowd-*&limit=1')).toBe(50)
  const gone = await Promise.all(each.map(({ body }) => admin.call('DELETE', pathOf(body.id as string))))
  expect(gone.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(await total()).toBe(before + 1)
})

import { afterEach, expect, test } from 'vitest'
import type { CloudBKeySpec, CloudBPlace } from '../../../../shared/clouds/cloud-b/adapter/types.ts'
import { cloudB } from '../../../../shared/clouds/cloud-b/adapter/verbs.ts'
import { CloudBKeyParam, RECORD_TAG } from '../../../../shared/clouds/cloud-b/param.ts'
import { LOCAL_ALGORITHMS } from '../../../../shared/crypto/algorithms.ts'
import { generateMaterial } from '../../../../shared/crypto/key-material.ts'
import { HOUR_MS, later, toSeconds } from '../../../../shared/base/time.ts'
import { clear, materialMarker, refusalOf, twice } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newName, POOL, urlOf, useCloudB, VAULT } from './simulated.ts'

const own = useCloudB()
const { place } = own
const { keys } = cloudB

afterEach(() => {
  own.cloud.reset()
  own.cloud.setDelays({ creation: 0, deletion: 0, recovery: 0 })
  own.clock.set(new Date())
})

const ec = (more: Partial<CloudBKeySpec> = {}): CloudBKeySpec => ({
  name: newName(),
  mark: crypto.randomUUID(),
  kty: 'EC',
  ...more,
})
const create = (more?: Partial<CloudBKeySpec>, at: CloudBPlace = place()) =>
  keys.create(at, ec(more), new Book().open())
const nameOf = (ref: string): string => ref.split('/')[0] ?? ''
const bytesThere = (vault: string, ref: string) => own.cloud.materialOf(vault, nameOf(ref), ref.split('/')[1])
const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work)).reason
const ecMaterial = (curve = 'prime256v1') => generateMaterial(LOCAL_ALGORITHMS.ec, { curve })

/** All refs of a place, page by page. */
async function allRefs(at: CloudBPlace): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await keys.refs(at, cursor)
    pages.push([...page.refs])
    cursor = page.next
  } while (cursor !== undefined)
  return pages
}

test('a version is described in the words of the interface, always in the same order', async () => {
  const [nbf, exp] = [toSeconds(own.clock.now()) - 10, 4_000_000_000]
  const attributes = { enabled: true, nbf, exp }
  const spec = ec({ crv: 'SECP256K1', key_ops: ['sign'], tags: { zone: 'b', area: 'a' }, attributes })
  const { ref, param, is_latest } = await keys.create(place(), spec, new Book().open())
  expect(is_latest).toBe(true)
  expect(param).toEqual({
    key: {
      kid: `${urlOf(VAULT)}/keys/${ref}`,
      kty: 'EC',
      key_ops: ['sign'],
      crv: 'SECP256K1',
      x: param.key.x,
      y: param.key.y,
    },
    attributes: {
      ...attributes,
      created: param.attributes.created,
      updated: param.attributes.updated,
      recoveryLevel: 'Recoverable+Purgeable',
      recoverableDays: 90,
      exportable: false,
    },
    tags: { area: 'a', [RECORD_TAG]: spec.mark, zone: 'b' },
  })
  const order = Object.keys(CloudBKeyParam.shape)
  expect(Object.keys(param)).toEqual(order.filter((name) => name in param))
  expect(Object.keys(param.tags)).toEqual(['area', RECORD_TAG, 'zone'])
})

const MATERIALS = [
  ['rsa', { sizeBits: 3072 }, 'RSA', VAULT],
  ['ec', { curve: 'prime256v1' }, 'EC', VAULT],
  ['ec', { curve: 'secp384r1' }, 'EC', VAULT],
  ['ec', { curve: 'secp521r1' }, 'EC', VAULT],
  ['ec', { curve: 'secp256k1' }, 'EC', VAULT],
  ['aes', { sizeBits: 128 }, 'oct', POOL],
] as const

test.each(MATERIALS)(
  '%s %o is imported in clear and under a key-exchange key',
  async (algorithm, wanted, family, vault) => {
    const at = place({ vault })
    const material = await generateMaterial(LOCAL_ALGORITHMS[algorithm], wanted)
    const kek = await create({ kty: 'RSA-HSM', key_ops: ['import'] }, at)
    const ways = [
      [{}, vault === POOL ? `${family}-HSM` : family],
      [{ hsm: true }, `${family}-HSM`],
      [{ hsm: true, kek_kid: kek.param.key.kid }, `${family}-HSM`],
      [{ kek_kid: `${urlOf(vault)}/keys/${nameOf(kek.ref)}` }, `${family}-HSM`],
    ] as const
    for (const [more, kty] of ways) {
      const spec: CloudBKeySpec = { name: newName(), mark: crypto.randomUUID(), ...more }
      const { ref, param } = await keys.upload(at, spec, material, new Book().open())
      expect(param.key.kty).toBe(kty)
      expect(await bytesThere(vault, ref)).toEqual(clear(material))
    }
  },
)

test.each([
  ['an AES key for a vault', 'aes', {}, VAULT],
  ['a curve that vaults do not have', 'ec', { curve: 'brainpoolP256r1' }, VAULT],
  ['an Edwards curve', 'ec', { curve: 'curve25519' }, VAULT],
  ['an HMAC key', 'hmac-sha256', {}, POOL],
] as const)('%s is refused, saying what vaults take', async (_what, algorithm, wanted, vault) => {
  const material = await generateMaterial(LOCAL_ALGORITHMS[algorithm], wanted)
  const uploading = keys.upload(place({ vault }), { name: newName(), mark: 'm' }, material, new Book().open())
  const refused = await refusalOf(uploading, [materialMarker(material)])
  expect([refused.reason, refused.message]).toEqual([
    'RULE_BROKEN',
    expect.stringContaining('Vaults take private RSA keys'),
  ])
  expect(own.cloud.calls()).toEqual([])
})

test('a key-exchange key must be usable, in the same vault, and have no other use', async () => {
  const soon = toSeconds(own.clock.now()) + 3_600
  const kek = { kty: 'RSA-HSM', key_ops: ['import'] } as const
  const made = async (more: Partial<CloudBKeySpec>, at?: CloudBPlace) =>
    (await create({ ...kek, ...more }, at)).param.key.kid
  const cases = [
    [`${urlOf(VAULT)}/keys/${newName()}`, 'does not have'],
    [await made({}, place({ vault: 'shop-spare' })), 'must be the identifier of a key of the vault'],
    [`${urlOf(VAULT)}/secrets/kek`, 'must be the identifier of a key of the vault'],
    [await made({ key_ops: ['wrapKey'] }), 'import and nothing else'],
    [await made({ kty: 'EC-HSM', key_ops: ['sign'] }), 'must name a key of type RSA-HSM'],
    [await made({ attributes: { enabled: false } }), 'is disabled'],
    [await made({ attributes: { nbf: soon } }), 'not valid yet'],
    [await made({ attributes: { exp: soon - 7_200 } }), 'has expired'],
  ] as const
  const material = await ecMaterial()
  for (const [kek_kid, detail] of cases) {
    const spec = { name: newName(), mark: 'm', kek_kid }
    const refused = await refusalOf(keys.upload(place(), spec, material, new Book().open()))
    expect([refused.reason, refused.errors]).toEqual([
      'RULE_BROKEN',
      [{ pointer: '#/kek_kid', detail: expect.stringContaining(detail) }],
    ])
  }
})

test('versions of a name are distinguished, oldest first, also those of one second', async () => {
  const name = newName()
  const refs: string[] = []
  for (let n = 0; n < 4; n++) refs.push((await create({ name })).ref)
  const listed = await keys.versions(place(), name)
  expect([listed.toSorted(), listed.at(-1)]).toEqual([refs.toSorted(), refs[3]])
  const survey = await keys.survey(place())
  for (const [at, ref] of refs.entries()) {
    const seen = await keys.read(place(), ref)
    expect([seen?.ref, seen?.is_latest]).toEqual([ref, at === 3])
    expect(await survey.read(ref)).toEqual(seen)
  }
  expect(await keys.versions(place(), newName())).toEqual([])
})

test('refs contain live names first, then the latest versions of deleted ones, page by page', async () => {
  const at = place({ vault: 'shop-spare' })
  const names = await own.cloud.seedKeys('shop-spare', 30, (n) => ({ name: `s-${n}`, kty: 'EC', versions: 2 }))
  const [gone = '', latest = ''] = await keys.versions(at, names[4] ?? '')
  await keys.remove(at, names[4] ?? '')
  const pages = await allRefs(at)
  const found = pages.flat().filter((ref) => ref.startsWith('s-'))
  expect(new Set(found).size).toBe(found.length)
  expect([found.length, found.includes(gone), found.at(-1)]).toEqual([59, false, latest])
  expect(pages.length).toBeGreaterThan(2)
  expect(await (await keys.survey(at)).read(latest)).toMatchObject({
    is_latest: true,
    deletion: { purge_at: expect.any(String) },
  })
  expect(await (await keys.survey(at)).read(gone)).toBeUndefined()
})

test('a list can be continued only in the same vault', async () => {
  const reasons = [
    'live https://evil.example/keys',
    `deleted ${urlOf('shop-spare')}/keys?x`,
    'live nonsense',
    'other',
  ].map((cursor) => reasonOf(keys.refs(place(), cursor)))
  expect(new Set(await Promise.all(reasons))).toEqual(new Set(['CLOUD_INVALID']))
  expect(own.cloud.calls()).toEqual([])
})

test('a survey lists the versions of a name once, and reads no unchanged one again', async () => {
  const name = newName()
  for (let n = 0; n < 5; n++) {
    await create({ name })
    own.clock.advance(1_000)
  }
  const refs = await keys.versions(place(), name)
  const before = new Map<string, CloudBKeyParam>()
  for (const ref of refs) before.set(ref, (await keys.read(place(), ref))?.param ?? ({} as CloudBKeyParam))
  own.cloud.alterKey(VAULT, name, { tags: { changed: 'yes' } })
  own.cloud.reset()
  const survey = await keys.survey(place())
  const read = await Promise.all(refs.map((ref) => survey.read(ref, before.get(ref))))
  expect(read.map((each, at) => each?.param === before.get(refs[at] ?? ''))).toEqual([true, true, true, true, false])
  expect(read[4]?.param.tags).toEqual({ changed: 'yes' })
  expect(own.cloud.counts()).toMatchObject({ KeyListVersions: 1, KeyGet: 1 })
})

test('a change keeps omitted fields, and the mark', async () => {
  const mark = crypto.randomUUID()
  const made = await create({ mark, tags: { a: '1' }, attributes: { exp: 2_200_000_000 } })
  const { ref } = made
  const off = await keys.update(place(), ref, { attributes: { enabled: false } })
  expect(off.param).toMatchObject({ tags: made.param.tags, attributes: { enabled: false, exp: 2_200_000_000 } })
  await twice(() =>
    keys.update(place(), ref, { tags: { b: '2' }, key_ops: ['verify'], attributes: { exp: 4_294_967_295 } }),
  )
  const seen = await keys.read(place(), ref)
  expect(seen?.param).toMatchObject({
    key: { key_ops: ['verify'] },
    attributes: { enabled: false, exp: 4_294_967_295 },
  })
  expect(seen?.param.tags).toEqual({ b: '2', [RECORD_TAG]: mark })
  expect(await reasonOf(keys.update(place(), ref, { attributes: { exp: 4_294_967_296 } }))).toBe('RULE_BROKEN')
})

test('a name is deleted, waits, is recovered and purged, each also under repetition', async () => {
  own.cloud.setDelays({ deletion: 2, recovery: 2 })
  const { ref, param } = await create()
  const name = nameOf(ref)
  await twice(() => keys.remove(place(), name))
  const deletion = await keys.deletion(place(), name)
  const purge_at = later(new Date(deletion?.deleted_at ?? 0), 90 * 86_400_000).toISOString()
  expect(deletion?.purge_at).toBe(purge_at)
  expect((await keys.deletions(place())).get(name)).toEqual(deletion)
  expect(await keys.read(place(), ref)).toEqual({ ref, param, is_latest: true, deletion })
  expect(await reasonOf(keys.update(place(), ref, { tags: {} }))).toBe('CLOUD_NOT_FOUND')
  await twice(() => keys.recover(place(), name))
  expect(await keys.deletion(place(), name)).toBeUndefined()
  await keys.remove(place(), name)
  await twice(() => keys.purge(place(), name))
  expect(await keys.read(place(), ref)).toBeUndefined()
  expect(await keys.remove(place(), name)).toBeUndefined()
  expect(await reasonOf(keys.recover(place(), name))).toBe('CLOUD_NOT_FOUND')
})

test('a deleted name cannot be used again, and the refusal states the remedy', async () => {
  const { ref } = await create()
  await keys.remove(place(), nameOf(ref))
  const refused = await refusalOf(create({ name: nameOf(ref) }))
  expect([refused.reason, refused.message]).toEqual(['CLOUD_CONFLICT', expect.stringContaining('Recover or purge')])
})

test('the wait for a deletion in progress ends with the time budget', async () => {
  own.cloud.setDelays({ deletion: 1_000 })
  const { ref } = await create()
  const name = nameOf(ref)
  const soon = () => place({ budget: AbortSignal.timeout(300) })
  expect(await reasonOf(keys.remove(soon(), name))).toBe('CLOUD_TIMEOUT')
  const refused = await refusalOf(create({ name }, soon()))
  expect([refused.reason, refused.message]).toEqual(['CLOUD_CONFLICT', expect.stringContaining('ObjectIsBeingDeleted')])
  const waiting = create({ name })
  own.clock.advance(HOUR_MS)
  expect((await refusalOf(waiting)).message).toContain('Recover or purge')
})

test('purge protection is a conflict, and without soft delete a deletion is final', async () => {
  const locked = place({ vault: 'shop-locked' })
  const { ref } = await create({}, locked)
  await keys.remove(locked, nameOf(ref))
  expect(await reasonOf(keys.purge(locked, nameOf(ref)))).toBe('CLOUD_CONFLICT')
  const plain = place({ vault: 'shop-plain' })
  const made = await create({}, plain)
  expect((await allRefs(plain)).flat()).toEqual([made.ref])
  expect(await keys.remove(plain, nameOf(made.ref))).toBeUndefined()
  expect([await keys.read(plain, made.ref), await keys.deletions(plain)]).toEqual([undefined, new Map()])
})

test('a backup restores all versions, if the name is free and the vault is in the same geography', async () => {
  const name = newName()
  for (let n = 0; n < 2; n++) await create({ name })
  const versions = await keys.versions(place(), name)
  const backup = await keys.backup(place(), name)
  expect(await reasonOf(keys.restore(place(), backup))).toBe('CLOUD_CONFLICT')
  expect(await keys.restore(place({ vault: 'shop-spare' }), backup)).toEqual(versions)
  expect(await reasonOf(keys.restore(place({ vault: 'shop-overseas' }), backup))).toBe('CLOUD_INVALID')
})

test('an exportable key has its release policy as JSON', async () => {
  const data = { version: '1.0.0', anyOf: [{ authority: 'https://attest.example', allOf: [] }] }
  const release_policy = { data, immutable: false }
  const { ref, param } = await create({ kty: 'EC-HSM', exportable: true, release_policy })
  expect([param.attributes.exportable, param.release_policy]).toEqual([true, release_policy])
  const changed = { data: { ...data, version: '1.0.1' }, immutable: true }
  expect((await keys.update(place(), ref, { release_policy: changed })).param.release_policy).toEqual(changed)
  expect(await reasonOf(keys.update(place(), ref, { release_policy }))).toBe('CLOUD_DENIED')
})

test('a place that is no vault is refused before anything is sent', async () => {
  const wrong = [
    'https://evil.example',
    'http://shop-premium.vault.azure.net',
    `${urlOf(VAULT)}/x`,
    'https://a.b.vault.azure.net',
  ]
  for (const vault_url of wrong) expect(await reasonOf(keys.refs(place({ vault_url }), undefined))).toBe('RULE_BROKEN')
  expect(own.cloud.calls()).toEqual([])
})

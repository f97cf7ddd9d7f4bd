import { afterEach, expect, test } from 'vitest'
import type { CloudBCertificateSpec, CloudBSecretSpec } from '../../../../shared/clouds/cloud-b/adapter/types.ts'
import { cloudB } from '../../../../shared/clouds/cloud-b/adapter/verbs.ts'
import { CloudBCertificateParam, CloudBSecretParam, RECORD_TAG } from '../../../../shared/clouds/cloud-b/param.ts'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { makePfx } from '../../../../infra/simulators/cloud-b/certificates/pfx.ts'
import { selfSigned } from '../../../../shared/crypto/x509/self-signed.ts'
import { refusalOf, twice } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newName, urlOf, useCloudB, VAULT } from './simulated.ts'

const own = useCloudB()
const { place } = own
const { keys, secrets, certificates } = cloudB

afterEach(() => {
  own.cloud.reset()
  own.cloud.setDelays({ creation: 0, deletion: 0, recovery: 0 })
  own.clock.set(new Date())
})

const VALUE = 'the value of a secret that is nobody else’s'
const secret = (more: Partial<CloudBSecretSpec> = {}): CloudBSecretSpec => ({
  name: newName(),
  mark: crypto.randomUUID(),
  value: VALUE,
  ...more,
})
const POLICY = {
  issuer: { name: 'Self' },
  key_props: { exportable: true, kty: 'EC', crv: 'P-256', reuse_key: false },
  secret_props: { contentType: 'application/x-pkcs12' },
  x509_props: { subject: 'CN=shop.example', validity_months: 12 },
}
const certificate = (more: Partial<CloudBCertificateSpec> = {}): CloudBCertificateSpec => ({
  name: newName(),
  mark: crypto.randomUUID(),
  policy: POLICY,
  ...more,
})
const nameOf = (ref: string): string => ref.split('/')[0] ?? ''
const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work)).reason
const count = (operation: string) => own.cloud.counts()[operation] ?? 0
const kept = (param: object, shape: object): boolean =>
  JSON.stringify(Object.keys(param)) === JSON.stringify(Object.keys(shape).filter((name) => name in param))

test('a secret is described without its value, which is never asked for', async () => {
  const spec = secret({ contentType: 'text/plain', tags: { b: '2', a: '1' }, attributes: { exp: 4_000_000_000 } })
  const made = await secrets.create(place(), spec, new Book().open())
  expect(made.param).toMatchObject({
    id: `${urlOf(VAULT)}/secrets/${made.ref}`,
    attributes: { enabled: true, exp: 4_000_000_000 },
    contentType: 'text/plain',
    tags: { a: '1', b: '2', [RECORD_TAG]: spec.mark },
  })
  expect(kept(made.param, CloudBSecretParam.shape)).toBe(true)
  const survey = await secrets.survey(place())
  const ways = [made, await secrets.read(place(), made.ref), await survey.read(made.ref)]
  expect([...new Set(ways.map((way) => JSON.stringify(way)))]).toEqual([JSON.stringify(made)])
  expect(JSON.stringify(ways)).not.toContain(VALUE)
  own.cloud.setDelays({ deletion: 1, recovery: 1 })
  await twice(() => secrets.remove(place(), spec.name))
  expect(await survey.read(made.ref)).toEqual(made) // in its state when the list was read
  expect((await (await secrets.survey(place())).read(made.ref))?.deletion).toEqual(
    await secrets.deletion(place(), spec.name),
  )
  await twice(() => secrets.recover(place(), spec.name))
  const changed = await secrets.update(place(), made.ref, {
    contentType: 'x/y',
    tags: {},
    attributes: { enabled: false },
  })
  expect([changed.is_latest, changed.param.contentType, changed.param.tags]).toEqual([
    true,
    'x/y',
    { [RECORD_TAG]: spec.mark },
  ])
  expect(await secrets.read(place(), made.ref)).toEqual(changed)
  const backup = await secrets.backup(place(), spec.name)
  expect(await secrets.restore(place({ vault: 'shop-spare' }), backup)).toEqual([made.ref])
  expect(count('SecretGet')).toBe(0)
})

test('a secret has successive versions, and a repeated call sets a value once', async () => {
  const [book, spec] = [new Book(), secret()]
  own.cloud.inject({ operation: 'SecretSet', fault: 'cut-after', times: 1 })
  const first = await secrets.create(place(), spec, book.open())
  own.clock.advance(1_000)
  const second = await secrets.create(place(), secret({ name: spec.name }), new Book().open())
  expect(await secrets.versions(place(), spec.name)).toEqual([first.ref, second.ref])
  expect([(await secrets.read(place(), first.ref))?.is_latest, second.is_latest]).toEqual([false, true])
  expect(count('SecretSet')).toBe(2)
  const survey = await secrets.survey(place())
  own.cloud.reset()
  const param = { ...first.param, tags: { ...first.param.tags } }
  expect((await survey.read(first.ref, param))?.param).toBe(param)
  expect(own.cloud.counts()).toEqual({ SecretListVersions: 1 })
})

test('a deleted secret reads as missing, and purging ends it', async () => {
  const made = await secrets.create(place(), secret(), new Book().open())
  const name = nameOf(made.ref)
  expect(await secrets.read(place(), `${name}/${'0'.repeat(32)}`)).toBeUndefined()
  expect((await secrets.refs(place(), undefined)).refs).toContain(made.ref)
  await secrets.remove(place(), name)
  await twice(() => secrets.purge(place(), name))
  expect([await secrets.read(place(), made.ref), await secrets.versions(place(), name)]).toEqual([undefined, []])
  expect(await reasonOf(secrets.recover(place(), name))).toBe('CLOUD_NOT_FOUND')
})

test('a certificate is issued as its policy says, with a key and a secret that are managed', async () => {
  const spec = certificate({ tags: { a: '1' } })
  const made = await certificates.create(place(), spec, new Book().open())
  const { param } = made
  expect(param).toMatchObject({
    id: `${urlOf(VAULT)}/certificates/${made.ref}`,
    kid: `${urlOf(VAULT)}/keys/${made.ref}`,
    sid: `${urlOf(VAULT)}/secrets/${made.ref}`,
    x5t: expect.stringMatching(/^[0-9a-f]{40}$/),
    tags: { a: '1', [RECORD_TAG]: spec.mark },
    policy: { issuer: { name: 'Self' } },
  })
  expect([kept(param, CloudBCertificateParam.shape), made.is_latest]).toEqual([true, true])
  const ways = [
    made,
    await certificates.read(place(), made.ref),
    await (await certificates.survey(place())).read(made.ref),
  ]
  expect([...new Set(ways.map((way) => JSON.stringify(way)))]).toEqual([JSON.stringify(made)])
  expect((await keys.read(place(), made.ref))?.param.managed).toBe(true)
  expect((await secrets.read(place(), made.ref))?.param.managed).toBe(true)
  expect(await reasonOf(keys.remove(place(), spec.name))).toBe('CLOUD_DENIED')
})

test('a certificate is changed, deleted, recovered, restored and purged like other items', async () => {
  const made = await certificates.create(place(), certificate(), new Book().open())
  const name = nameOf(made.ref)
  const off = await certificates.update(place(), made.ref, { attributes: { enabled: false }, tags: { c: '3' } })
  expect([off.param.attributes.enabled, off.param.tags.c, off.param.tags[RECORD_TAG]]).toEqual([
    false,
    '3',
    made.param.tags[RECORD_TAG],
  ])
  const backup = await certificates.backup(place(), name)
  expect(await reasonOf(certificates.restore(place(), backup))).toBe('CLOUD_CONFLICT')
  expect(await certificates.restore(place({ vault: 'shop-spare' }), backup)).toEqual([made.ref])
  await twice(() => certificates.remove(place(), name))
  expect((await certificates.deletions(place())).has(name)).toBe(true)
  await twice(() => certificates.recover(place(), name))
  await certificates.remove(place(), name)
  await twice(() => certificates.purge(place(), name))
  expect(await certificates.read(place(), made.ref)).toBeUndefined()
})

test('a PFX imports its certificate, and the cloud refuses an invalid one', async () => {
  const own = await selfSigned('shop.example', new Date(), 30)
  const cer = new X509Certificate(own.certificate).raw
  const pfx = makePfx(createPrivateKey(own.private_key).export({ format: 'der', type: 'pkcs8' }), [cer])
  const spec = certificate({ policy: undefined, pfx: pfx.toString('base64'), attributes: { enabled: false } })
  const { param } = await certificates.create(place(), spec, new Book().open())
  expect([param.cer, param.attributes.enabled]).toEqual([cer.toString('base64'), false])
  const wrong = certificate({ policy: undefined, pfx: pfx.toString('base64'), password: 'wrong' })
  expect(await reasonOf(certificates.create(place(), wrong, new Book().open()))).toBe('CLOUD_INVALID')
})

test.each(['cut-after', 'cut-before'] as const)(
  'a certificate whose issuing meets %s is issued once',
  async (fault) => {
    own.cloud.inject({ operation: 'CertificateCreate', fault, times: 1 })
    const spec = certificate()
    const { ref } = await certificates.create(place(), spec, new Book().open())
    expect(await certificates.versions(place(), spec.name)).toEqual([ref])
  },
)

test('a certificate without a policy or a PFX is refused', async () => {
  const creating = certificates.create(place(), certificate({ policy: undefined }), new Book().open())
  expect(await reasonOf(creating)).toBe('RULE_BROKEN')
})

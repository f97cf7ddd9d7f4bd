import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBSimulator } from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { openPkcs12 } from '../../../../../shared/crypto/material/pkcs12.ts'
import { all, clientsOf, refusalOf, send, type Clients } from '../clients.ts'
import vectors from '../../../../vectors/key-files.json' with { type: 'json' }
import { PFX } from './pfx-file.ts'

const VAULT = 'shop-premium'
const clock = createClock()
let simulator: CloudBSimulator
let clients: Clients
let count = 0
const fresh = () => `certificate-${++count}`
const SELF = { issuerName: 'Self', subject: 'CN=shop.example, O=Shop', keyType: 'EC', keyCurveName: 'P-256' } as const

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  clients = clientsOf(simulator)
})
afterEach(() => simulator.reset())
afterAll(() => simulator.stop())

const made = async (name: string, policy: object = SELF) =>
  (
    await clients.certificates(VAULT).beginCreateCertificate(name, policy as typeof SELF, { intervalInMs: 1 })
  ).pollUntilDone()

test('a change of a policy keeps the members that it does not give', async () => {
  const name = fresh()
  await made(name, { ...SELF, validityInMonths: 6, reuseKey: true })
  const bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')
  const url = `https://${VAULT}.vault.azure.net/certificates/${name}/policy?api-version=7.4`
  const { status } = await send(simulator, 'PATCH', url, { bearer, body: { x509_props: { validity_months: 3 } } })
  expect(status).toBe(200)
  const changed = await clients.certificates(VAULT).getCertificatePolicy(name)
  expect(changed).toMatchObject({ issuerName: 'Self', keyCurveName: 'P-256', reuseKey: true, validityInMonths: 3 })
  expect(changed.subject).toBe(SELF.subject)
})

test('a file in the older form of PKCS #12 is accepted', async () => {
  const { base64 } = vectors.pfx['ec-3des']
  const { password } = vectors
  const made = clients.certificates(VAULT).importCertificate(fresh(), Buffer.from(base64, 'base64'), { password })
  expect((await made).cer).toBeDefined()
})

/** A request on the pending operation. */
const pending = async (method: string, name: string, body?: object) => {
  const bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')
  const url = `https://${VAULT}.vault.azure.net/certificates/${name}/pending?api-version=7.4`
  return send(simulator, method, url, { bearer, body })
}

test('a self-signed certificate has a key and a secret of the same version', async () => {
  const name = fresh()
  const certificate = await made(name, {
    ...SELF,
    subjectAlternativeNames: { dnsNames: ['a.example'] },
    validityInMonths: 6,
  })
  const x509 = new X509Certificate(certificate.cer ?? '')
  expect(x509.subject).toBe('CN=shop.example\nO=Shop')
  expect(x509.subjectAltName).toBe('DNS:a.example')
  expect(x509.verify(x509.publicKey)).toBe(true)
  expect(certificate).toMatchObject({
    policy: { issuerName: 'Self', keyType: 'EC', validityInMonths: 6, contentType: 'application/x-pkcs12' },
    properties: { expiresOn: new Date(x509.validTo), enabled: true },
  })
  const { version = '' } = certificate.properties
  expect(certificate.keyId).toBe(`https://${VAULT}.vault.azure.net/keys/${name}/${version}`)
  const key = await clients.keys(VAULT).getKey(name, { version })
  expect(key.properties).toMatchObject({ managed: true })
  const secret = await clients.secrets(VAULT).getSecret(name, { version })
  expect(secret.properties).toMatchObject({
    managed: true,
    contentType: 'application/x-pkcs12',
    certificateKeyId: certificate.keyId,
  })
  const opened = openPkcs12(Buffer.from(secret.value ?? '', 'base64'), '')
  expect(createPublicKey(opened).equals(x509.publicKey)).toBe(true)
})

test('key and secret of a certificate are usable, and changed only by the certificate', async () => {
  const name = fresh()
  await made(name)
  const [keys, secrets] = [clients.keys(VAULT), clients.secrets(VAULT)]
  const refusals = [
    keys.createEcKey(name),
    keys.updateKeyProperties(name, { enabled: false }),
    keys.beginDeleteKey(name),
    keys.rotateKey(name),
    keys.backupKey(name),
    secrets.setSecret(name, 'other'),
    secrets.beginDeleteSecret(name),
  ]
  const answers = await Promise.all(refusals.map((refused) => refusalOf(refused)))
  expect(answers).toEqual(refusals.map(() => '403 Forbidden'))
  const { result } = await clients.use(await keys.getKey(name)).sign('ES256', Buffer.alloc(32))
  expect(result).toHaveLength(64)
  await clients.keys(VAULT).createEcKey(`${name}-key`)
  expect(await refusalOf(made(`${name}-key`))).toBe('409 Conflict')
})

test('a certificate of an unknown issuer is pending until it is merged', async () => {
  const name = fresh()
  const certificates = clients.certificates(VAULT)
  const poller = await certificates.beginCreateCertificate(name, { ...SELF, issuerName: 'Unknown' })
  const { body } = await pending('GET', name)
  expect(body).toMatchObject({ status: 'inProgress', issuer: { name: 'Unknown' }, csr: expect.any(String) })
  const waiting = await certificates.getCertificate(name)
  expect([waiting.cer?.length ?? 0, waiting.properties.enabled]).toEqual([0, false])
  expect(await all(certificates.listPropertiesOfCertificateVersions(name))).toMatchObject([{ name }])
  const namesOf = async (includePending: boolean) =>
    (await all(certificates.listPropertiesOfCertificates({ includePending }))).map((each) => each.name)
  expect(await namesOf(false)).not.toContain(name)
  expect(await namesOf(true)).toContain(name)
  expect(await refusalOf(certificates.beginDeleteCertificate(name))).toBe('409 Conflict')
  expect(await refusalOf(certificates.beginCreateCertificate(name, SELF))).toBe('409 Conflict')
  const other = await made(fresh())
  expect(await refusalOf(certificates.mergeCertificate(name, [other.cer ?? Buffer.alloc(0)]))).toBe('400 BadParameter')
  const merged = await certificates.mergeCertificate(name, [simulator.issueFor(VAULT, name)])
  expect(new X509Certificate(merged.cer ?? '').subject).toBe('CN=shop.example\nO=Shop')
  expect(await poller.pollUntilDone()).toMatchObject({ name, cer: merged.cer })
  expect((await clients.keys(VAULT).getKey(name)).properties.managed).toBe(true)
})

test('a pending certificate is cancelled and forgotten', async () => {
  const name = fresh()
  await clients.certificates(VAULT).beginCreateCertificate(name, { ...SELF, issuerName: 'Unknown' })
  const { body } = await pending('PATCH', name, { cancellation_requested: true })
  expect(body).toMatchObject({ status: 'cancelled', cancellation_requested: true })
  expect((await pending('POST', name, { x5c: [] })).status).toBe(400)
  await clients.certificates(VAULT).deleteCertificateOperation(name)
  expect((await pending('GET', name)).code).toBe('CertificateNotFound')
  await made(name)
})

test('a file of OpenSSL is imported with key, certificate and chain', async () => {
  const name = fresh()
  const bytes = Buffer.from(PFX.base64, 'base64')
  const certificate = await clients.certificates(VAULT).importCertificate(name, bytes, { password: PFX.password })
  const x509 = new X509Certificate(certificate.cer ?? '')
  expect(x509.subject).toBe('CN=shop.example\nO=Shop')
  expect(certificate.policy).toMatchObject({
    ...{ keyType: 'EC', keyCurveName: 'P-256', issuerName: 'Unknown' },
    subjectAlternativeNames: { dnsNames: ['shop.example', 'www.shop.example'] },
  })
  expect(await simulator.materialOf(VAULT, name)).toEqual(
    createPrivateKey(PFX.pem).export({ format: 'der', type: 'pkcs8' }),
  )
  const { value = '' } = await clients.secrets(VAULT).getSecret(name)
  const again = await clients.certificates(VAULT).importCertificate(fresh(), Buffer.from(value, 'base64'))
  expect(again.cer).toEqual(certificate.cer)
})

test('PEM is imported as it is', async () => {
  const name = fresh()
  const { cer } = await clients
    .certificates(VAULT)
    .importCertificate(fresh(), Buffer.from(PFX.base64, 'base64'), { password: PFX.password })
  const pem = `${PFX.pem}${new X509Certificate(cer ?? '').toString()}`
  const policy = { contentType: 'application/x-pem-file' as const }
  await clients.certificates(VAULT).importCertificate(name, Buffer.from(pem), { policy })
  const secret = await clients.secrets(VAULT).getSecret(name)
  expect(secret.properties.contentType).toBe('application/x-pem-file')
  expect(secret.value).toContain('-----BEGIN PRIVATE KEY-----')
})

test.each<[string, object]>([
  ['a wrong password', { value: PFX.base64, pwd: 'wrong' }],
  ['no password', { value: PFX.base64 }],
  ['a file cut short', { value: PFX.base64.slice(0, 400), pwd: PFX.password }],
  ['a key without its certificate', { value: PFX.pem }],
  ['another kind of key', { value: PFX.base64, pwd: PFX.password, policy: { key_props: { kty: 'RSA' } } }],
  ['nothing', {}],
])('an import with %s is refused', async (_what, body) => {
  const bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')
  const url = `https://${VAULT}.vault.azure.net/certificates/${fresh()}/import?api-version=7.4`
  expect((await send(simulator, 'POST', url, { bearer, body })).code).toBe('BadParameter')
})

test.each<[string, object]>([
  ['no subject', { ...SELF, subject: '' }],
  ['a subject that is none', { ...SELF, subject: 'shop.example' }],
  ['an issuer that is not there', { ...SELF, issuerName: 'DigiCert' }],
  ['a strange type', { ...SELF, contentType: 'text/plain' }],
  ['no months', { ...SELF, validityInMonths: 0 }],
  ['a strange use', { ...SELF, keyUsage: ['everything'] }],
])('a certificate with %s is refused', async (_what, policy) => {
  expect(await refusalOf(made(fresh(), policy))).toBe('400 BadParameter')
})

test('a certificate is disabled with its key and its secret, and its policy changes', async () => {
  const name = fresh()
  const { properties } = await made(name)
  const certificates = clients.certificates(VAULT)
  await certificates.updateCertificateProperties(name, properties.version ?? '', { enabled: false, tags: { a: '1' } })
  expect((await certificates.getCertificate(name)).properties).toMatchObject({ enabled: false, tags: { a: '1' } })
  expect(simulator.keyOf(VAULT, name)?.versions[0]).toMatchObject({ enabled: false })
  expect(await refusalOf(clients.secrets(VAULT).getSecret(name))).toBe('403 Forbidden:SecretDisabled')
  await certificates.updateCertificatePolicy(name, { ...SELF, validityInMonths: 3 })
  expect(await certificates.getCertificatePolicy(name)).toMatchObject({ validityInMonths: 3 })
  await made(name)
  expect(await all(certificates.listPropertiesOfCertificateVersions(name))).toHaveLength(2)
})

test('a certificate is deleted and recovered with its key and its secret', async () => {
  const name = fresh()
  const certificates = clients.certificates(VAULT)
  const { cer } = await made(name)
  const backup = (await certificates.backupCertificate(name)) ?? Buffer.alloc(0)
  await (await certificates.beginDeleteCertificate(name, { intervalInMs: 1 })).pollUntilDone()
  expect(await refusalOf(clients.keys(VAULT).getKey(name))).toBe('404 KeyNotFound')
  expect((await all(certificates.listDeletedCertificates())).map((each) => each.name)).toContain(name)
  await (await certificates.beginRecoverDeletedCertificate(name, { intervalInMs: 1 })).pollUntilDone()
  expect((await clients.keys(VAULT).getKey(name)).name).toBe(name)
  await (await certificates.beginDeleteCertificate(name, { intervalInMs: 1 })).pollUntilDone()
  await certificates.purgeDeletedCertificate(name)
  const restored = await certificates.restoreCertificateBackup(backup)
  expect(restored.cer).toEqual(cer)
  expect((await clients.secrets(VAULT).getSecret(name)).properties.managed).toBe(true)
})

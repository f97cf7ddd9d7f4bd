import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { addressOf } from '../../../../shared/clouds/cloud-c/adapter/endpoints.ts'
import { serviceAccountOf } from '../../../../shared/clouds/cloud-c/adapter/service-account.ts'
import { algorithmFor, assertMaterialFits } from '../../../../shared/clouds/cloud-c/adapter/specs.ts'
import type { CloudCPlace } from '../../../../shared/clouds/cloud-c/adapter/types.ts'
import { cloudC } from '../../../../shared/clouds/cloud-c/adapter/verbs.ts'
import { CLOUD_C_ALGORITHMS } from '../../../../shared/clouds/cloud-c/param.ts'
import { textMarker } from '../../../support/markers.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'

afterEach(() => vi.unstubAllEnvs())

const pem = ({ privateKey }: { privateKey: KeyObject }): string =>
  privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const RSA = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }))
const SHORT_RSA = pem(generateKeyPairSync('rsa', { modulusLength: 1024 }))
const ED25519 = pem(generateKeyPairSync('ed25519'))
const FILE = {
  type: 'service_account',
  client_email: 'keymgr@shop-keys.iam.gserviceaccount.com',
  private_key_id: 'abc',
  private_key: RSA,
  project_id: 'shop-keys',
  token_uri: 'https://elsewhere.example/token',
}

test('a key file names its service account', () => {
  expect(serviceAccountOf(JSON.stringify(FILE))).toMatchObject({
    client_email: FILE.client_email,
    private_key_id: 'abc',
    project_id: 'shop-keys',
  })
})

test.each([
  ['no JSON', 'what', 'must be the JSON text'],
  ['no object', '[]', 'must be the key file of a service account'],
  ['another kind of credential', JSON.stringify({ ...FILE, type: 'authorized_user' }), 'type'],
  ['no e-mail', JSON.stringify({ ...FILE, client_email: undefined }), 'client_email'],
  ['a key that is none', JSON.stringify({ ...FILE, private_key: 'secret-nonsense' }), 'cannot be read'],
  ['a key that is not RSA', JSON.stringify({ ...FILE, private_key: ED25519 }), 'must hold an RSA private_key'],
  ['a key too short to sign with', JSON.stringify({ ...FILE, private_key: SHORT_RSA }), 'of 2048 bits or more'],
])('a key file with %s is refused, without showing it', async (_what, text, detail) => {
  const secrets = [textMarker('the key', 'secret-nonsense'), textMarker('the key', RSA.slice(100, 200))]
  const refused = await refusalOf(Promise.resolve(text).then(serviceAccountOf), secrets)
  expect(refused.reason).toBe('RULE_BROKEN')
  expect(refused.errors).toEqual([{ pointer: '#/key_file', detail: expect.stringContaining(detail) }])
})

const place = (ring: string): CloudCPlace => ({
  connection: { key: 'x', key_file: JSON.stringify(FILE) },
  ring,
  now: new Date(),
  budget: AbortSignal.timeout(1_000),
  patience: 'request',
})
const RING = 'projects/shop-keys/locations/global/keyRings/shared'

test.each([
  ['a short name', 'shared'],
  ['another collection', 'projects/shop-keys/locations/global/buckets/shared'],
  ['more behind it', `${RING}/cryptoKeys/x`],
  ['dots that lead elsewhere', 'projects/shop-keys/locations/../keyRings/shared'],
  ['a query in it', 'projects/shop-keys/locations/global/keyRings/a?b=c'],
])('a ring with %s is refused before anything is asked', async (_what, ring) => {
  expect((await refusalOf(cloudC.refs(place(ring), undefined))).reason).toBe('RULE_BROKEN')
})

test.each(['', 'a/b', '../x', 'x:encrypt', 'x'.repeat(64)])('%j is no id of a key', async (ref) => {
  expect((await refusalOf(cloudC.versions(place(RING), ref))).reason).toBe('RULE_BROKEN')
  const making = cloudC.create(place(RING), { key_name: ref, purpose: 'MAC' }, new Book().open())
  expect((await refusalOf(making)).reason).toBe('RULE_BROKEN')
})

test.each(['0', '-1', '1.5', 'latest', ''])('%j is no number of a version', async (version) => {
  expect((await refusalOf(cloudC.enableVersion(place(RING), 'x', version))).reason).toBe('RULE_BROKEN')
})

test('the algorithm of a purpose is the one that is wanted, or its first', () => {
  expect(algorithmFor('ENCRYPT_DECRYPT')).toBe('SYMMETRIC_ENCRYPTION')
  expect(algorithmFor('MAC', 'HMAC_SHA1')).toBe('HMAC_SHA1')
  expect(() => algorithmFor('MAC', 'SYMMETRIC_ENCRYPTION')).toThrow('of purpose MAC must be one of')
  expect(() => algorithmFor('RAW_ENCRYPT_DECRYPT')).toThrow('cannot be chosen here')
})

test.each(Object.values(CLOUD_C_ALGORITHMS).flat())('%s accepts one kind of local key, which it names', (algorithm) => {
  const other = { objectType: 'Public Key', algorithm: 'aes', sizeBits: 1 } as const
  expect(() => assertMaterialFits(algorithm, other)).toThrow(`${algorithm} takes a local key of algorithm`)
})

test.each([
  ['aes', 256, 'SYMMETRIC_ENCRYPTION', true],
  ['aes', 128, 'SYMMETRIC_ENCRYPTION', false],
  ['hmac-sha256', 256, 'HMAC_SHA256', true],
  ['hmac-sha256', 256, 'HMAC_SHA512', false],
  ['aes', 256, 'EXTERNAL_SYMMETRIC_ENCRYPTION', false],
] as const)('a local key of %s with %i bits becomes %s: %s', (algorithm, sizeBits, wanted, fits) => {
  const check = () => assertMaterialFits(wanted, { objectType: 'Symmetric Key', algorithm, sizeBits })
  if (fits) expect(check).not.toThrow()
  else expect(check).toThrow(wanted)
})

test('services are called at the real hosts, or at the configured address', () => {
  vi.stubEnv('CLOUD_C_ENDPOINT', undefined)
  const hosts = (['kms', 'logging', 'resourceManager', 'iam'] as const).map(addressOf)
  expect(hosts).toEqual([
    'https://cloudkms.googleapis.com',
    'https://logging.googleapis.com',
    'https://cloudresourcemanager.googleapis.com',
    'https://iam.googleapis.com',
  ])
  vi.stubEnv('CLOUD_C_ENDPOINT', 'http://127.0.0.1:1/')
  vi.stubEnv('CLOUD_C_LOGGING_ENDPOINT', 'http://localhost:2')
  expect([addressOf('kms'), addressOf('logging')]).toEqual(['http://127.0.0.1:1', 'http://localhost:2'])
  vi.stubEnv('CLOUD_C_ENDPOINT', 'https://elsewhere.example')
  expect(() => addressOf('kms')).toThrow('leads away from the cloud')
  vi.stubEnv('KEYMGR_STAGE', 'test')
  expect(addressOf('kms')).toBe('https://elsewhere.example')
  vi.stubEnv('CLOUD_C_ENDPOINT', 'http://elsewhere.example')
  expect(() => addressOf('kms')).toThrow('must be https')
})

import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectRefused, useVault } from '../vault/vault.ts'
import { authoritiesOf, CSR, openssl } from './ca.ts'

const vault = useVault()
const admin = () => vault().admin
let ca: ReturnType<typeof authoritiesOf>
beforeAll(() => {
  ca = authoritiesOf(admin())
})

const publicOf = (key: string, ...more: string[]): Promise<string> =>
  openssl(['pkey', '-in', '{key}', '-pubout', ...more], { key })
const publicIn = (csr: string): Promise<string> => openssl(['req', '-in', '{csr}', '-noout', '-pubkey'], { csr })

describe('a request', () => {
  test.each([
    ['ECDSA', 384, 'secp384r1'],
    ['RSA', 2048, '2048 bit'],
  ])('has a new key of %s %i and its names', async (algorithm, size, said) => {
    const names = {
      dnsNames: ['shop.example.test', '*.example.test'],
      emailAddresses: ['me@example.test'],
      ipAddresses: ['10.1.2.3', '2001:db8::1'],
    }
    const { csr, key } = await ca.request({ cn: 'Shop', algorithm, size, ...names })
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    expect(await publicIn(csr)).toBe(await publicOf(key))
    const text = await openssl(['req', '-in', '{csr}', '-noout', '-text', '-verify'], { csr })
    expect(text).toMatch(/verify OK/)
    expect(text).toContain(said)
    for (const name of Object.values(names).flat().slice(0, 4)) expect(text).toContain(name)
  })

  test('has its key encrypted under a password', async () => {
    const password = 'open sesame, please'
    const { csr, key } = await ca.request({ password, encryptionAlgo: 'aes256' })
    expect(key).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/)
    expect(await publicOf(key, '-passin', `pass:${password}`)).toBe(await publicIn(csr))
    await expect(publicOf(key, '-passin', 'pass:wrong')).rejects.toThrow()
  })

  test.each<[string, () => string]>([
    ['an EC key in PKCS #8', () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'pkcs8')],
    ['an EC key in SEC 1', () => pem(generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey, 'sec1')],
    ['an RSA key in PKCS #1', () => pem(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, 'pkcs1')],
    ['an RSA key in PKCS #8', () => pem(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, 'pkcs8')],
  ])('takes %s', async (_what, make) => {
    const given = make()
    const { csr, key } = await ca.request({ privateKeyBytes: given })
    expect(await publicIn(csr)).toBe(await publicOf(given))
    expect(await publicOf(key)).toBe(await publicOf(given))
  })

  test.each<[string, object, string]>([
    ['another cipher', { encryptionAlgo: 'des', password: 'p' }, '#/encryptionAlgo'],
    ['a cipher alone', { encryptionAlgo: 'aes256' }, '#/encryptionAlgo'],
    ['a key that is none', { privateKeyBytes: 'none' }, '#/privateKeyBytes'],
    ['a key and an algorithm', { privateKeyBytes: 'none', algorithm: 'RSA' }, '#/algorithm'],
    ['a size of another algorithm', { size: 2_048 }, '#/size'],
    ['a weak key', { privateKeyBytes: weak() }, '#/privateKeyBytes'],
    ['a key on another curve', { privateKeyBytes: koblitz() }, '#/privateKeyBytes'],
    ['a public key', { privateKeyBytes: publicKey() }, '#/privateKeyBytes'],
  ])('with %s is refused, naming it', async (_what, body, pointer) => {
    expectRefused(await admin().call('POST', CSR, { cn: 'a', ...body }), 422, 2, pointer)
  })

  test('stores no key here, and its audit record contains none', async () => {
    const { key } = await ca.request({ cn: 'audited-request' })
    expect((await admin().list('?limit=-1')).total).toBe(0)
    const records = await vault().records('message=Make%20CSR')
    expect(JSON.stringify(records)).toContain('audited-request')
    expect(JSON.stringify(records)).not.toContain(key.split('\n')[1])
  })

  test('is new for a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'again' }
    const ask = () => admin().ok('POST', CSR, { cn: 'a' }, headers)
    expect((await ask()).key).not.toBe((await ask()).key)
  })

  test('is for administrators of authorities', async () => {
    const { holder } = await vault().user('keeper', ['Key Admins'])
    expectRefused(await holder.call('POST', CSR, { cn: 'a' }), 403, 4)
    const { holder: other } = await vault().user('authority', ['CA Admins'])
    expect((await other.call('POST', CSR, { cn: 'a' })).status).toBe(200)
  })
})

function pem(key: ReturnType<typeof generateKeyPairSync>['privateKey'], type: 'pkcs8' | 'pkcs1' | 'sec1'): string {
  return key.export({ format: 'pem', type: type }).toString()
}
function weak(): string {
  return pem(generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey, 'pkcs8')
}
function koblitz(): string {
  return pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey, 'pkcs8')
}
function publicKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'pem', type: 'spki' }).toString()
}

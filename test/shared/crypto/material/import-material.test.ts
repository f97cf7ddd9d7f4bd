import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { TAG, der, derInteger, membersOf, oid, readDer } from '../../../../shared/crypto/asn1/der.ts'
import { importMaterial, materialFromBytes } from '../../../../shared/crypto/material/import-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { expectNoHang } from '../../../support/hang.ts'
import vectors from '../../../vectors/key-files.json' with { type: 'json' }
import { refused } from '../refused.ts'

const { keys, pfx, password } = vectors
const canonical = (pem: string) => createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' }).toString('hex')
const PEM = { rsa: keys.rsa.pem, ec: keys.ec.pem } as const

test.each([
  ['rsa-default', 'rsa', password],
  ['rsa-legacy', 'rsa', password],
  ['rsa-nocerts-sha512', 'rsa', password],
  ['ec-default', 'ec', password],
  ['ec-3des', 'ec', password],
  ['ec-clear-bag', 'ec', password],
  ['ec-unicode', 'ec', 'pässwörd€'],
] as const)('takes the key out of PFX %s', async (name, algorithm, word) => {
  const from = { algorithm, format: 'pkcs12', material: pfx[name].base64 } as const
  const material = await importMaterial({ ...from, password: word })
  expect(material.bytes.use((bytes) => bytes.toString('hex'))).toBe(canonical(PEM[algorithm]))
  expect(await refused('RULE_BROKEN', () => importMaterial({ ...from, password: `${word} ` }))).toContain('password')
  await refused('RULE_BROKEN', () => importMaterial(from))
})

test.each([
  ['ec-nomac', 'without a MAC'],
  ['ec-rc2', 'encrypted with'],
  ['ec-iter', 'rounds'],
  ['nokey', 'exactly one private key'],
] as const)('refuses PFX %s', async (name, names) => {
  const attempt = () => importMaterial({ algorithm: 'ec', format: 'pkcs12', material: pfx[name].base64, password })
  expect(await refused('RULE_BROKEN', attempt)).toContain(names)
})

test('refuses a PFX cut anywhere, or with a byte changed anywhere', async () => {
  const whole = Buffer.from(pfx['ec-default'].base64, 'base64')
  const from = { algorithm: 'ec', format: 'pkcs12', password } as const
  for (let at = 0; at < whole.length; at += 61) {
    await refused('RULE_BROKEN', () => importMaterial({ ...from, material: whole.subarray(0, at).toString('base64') }))
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 0x20
    await refused('RULE_BROKEN', () => importMaterial({ ...from, material: changed.toString('base64') }))
  }
})

test.each([
  ['rsa', 'rsa', { sizeBits: 2048 }],
  ['rsa-pkcs1', 'RSA', { sizeBits: 2048 }],
  ['ec', 'ec', { sizeBits: 256, curve: 'prime256v1' }],
  ['ed', 'ec', { sizeBits: 256, curve: 'curve25519' }],
  ['ec-enc', 'ec', { curve: 'prime256v1' }],
] as const)('takes PEM %s', async (name, algorithm, shape) => {
  const material = await importMaterial({ algorithm, material: keys[name].pem, password })
  expect(material).toMatchObject({ objectType: 'Private Key', ...shape })
})

test.each([
  ['multi', 'rsa', 'two primes'],
  ['e3', 'rsa', 'public exponent'],
  ['small', 'rsa', 'size of rsa'],
  ['pss', 'rsa', 'not a key of algorithm rsa'],
  ['ec', 'rsa', 'not a key of algorithm rsa'],
  ['rsa', 'ec', 'not a key of algorithm ec'],
  ['x25519', 'ec', 'not a key of algorithm ec'],
  ['explicit', 'ec', 'curve'],
  ['secp192k1', 'ec', 'curve'],
  ['compressed', 'ec', 'uncompressed'],
  ['ec-scrypt', 'ec', 'PBES2'],
  ['rsa-trad-enc', 'rsa', 'one PEM block'],
] as const)('refuses PEM %s as %s', async (name, algorithm, names) => {
  const attempt = () => importMaterial({ algorithm, material: keys[name].pem, password })
  expect(await refused('RULE_BROKEN', attempt)).toContain(names)
})

const { rsa, ec } = keys
const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n'

test.each([
  ['parameters before a key', parameters + ec.pem],
  [
    'words before and after a key',
    `Bag Attributes\n    friendlyName: mine\nKey Attributes: <No Attributes>\n${ec.pem}the end\n`,
  ],
  ['lines of Windows', ec.pem.replaceAll('\n', '\r\n')],
  ['a certificate beside a key', `${ec.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`],
])('accepts PEM with %s', async (_what, material) => {
  const found = await importMaterial({ algorithm: 'ec', material })
  expect(found.bytes.use((bytes) => bytes.toString('hex'))).toBe(canonical(ec.pem))
})

test.each([
  ['a certificate alone', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'it has CERTIFICATE'],
  ['a private key and a public one', rsa.pem + rsa.pem.replaceAll('PRIVATE', 'PUBLIC'), 'it has 2 blocks'],
  ['the older encryption', keys['rsa-trad-enc'].pem, 'older encryption'],
  ['an RSASSA-PSS key', keys.pss.pem, 'RSASSA-PSS'],
  ['line breaks written out', rsa.pem.replaceAll('\n', String.raw`\n`), String.raw`line breaks are written as \n`],
  ['one line', rsa.pem.replaceAll('\n', ''), 'without a line break'],
  ['no end', rsa.pem.slice(0, -30), 'without its last line'],
  ['an end of another label', rsa.pem.replace('END PRIVATE', 'END PUBLIC'), 'without its last line'],
])('the refusal of PEM with %s states the found blocks', async (_what, material, said) => {
  expect(await refused('RULE_BROKEN', () => importMaterial({ algorithm: 'rsa', material }))).toContain(said)
})

test('a text of many beginnings is read in no time', async () => {
  const material = '-----BEGIN PRIVATE KEY-----\n'.repeat(2_300)
  const from = performance.now()
  await refused('RULE_BROKEN', () => importMaterial({ algorithm: 'rsa', material }))
  expectNoHang(from)
})

/** The PKCS #1 form of the RSA key with one number replaced by another of its own. */
function rsaWith(index: number, taken: number): string {
  const numbers = membersOf(readDer(createPrivateKey(keys.rsa.pem).export({ format: 'der', type: 'pkcs1' })))
  const parts = numbers.map(({ whole }, at) => (at === index ? numbers[taken] : undefined)?.whole ?? whole)
  return der(TAG.sequence, ...parts).toString('base64')
}

test.each([
  ['n', 1, 3],
  ['d', 3, 1],
  ['p', 4, 5],
  ['q', 5, 4],
  ['dp', 6, 7],
  ['dq', 7, 6],
  ['qInv', 8, 6],
])('refuses an RSA key with a %s of another key', async (_number, index, taken) => {
  const material = rsaWith(index, taken)
  await refused('RULE_BROKEN', () =>
    importMaterial({ algorithm: 'rsa', format: 'pkcs1', encoding: 'base64', material }),
  )
})

test('refuses an EC key with the public point of another', async () => {
  const make = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
  const sec1 = [make(), make()].map((key) => membersOf(readDer(key.export({ format: 'der', type: 'sec1' }))))
  const [own = [], other = []] = sec1
  const mixed = der(TAG.sequence, ...own.map(({ whole }, at) => (at === 3 ? (other[3]?.whole ?? whole) : whole)))
  const from = { algorithm: 'ec', format: 'pkcs1', encoding: 'hex', material: mixed.toString('hex') } as const
  expect(await refused('RULE_BROKEN', () => importMaterial(from))).toContain('do not belong to one key')
})

test.each([['04' + '11'.repeat(64)], ['00'], ['02' + '11'.repeat(32)]])(
  'refuses a public point that is not on the curve, infinite or compressed: %s',
  async (point) => {
    const algorithm = der(TAG.sequence, oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'))
    const spki = der(TAG.sequence, algorithm, der(TAG.bitString, Buffer.from(`00${point}`, 'hex')))
    await refused('RULE_BROKEN', () =>
      importMaterial({ algorithm: 'ec', encoding: 'hex', material: spki.toString('hex') }),
    )
  },
)

const zero256 = '00'.repeat(32)
test.each([
  ['an odd number of hex digits', { algorithm: 'aes', material: '0'.repeat(63) }, 'hex'],
  ['letters that are not hex', { algorithm: 'aes', material: `${'0'.repeat(62)}zz` }, 'hex'],
  ['space around hex', { algorithm: 'aes', material: ` ${zero256}` }, 'hex'],
  ['nothing', { algorithm: 'aes', material: '' }, 'hex'],
  ['base64 without its padding', { algorithm: 'aes', material: 'A'.repeat(43), encoding: 'base64' }, 'base64'],
  ['base64 with bits left over', { algorithm: 'aes', material: `${'A'.repeat(42)}B=`, encoding: 'base64' }, 'base64'],
  ['base64url', { algorithm: 'aes', material: `${'-'.repeat(43)}=`, encoding: 'base64' }, 'base64'],
  ['a size of another algorithm', { algorithm: 'aes', material: '00'.repeat(20) }, 'size of aes'],
  ['a size that differs from the one named', { algorithm: 'aes', material: zero256, sizeBits: 128 }, 'size differs'],
  ['an RSA size that differs', { algorithm: 'rsa', material: keys.rsa.pem, sizeBits: 4096 }, 'size differs'],
  ['a curve that differs', { algorithm: 'ec', material: keys.ec.pem, curve: 'secp384r1' }, 'curveid differs'],
  ['an algorithm not offered', { algorithm: 'seed', material: zero256 }, 'seed is not offered'],
  ['tdes of one key twice', { algorithm: 'tdes', material: '0123456789abcdef'.repeat(2) }, 'must differ'],
  ['tdes that differs in parity', { algorithm: 'tdes', material: `${'01'.repeat(8)}${'00'.repeat(8)}` }, 'must differ'],
  [
    'tdes with a key again',
    { algorithm: 'tdes', material: `${'13'.repeat(8)}${'57'.repeat(8)}${'13'.repeat(8)}` },
    'must differ',
  ],
  ['a format for other keys', { algorithm: 'aes', material: zero256, format: 'pkcs8' }, 'format of aes'],
  ['raw bytes of an RSA key', { algorithm: 'rsa', material: zero256, format: 'raw' }, 'format of rsa'],
  ['a format the label denies', { algorithm: 'rsa', material: keys.rsa.pem, format: 'pkcs1' }, 'labelled PRIVATE KEY'],
  ['two PEM blocks', { algorithm: 'rsa', material: keys.rsa.pem + keys.rsa.pem }, 'one PEM block'],
  ['text that is no PEM', { algorithm: 'rsa', material: 'key' }, 'one PEM block'],
  ['more than 64 KiB', { algorithm: 'hmac-sha1', material: '00'.repeat(32_769) }, '65536'],
  ['DER that is no key', { algorithm: 'rsa', material: '3000', encoding: 'hex' }, 'not a key'],
  ['a PFX that is no DER', { algorithm: 'rsa', material: 'AAAA', format: 'pkcs12' }, 'DER'],
] as const)('refuses %s', async (_what, from, names) => {
  expect(await refused('RULE_BROKEN', () => importMaterial(from))).toContain(names)
})

test('no refusal repeats material', async () => {
  const marker = 'deadbeefcafe'
  const attempts = [
    { algorithm: 'aes', material: marker },
    { algorithm: 'aes', material: `${marker}z` },
    { algorithm: 'rsa', material: `-----BEGIN PRIVATE KEY-----\n${marker}\n-----END PRIVATE KEY-----` },
    { algorithm: 'rsa', material: marker, encoding: 'hex' },
    { algorithm: 'ec', material: marker, encoding: 'hex', format: 'pkcs12', password: marker },
  ] as const
  for (const from of attempts) {
    expect(await refused('RULE_BROKEN', () => importMaterial(from))).not.toContain(marker)
  }
})

test('wrapped bytes that are no key of the algorithm are refused', async () => {
  for (const algorithm of ['rsa', 'ec']) {
    await refused('RULE_BROKEN', () => materialFromBytes({ algorithm, bytes: SecretBytes.random(32) }))
    await refused('RULE_BROKEN', () =>
      materialFromBytes({ algorithm, format: 'pkcs12', bytes: SecretBytes.random(32) }),
    )
  }
})

test.each([
  ['an indefinite length', '3080020100', 'DER length'],
  ['a length longer than it need be', '3081030201' + '00', 'shortest'],
  ['an end that comes too soon', '30050201', 'cut short'],
  ['more than one element', '020100020100', 'after the end'],
  ['a tag of several bytes', '1f0100', 'several bytes'],
])('the DER reader refuses %s', (_what, bytes, names) => {
  expect(() => readDer(Buffer.from(bytes, 'hex'))).toThrow(names)
})

test.each([
  [0, '020100'],
  [127, '02017f'],
  [128, '02020080'],
  [200_000, '0203030d40'],
])('the DER writer spells integer %i as %s', (value, bytes) => {
  expect(derInteger(value).toString('hex')).toBe(bytes)
})

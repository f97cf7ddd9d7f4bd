import { expect, test } from 'vitest'
import { TAG, der, derInteger, oid } from '../../../../shared/crypto/asn1/der.ts'
import { pemOf } from '../../../../shared/crypto/asn1/pem.ts'
import { spkiOf } from '../../../../shared/crypto/public-half.ts'
import { sequence } from '../../../../shared/crypto/x509/encoding.ts'
import { encodeName, nameText, withAttribute } from '../../../../shared/crypto/x509/names.ts'
import { signed } from '../../../../shared/crypto/x509/signed.ts'
import { refused } from '../refused.ts'
import { file, openssl, pairs } from './openssl.ts'

const SHOP = encodeName({ cn: 'till', names: [{ C: 'DE', O: 'Shop', OU: 'Tills' }, { OU: 'North' }] })

const attribute = (type: string, value: string, tag = TAG.utf8String): Buffer =>
  sequence(oid(type), der(tag, Buffer.from(value)))
const [CN, UID] = ['2.5.4.3', '0.9.2342.19200300.100.1.1']

/** The Name as OpenSSL reads it from a request. */
async function seenByOpenssl(name: Buffer): Promise<string> {
  const key = pairs.p256.privateKey
  const content = sequence(derInteger(0), name, spkiOf(key), der(TAG.context0))
  const pem = pemOf('CERTIFICATE REQUEST', await signed(content, key))
  const { text } = openssl('req', '-in', file(pem), '-noout', '-subject', '-nameopt', 'RFC2253,-esc_msb,utf8')
  return text.trim().replace(/^subject=/, '')
}

test.each<[string, string, string]>([
  ['UID', '01f2-7', 'UID=01f2-7,CN=till,OU=North,OU=Tills,O=Shop,C=DE'],
  ['CN', 'Käse + "Wein"', 'CN=Käse \\+ \\"Wein\\",OU=North,OU=Tills,O=Shop,C=DE'],
  ['OU', 'Keys', 'CN=till,OU=Keys,O=Shop,C=DE'],
  ['C', 'FR', 'CN=till,OU=North,OU=Tills,O=Shop,C=FR'],
  ['emailAddress', 'a@shop.example', 'emailAddress=a@shop.example,CN=till,OU=North,OU=Tills,O=Shop,C=DE'],
  ['DC', 'shop', 'DC=shop,CN=till,OU=North,OU=Tills,O=Shop,C=DE'],
  ['serialNumber', '7', 'serialNumber=7,CN=till,OU=North,OU=Tills,O=Shop,C=DE'],
])('a name has %s once, and OpenSSL reads it', async (type, value, text) => {
  const name = withAttribute(SHOP, type, value)
  expect(nameText(name)).toBe(text)
  expect(await seenByOpenssl(name)).toBe(text)
  expect(withAttribute(name, type, value)).toEqual(name)
})

test('all other attributes keep their bytes, also those of an unknown type or encoding', () => {
  const others = [attribute('1.2.3.4', 'x'), attribute('2.5.4.10', '\0a', 0x1e)].map((one) => der(TAG.set, one))
  expect(withAttribute(sequence(...others), 'UID', '7')).toEqual(sequence(...others, der(TAG.set, attribute(UID, '7'))))
})

test('an attribute within a part of several is replaced there, in the order of DER', async () => {
  const uid = attribute(UID, '1')
  const both = sequence(der(TAG.set, attribute(CN, 'a'), uid)) // the shorter element comes first
  const long = attribute(CN, 'a long one')
  const name = withAttribute(both, 'CN', 'a long one')
  expect(name).toEqual(sequence(der(TAG.set, uid, long)))
  expect(await seenByOpenssl(name)).toBe('CN=a long one+UID=1')
})

test('a part that held only a repeated attribute is left out', () => {
  const twice = sequence(der(TAG.set, attribute(UID, '1')), der(TAG.set, attribute(UID, '2')))
  expect(withAttribute(twice, 'UID', '3')).toEqual(sequence(der(TAG.set, attribute(UID, '3'))))
})

test.each<[string, string, string]>([
  ['colour', 'red', 'must be one of CN, serialNumber, C,'],
  ['UID', '', 'not empty'],
  ['UID', 'a\0b', 'control characters'],
  ['UID', 'x'.repeat(257), 'at most 256'],
  ['C', 'DEU', 'at most 2'],
  ['C', 'de', 'two capital letters'],
  ['emailAddress', 'ä@shop.example', 'ASCII'],
  ['DC', 'ä', 'ASCII'],
  ['serialNumber', 'a_b', 'letters, digits'],
])('%s as %j is refused', async (type, value, names) => {
  expect(await refused('RULE_BROKEN', () => withAttribute(SHOP, type, value))).toContain(names)
})

test('a name has at most 32 attributes, and must be one', async () => {
  const full = encodeName({ cn: 'a', names: Array.from({ length: 31 }, () => ({ OU: 'x' })) })
  expect(nameText(withAttribute(full, 'CN', 'b'))).toContain('CN=b,')
  expect(await refused('RULE_BROKEN', () => withAttribute(full, 'UID', '7'))).toContain('at most 32')
  expect(() => withAttribute(Buffer.from('hello'), 'UID', '7')).toThrow()
})

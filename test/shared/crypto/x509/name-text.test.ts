import { expect, test } from 'vitest'
import { spelledName } from '../../../../shared/crypto/x509/name-text.ts'
import { encodeName, nameText } from '../../../../shared/crypto/x509/names.ts'

/** names of RFC 4514 §4 and other texts, with their canonical spelling */
test.each<[string, string]>([
  ['UID=jsmith,DC=example,DC=net', 'UID=jsmith,DC=example,DC=net'],
  ['OU=Sales+CN=J.  Smith,DC=example,DC=net', 'CN=J.  Smith+OU=Sales,DC=example,DC=net'],
  ['CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net', 'CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net'],
  ['CN=Before\\0dAfter,DC=example,DC=net', 'CN=Before\\0dAfter,DC=example,DC=net'],
  ['1.3.6.1.4.1.1466.0=#04024869', '1.3.6.1.4.1.1466.0=#04024869'],
  ['CN=Lu\\C4\\8Di\\C4\\87', 'CN=Lučić'],
  ['cn = shop , o = Shop', 'CN=shop,O=Shop'],
  ['2.5.4.3=shop', 'CN=shop'],
  ['CN=#0c0473686f70', 'CN=shop'],
  ['CN=#0C0473686F70', 'CN=shop'],
  ['CN=#0402ABCD', 'CN=#0402abcd'],
  ['CN=a\\2Bb', 'CN=a\\+b'],
  ['CN=\\#a', 'CN=\\#a'],
  ['CN=\\ a\\ ', 'CN=\\ a\\ '],
  ['CN=Shop', 'CN=Shop'],
])('%s is spelled %s', (given, spelled) => {
  expect(spelledName(given)).toBe(spelled)
  expect(spelledName(spelled)).toBe(spelled)
})

test.each([
  ...['', 'shop', '=shop', 'CN=', 'CN=,O=Shop', 'CN=a,', ',CN=a', 'CN=a,,O=b', 'CN=a+', '+CN=a'],
  ...['XX=a', '1.2.3=text', '2=a', 'CN="quoted"', 'CN=a;O=b', 'CN=a<b', 'CN=a\\', 'CN=a\\zb', 'CN=\0', 'CN=a\\ff'],
  ...['CN=#', 'CN=#0', 'CN=#zz'],
])('%j is no name', (text) => {
  expect(spelledName(text)).toBeUndefined()
})

test('the text of a name is its one spelling', () => {
  const names = ['plain', ' spaces ', '#hash', 'a,b+c;d<e>f"g\\h', 'Käse', 'a=b', '💡']
  for (const cn of names) {
    const text = nameText(encodeName({ cn, names: [{ C: 'DE', O: 'Shop, and more', OU: cn }] }))
    expect(spelledName(text)).toBe(text)
  }
})

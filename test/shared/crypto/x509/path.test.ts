import { expect, test } from 'vitest'
import { readPathFacts } from '../../../../shared/crypto/x509/path.ts'
import { rootOf } from './authority.ts'
import { bytesBy, file, pairs } from './openssl.ts'

/** A self-signed certificate by openssl with these extensions. */
function certificate(extensions: readonly string[], subject = '/CN=one', key = pairs.p256.privateKey): string {
  const added = extensions.flatMap((one) => ['-addext', one])
  const by = ['-key', file(key.export({ type: 'pkcs8', format: 'pem' })), '-subj', subject, '-days', '9']
  const rest = ['-config', file('[req]\ndistinguished_name=dn\n[dn]\n')]
  return bytesBy('req', '-x509', '-new', ...by, ...rest, ...added).toString()
}
const AUTHORITY = 'basicConstraints=critical,CA:TRUE'

test('our authorities may have any number of others below them, and are no client certificates', async () => {
  const facts = readPathFacts(await rootOf(pairs.p384))
  expect(facts).toEqual({ isAuthority: true, pathLength: undefined, provesClients: true, uids: [] })
})

test.each<[string, string[], object]>([
  ['a path length of none', [`${AUTHORITY},pathlen:0`], { isAuthority: true, pathLength: 0 }],
  ['a path length', [`${AUTHORITY},pathlen:3`], { isAuthority: true, pathLength: 3 }],
  ['constraints that are not critical', ['basicConstraints=CA:TRUE'], { isAuthority: true, pathLength: undefined }],
  ['an authority without keyCertSign', [AUTHORITY, 'keyUsage=cRLSign'], { isAuthority: false }],
  ['an authority for servers alone', [AUTHORITY, 'extendedKeyUsage=serverAuth'], { provesClients: false }],
  ['no extensions of use', ['subjectKeyIdentifier=none', 'subjectAltName=DNS:a'], { provesClients: true }],
  ['a key that signs', ['keyUsage=critical,digitalSignature'], { provesClients: true, isAuthority: false }],
  ['a key that agrees', ['keyUsage=keyAgreement'], { provesClients: true }],
  ['a key that only encrypts', ['keyUsage=critical,keyEncipherment'], { provesClients: false }],
  ['clients among purposes', ['extendedKeyUsage=serverAuth,clientAuth'], { provesClients: true }],
  ['servers alone', ['extendedKeyUsage=serverAuth'], { provesClients: false }],
  ['any purpose, which names none', ['extendedKeyUsage=anyExtendedKeyUsage'], { provesClients: false }],
  ['policies, critical', ['certificatePolicies=critical,1.2.3.4'], { provesClients: true }],
  ['an unknown extension, not critical', ['1.2.3.4=ASN1:NULL'], { provesClients: true }],
])('rules of a certificate with %s', (_what, extensions, facts) => {
  expect(readPathFacts(certificate(extensions))).toMatchObject(facts)
})

test.each<[string, string[]]>([
  ['an unknown critical extension', ['1.2.3.4=critical,ASN1:NULL']],
  ['constraints of names', [AUTHORITY, 'nameConstraints=permitted;DNS:example.com']],
  ['constraints of names, critical', [AUTHORITY, 'nameConstraints=critical,permitted;DNS:example.com']],
  ['constraints of policies, critical', [AUTHORITY, 'policyConstraints=critical,requireExplicitPolicy:0']],
])('no path has a certificate with %s', (_what, extensions) => {
  expect(readPathFacts(certificate(extensions))).toBeUndefined()
})

test.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n'])(
  'no path has %j',
  (text) => expect(readPathFacts(text)).toBeUndefined(),
)

test('values of UID are returned in the order of the subject', () => {
  const { uids } = readPathFacts(certificate(['basicConstraints=CA:FALSE'], '/UID=7/CN=x/UID=eight')) ?? {}
  expect(uids).toEqual(['7', 'eight'])
})

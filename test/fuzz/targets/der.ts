import { Refusal } from '../../../shared/base/errors.ts'
import { derOfBer } from '../../../shared/crypto/asn1/ber.ts'
import { DerError, bigintOf, dottedOf, membersOf, readDer, TAG, type Der } from '../../../shared/crypto/asn1/der.ts'
import { pemOf } from '../../../shared/crypto/asn1/pem.ts'
import { readCertificate } from '../../../shared/crypto/x509/certificate.ts'
import { readOcspRequest } from '../../../shared/crypto/x509/revocation/ocsp-request.ts'
import keys from '../../vectors/key-files.json' with { type: 'json' }
import { filled, manyMembers, nestedDer, refusing, type Target } from '../target.ts'

const CONSTRUCTED = 0x20

/** Reads all that an element contains, and its value as each type. */
function walk(element: Der): void {
  refusing([DerError], () => bigintOf(element))
  refusing([DerError], () => dottedOf(element))
  if ((element.tag & CONSTRUCTED) === 0) return
  const open = [element]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const parent = next
    refusing([DerError], () => {
      for (const member of membersOf(parent)) if ((member.tag & CONSTRUCTED) !== 0) open.push(member)
    })
  }
}

const known = Buffer.from('3082000a0201050c0548656c6c6f', 'hex')

export const target: Target = {
  parse: (bytes) => {
    refusing([DerError], () => {
      walk(readDer(bytes))
    })
    refusing([DerError, Refusal], () => derOfBer(bytes))
    refusing([DerError, Refusal], () => readCertificate(pemOf('CERTIFICATE', bytes)))
    refusing([DerError, Refusal], () => readOcspRequest(bytes))
  },
  seeds: () => [known, Buffer.from(JSON.stringify(keys).match(/MII[A-Za-z0-9+/=]+/)?.[0] ?? '', 'base64')],
  shapes: () => ({
    'sequences in sequences': nestedDer(TAG.sequence),
    'many empty members': manyMembers(TAG.sequence, Buffer.of(5, 0)),
    'many small sequences': manyMembers(TAG.sequence, Buffer.of(TAG.sequence, 0)),
    'one large integer': manyMembers(TAG.integer, Buffer.of(0x7f)),
    'one large object identifier': manyMembers(6, Buffer.of(0xff)),
    'indefinite lengths inside each other': Buffer.from('3080'.repeat(32_768), 'hex'),
    'a false length': Buffer.from(`3084ffffffff${'00'.repeat(65_000)}`, 'hex'),
    'a text': filled('A'),
  }),
}

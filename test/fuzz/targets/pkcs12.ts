import { Refusal } from '../../../shared/base/errors.ts'
import { DerError, TAG } from '../../../shared/crypto/asn1/der.ts'
import { openEncryptedPkcs8, openPkcs12 } from '../../../shared/crypto/material/pkcs12.ts'
import files from '../../vectors/key-files.json' with { type: 'json' }
import { manyMembers, nestedDer, refusing, type Target } from '../target.ts'

/** Base64 texts of DER in the vectors. */
const derTexts = (JSON.stringify(files).match(/MI[IM][A-Za-z0-9+/=]{200,}/g) ?? []).slice(0, 12)

export const target: Target = {
  parse: (bytes) => {
    refusing([Refusal], () => openPkcs12(bytes, 'correct-horse'))
    refusing([Refusal, DerError], () => openEncryptedPkcs8(bytes, 'correct-horse'))
  },
  seeds: () => derTexts.map((text) => Buffer.from(text, 'base64')),
  shapes: () => ({
    'sequences in sequences': nestedDer(TAG.sequence),
    'many empty members': manyMembers(TAG.sequence, Buffer.of(5, 0)),
    'octet strings in octet strings': nestedDer(0x24),
    'indefinite lengths inside each other': Buffer.from('3080'.repeat(32_768), 'hex'),
    'many open octet strings': Buffer.from(`3080${'2480'.repeat(32_000)}`, 'hex'),
  }),
}

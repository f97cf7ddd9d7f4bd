import * as z from 'zod'
import { atMostOne, requires, withRules } from '../../http/rules.ts'
import { fewAlternatives } from '../../http/subject-names.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'
import { Pem } from '../facts.ts'
import { sizeFitsAlgorithm, subjectFields } from '../subject.ts'

/** Ours: maximum characters of a key's password, as in the vault. */
const PASSWORD_MOST = 1_024

export const MakeRequest = withRules(
  strictObject(() => ({
    ...subjectFields,
    algorithm: subjectFields.algorithm.unwrap().optional().meta({ description: 'of a new key; ECDSA without it' }),
    encryptionAlgo: z.enum(['aes256']).optional().meta({ description: 'how the key is encrypted: aes256 without it' }),
    password: z.string().min(1).max(PASSWORD_MOST).optional().meta({ description: 'encrypts the key in the answer' }),
    privateKeyBytes: Pem.optional().meta({ description: 'PEM of an existing private key, in the place of a new one' }),
  })),
  sizeFitsAlgorithm,
  fewAlternatives,
  requires('encryptionAlgo', 'password'),
  atMostOne('privateKeyBytes', 'algorithm'),
  atMostOne('privateKeyBytes', 'size'),
)
export type MakeRequest = z.infer<typeof MakeRequest>

/** A request and its key. Neither is stored. */
export const MadeRequest = object(() => ({
  csr: z.string().meta({ description: 'PEM' }),
  key: z.string().meta({ description: 'PEM of the private key, in PKCS #8' }),
}))
export type MadeRequest = z.infer<typeof MadeRequest>

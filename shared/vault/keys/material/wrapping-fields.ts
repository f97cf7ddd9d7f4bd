import * as z from 'zod'
import { NameOrId } from '../../../http/common-fields.ts'
import { atMostOne, withRules, type Rule } from '../../../http/rules.ts'
import { isGiven, type Fields } from '../../../base/json.ts'
import { strictObject } from '../../../base/lazy-fields.ts'

/** Fields that describe how material is protected in an import or export, and the rules between them. */

export const FORMATS = ['raw', 'pkcs1', 'pkcs8', 'pkcs12', 'opaque', 'jwe'] as const
export const ENCODINGS = ['hex', 'base64'] as const

export const Format = z.enum(FORMATS).meta({
  description: 'jwe: a compact JWE (RFC 7516) around a JWK, under wrapKeyName, wrapPublicKey or password',
})
export const Password = z.string().min(1).max(1_024).meta({
  description:
    'of a PFX, an encrypted PKCS #8 key, a JWE, or of wrappingMethod pbe; 1 to 1,024 characters, never kept. An export derives its key with 600,000 rounds of PBKDF2 (200,000 for a PFX); an import takes 1,000 to 2,000,000 rounds (1 to 600,000 without wrappingMethod pbe and format jwe)',
})

/** Fields common to an import and an export. */
export const wrapping = {
  wrapKeyName: NameOrId.optional().meta({ description: 'the local key that wraps, or that MACs or signs' }),
  wrapKeyIDType: z.enum(['id', 'name', 'uri', 'alias']).optional(),
  wrappingMethod: z.enum(['encrypt', 'mac/sign', 'pbe']).optional().meta({
    description:
      'encrypt: under a key (default). mac/sign: in the clear, beside the MAC or signature that wrapKeyName makes of its bytes (raw, or DER). pbe: under password, as an ENCRYPTED PRIVATE KEY or, if it is no private key in pkcs8, in the same structure with AES key wrap',
  }),
  wrappingEncryptionAlgo: z.enum(['AES/AESKEYWRAP', 'AES/AESKEYWRAPPADDING', 'RSA/RSAAESKEYWRAPPADDING']).optional(),
  wrapPublicKeyPadding: z.enum(['pkcs1', 'oaep', 'oaep256', 'oaep384', 'oaep512']).optional(),
}

/** Ours: the field with a MAC or signature. */
const macSignature = {
  macSignature: z.string().min(1).max(16_384).optional().meta({
    description: 'the MAC or signature of wrappingMethod mac/sign, in encoding, base64 without one',
  }),
}
export const importWrapping = { ...wrapping, ...macSignature }
export const macSigned = {
  ...macSignature,
  macSignatureAlgorithm: z.string().optional().meta({
    description:
      'hmac-… with the hash of the HMAC key, rsa-pss-sha256, ecdsa-sha… in DER by the size of the curve, or ed25519',
  }),
}

/** The fields that replace a key to wrap with, or that name one. */
const hasKey = ({ wrapKeyName, wrapPublicKey }: Fields): boolean => isGiven(wrapKeyName) || isGiven(wrapPublicKey)

const methodNeeds = (method: string, what: string, isMet: (body: Fields) => boolean): Rule => ({
  message: `wrappingMethod ${method} ${what}`,
  field: 'wrappingMethod',
  broken: (body) => body.wrappingMethod === method && !isMet(body),
})

const needsKeyAndEncrypt = (field: string, doesFit: (body: Fields) => boolean, what: string): Rule => ({
  message: `${field} goes with a key that encrypts${what}`,
  field,
  broken: (body) =>
    isGiven(body[field]) && !(hasKey(body) && (body.wrappingMethod ?? 'encrypt') === 'encrypt' && doesFit(body)),
})

const COMMON: readonly Rule[] = [
  methodNeeds('encrypt', 'needs a key to wrap with', hasKey),
  methodNeeds('pbe', 'needs a password, and no key', (body) => isGiven(body.password) && !hasKey(body)),
  methodNeeds(
    'pbe',
    'does not go with format pkcs12, which has a password of its own',
    ({ format }) => format !== 'pkcs12',
  ),
  methodNeeds('mac/sign', 'goes with formats in the clear', ({ format }) => format !== 'pkcs12' && format !== 'jwe'),
  needsKeyAndEncrypt('wrappingEncryptionAlgo', ({ format }) => format !== 'jwe', ', and not with format jwe'),
  needsKeyAndEncrypt('wrapPublicKeyPadding', () => true, ''),
  {
    message: 'format jwe needs a key to wrap with, or a password',
    field: 'format',
    broken: (body) => body.format === 'jwe' && !hasKey(body) && !isGiven(body.password),
  },
  {
    message: 'encoding does not go with format jwe, which is text',
    field: 'encoding',
    broken: ({ format, encoding }) => format === 'jwe' && isGiven(encoding),
  },
]

export const IMPORT_RULES: readonly Rule[] = [
  ...COMMON,
  atMostOne('password', 'wrapKeyName'),
  methodNeeds('mac/sign', 'needs wrapKeyName and macSignature', (body) => hasKey(body) && isGiven(body.macSignature)),
  {
    message: 'macSignature goes with wrappingMethod mac/sign',
    field: 'macSignature',
    broken: (body) => isGiven(body.macSignature) && body.wrappingMethod !== 'mac/sign',
  },
]

export const EXPORT_RULES: readonly Rule[] = [
  ...COMMON,
  atMostOne('wrapKeyName', 'wrapPublicKey'),
  atMostOne('password', 'wrapKeyName'),
  atMostOne('password', 'wrapPublicKey'),
  methodNeeds('mac/sign', 'needs wrapKeyName', ({ wrapKeyName }) => isGiven(wrapKeyName)),
]

export const ExportLocalKey = withRules(
  strictObject(() => ({
    format: Format.optional(),
    encoding: z.enum(ENCODINGS).optional(),
    wrapPublicKey: z.string().min(1).max(8_192).optional().meta({ description: 'PEM of the RSA key that wraps' }),
    combineXts: z.boolean().optional().meta({
      description: 'of an xts key: both halves in one piece, as for an import, or, if false, separately',
      default: true,
    }),
    password: Password.optional(),
    ...wrapping,
  })),
  ...EXPORT_RULES,
)
export type ExportLocalKey = z.infer<typeof ExportLocalKey>

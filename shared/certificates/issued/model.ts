import * as z from 'zod'
import { Name, Resource, Time, Uuid } from '../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, listQuery } from '../../http/lists/list-query.ts'
import { withRules } from '../../http/rules.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'
import { certificateFilters } from '../authorities/model.ts'
import { certificateFields, Pem } from '../facts.ts'
import { VALIDITY_RULES, validityFields } from '../validity.ts'

export const PURPOSES = ['server', 'client', 'ca'] as const
export const CERTIFICATE_STATES = ['active', 'revoked', 'hold', 'expired'] as const

/** @see RFC 5280 §5.3.1 */
export const REASONS = [
  'unspecified',
  'keyCompromise',
  'cACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  'removeFromCRL',
  'privilegeWithdrawn',
  'aACompromise',
] as const

const { sha1Fingerprint: _, sha512Fingerprint: __, ...shownFields } = certificateFields

/** A certificate that a local authority issued, in answers. */
export const IssuedCertificate = extended(Resource, () => ({
  name: z.string(),
  ca: z.string().meta({ description: 'uri of the authority' }),
  purpose: z.enum(PURPOSES),
  state: z.enum(CERTIFICATE_STATES),
  ...shownFields,
  revoked_at: Time.optional(),
  revoked_reason: z.enum(REASONS).optional(),
  warnings: z.array(z.string()).optional().meta({ description: 'possible omissions of the request' }),
}))
export type IssuedCertificate = z.infer<typeof IssuedCertificate>

export const IssueCertificate = withRules(
  strictObject(() => ({
    csr: Pem.meta({ description: 'PEM of the request' }),
    purpose: z.enum(PURPOSES),
    name: Name.optional().meta({ description: 'cert-<id> without it' }),
    ...validityFields,
  })),
  ...VALIDITY_RULES,
)
export type IssueCertificate = z.infer<typeof IssueCertificate>

export const RevokeCertificate = strictObject(() => ({ reason: z.enum(REASONS) }))
export type RevokeCertificate = z.infer<typeof RevokeCertificate>

export const CertificatePath = z.strictObject({ caid: Uuid, id: Uuid })
export const AuthorityPath = z.strictObject({ caid: Uuid })

export const IssuedCertificateQuery = listQuery(IssuedCertificate, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'serialNumber'),
  ...certificateFilters,
  state: anyOf(CERTIFICATE_STATES).optional(),
}))
export type IssuedCertificateQuery = z.infer<typeof IssuedCertificateQuery>

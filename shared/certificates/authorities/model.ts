import * as z from 'zod'
import { picked } from '../../base/fields.ts'
import { Name, Resource, Uuid } from '../../http/common-fields.ts'
import { anyOf, anyPatterns, anyText, anyTexts, listQuery, oneText } from '../../http/lists/list-query.ts'
import { withRules } from '../../http/rules.ts'
import { fewAlternatives } from '../../http/subject-names.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'
import { certificateFields, Pem } from '../facts.ts'
import { sizeFitsAlgorithm, subjectFields } from '../subject.ts'
import { VALIDITY_RULES, validityFields } from '../validity.ts'

export const CA_STATES = ['pending', 'active', 'expired'] as const

const Purpose = object(() => ({
  client_authentication: z.boolean().meta({ description: 'whether clients log in with its certificates' }),
  user_authentication: z.boolean().meta({ description: 'whether users log in with its certificates' }),
}))

/** An authority whose key is in the vault, in answers. */
export const LocalCa = extended(Resource, () => ({
  name: z.string(),
  state: z.enum(CA_STATES),
  csr: z.string().meta({ description: 'PEM of the request for its certificate' }),
  ...certificateFields,
  purpose: Purpose,
})).partial({
  cert: true,
  serialNumber: true,
  issuer: true,
  notBefore: true,
  notAfter: true,
  sha1Fingerprint: true,
  sha256Fingerprint: true,
  sha512Fingerprint: true,
})
export type LocalCa = z.infer<typeof LocalCa>

/** An authority whose key is elsewhere, in answers. */
export const ExternalCa = extended(Resource, () => ({
  name: z.string(),
  state: z.enum(['active', 'expired']),
  ...certificateFields,
  purpose: Purpose,
}))
export type ExternalCa = z.infer<typeof ExternalCa>

const ROW = ['id', 'name', 'subject', 'issuer', 'sha256Fingerprint', 'notAfter', 'createdAt', 'updatedAt'] as const
/** Fields of an authority in the rows of lists. */
export const caRow = <T extends Pick<LocalCa, (typeof ROW)[number]>>(authority: T) => picked(authority, ...ROW)

export const CreateLocalCa = withRules(
  strictObject(() => ({
    name: Name.optional().meta({ description: 'ca-<id> without it' }),
    ...subjectFields,
  })),
  sizeFitsAlgorithm,
  fewAlternatives,
)
export type CreateLocalCa = z.infer<typeof CreateLocalCa>

/** The kinds of callers that certificates of an authority authenticate. */
export const UpdateCa = strictObject(() => ({
  allow_client_authentication: z.boolean().optional(),
  allow_user_authentication: z.boolean().optional(),
}))
export type UpdateCa = z.infer<typeof UpdateCa>

export const SelfSign = withRules(z.strictObject(validityFields), ...VALIDITY_RULES)
export type SelfSign = z.infer<typeof SelfSign>

export const InstallCertificate = strictObject(() => ({
  cert: Pem.meta({ description: "PEM of the certificate that was made of the authority's request" }),
  parent_id: Uuid.meta({ description: 'the external authority that signed it' }),
}))
export type InstallCertificate = z.infer<typeof InstallCertificate>

export const CreateExternalCa = strictObject(() => ({
  name: Name.optional().meta({ description: 'ca-<id> without it' }),
  cert: Pem.meta({ description: 'PEM of the certificate of an authority' }),
  parent: Uuid.optional().meta({ description: 'the external authority that signed it' }),
}))
export type CreateExternalCa = z.infer<typeof CreateExternalCa>

/** Names of subjects contain commas, so each filter accepts one value. */
export const certificateFilters = {
  subject: oneText().optional(),
  issuer: oneText().optional(),
  cert: anyText(Pem).optional(),
}

export const LocalCaQuery = listQuery(LocalCa, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id'),
  ...certificateFilters,
  state: anyOf(CA_STATES).optional(),
}))
export type LocalCaQuery = z.infer<typeof LocalCaQuery>

export const ExternalCaQuery = listQuery(ExternalCa, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id'),
  ...certificateFilters,
  state: anyOf(['active', 'expired']).optional(),
}))
export type ExternalCaQuery = z.infer<typeof ExternalCaQuery>

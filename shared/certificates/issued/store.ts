import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { picked } from '../../base/fields.ts'
import { HOUR_MS, later } from '../../base/time.ts'
import { entity } from '../../store/entity.ts'
import { IssuedCertificate, REASONS } from './model.ts'

const StoredCertificate = IssuedCertificate.omit({ state: true }).extend({
  /** id of the authority */
  ca_id: z.string(),
})
export type StoredCertificate = z.infer<typeof StoredCertificate>

/** The set of the certificates of an authority. */
export const issuedBy = (authorityId: string): string => `of ${authorityId}`

/** Serial numbers are unique for each authority. */
export const serialOf = (authorityId: string, serialNumber: string): string => `${authorityId} ${serialNumber}`

/** Reads served: a certificate by id; by name; by the serial number that its authority gave it; those of an authority; all. */
export const issuedCertificates = entity({
  name: 'ca-certificate',
  schema: StoredCertificate,
  id: ({ id }) => id,
  unique: ({ name, ca_id, serialNumber }) => ({ name: [name], serial: [serialOf(ca_id, serialNumber)] }),
  sets: ({ ca_id }) => ['all', issuedBy(ca_id)],
  row: (certificate) =>
    picked(
      certificate,
      'id',
      'name',
      'subject',
      'issuer',
      'serialNumber',
      'sha256Fingerprint',
      'notAfter',
      'revoked_reason',
      'createdAt',
      'updatedAt',
    ),
})
export type CertificateRow = ReturnType<typeof issuedCertificates.row>

/** The published entry of a certificate that was revoked or is on hold. It outlives the certificate's record. */
const Revocation = z.object({
  ca_id: z.string(),
  serialNumber: z.string(),
  at: Time,
  reason: z.enum(REASONS),
  /** the end of the certificate */
  notAfter: Time,
})
export type Revocation = z.infer<typeof Revocation>

/** Ours: after this time a client asks again for a list of revoked certificates. */
export const UPDATED_AFTER_MS = 24 * HOUR_MS

/**
 * The end of a revocation's publication: it is in a list that is issued after the end of its certificate.
 * @see RFC 5280 §3.3
 */
export const publishedUntil = ({ notAfter }: Pick<Revocation, 'notAfter'>): Date =>
  later(new Date(notAfter), UPDATED_AFTER_MS)

/** Kind of due work: the removal of revocations that are published no more. */
export const EXPIRE_REVOCATION = 'expire-ca-revocation'

/** Reads served: by serial number; those of an authority; all; those that are published no more. */
export const revocations = entity({
  name: 'ca-revocation',
  schema: Revocation,
  id: ({ ca_id, serialNumber }) => serialOf(ca_id, serialNumber),
  sets: ({ ca_id }) => ['all', issuedBy(ca_id)],
  row: ({ serialNumber, at, reason, notAfter }) => ({ serialNumber, at, reason, notAfter }),
  due: (revocation) => ({ what: EXPIRE_REVOCATION, at: publishedUntil(revocation).toISOString() }),
})

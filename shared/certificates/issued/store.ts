import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { picked } from '../../base/fields.ts'
import { HOUR_MS, later } from '../../base/time.ts'
import { entity } from '../../store/entity.ts'
import { IssuedCertificate, REASONS } from './model.ts'
import { extended, object } from '../../base/lazy-fields.ts'

const StoredCertificate = extended(IssuedCertificate.omit({ state: true }), () => ({
  /** id of the authority */
  ca_id: z.string(),
  /** whether a member of `admin` issued it; absent in records of former releases */
  by_admin: z.boolean().optional(),
}))
export type StoredCertificate = z.infer<typeof StoredCertificate>

/** The set of the certificates of an authority. */
export const issuedBy = (authorityId: string): string => `of ${authorityId}`

/** Serial numbers are unique within each authority. */
export const serialOf = (authorityId: string, serialNumber: string): string => `${authorityId} ${serialNumber}`

/**
 * Supported reads: a certificate by id; by name; by the serial number from its authority; those of an authority; all.
 */
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

/** The published entry of a certificate that is revoked or on hold. It outlives the certificate's record. */
const Revocation = object(() => ({
  ca_id: z.string(),
  serialNumber: z.string(),
  at: Time,
  reason: z.enum(REASONS),
  /** expiry of the certificate */
  notAfter: Time,
}))
export type Revocation = z.infer<typeof Revocation>

/** Ours: time after which a client requests a new revocation list. */
export const UPDATED_AFTER_MS = 24 * HOUR_MS

/**
 * The end of a revocation's publication: it must be in a list that is issued after the expiry of its certificate.
 * @see RFC 5280 §3.3
 */
export const publishedUntil = ({ notAfter }: Pick<Revocation, 'notAfter'>): Date =>
  later(new Date(notAfter), UPDATED_AFTER_MS)

/** Kind of due work: removing revocations that are no longer published. */
export const EXPIRE_REVOCATION = 'expire-ca-revocation'

/** Supported reads: by serial number; those of an authority; all; those that are no longer published. */
export const revocations = entity({
  name: 'ca-revocation',
  schema: Revocation,
  id: ({ ca_id, serialNumber }) => serialOf(ca_id, serialNumber),
  sets: ({ ca_id }) => ['all', issuedBy(ca_id)],
  row: ({ serialNumber, at, reason, notAfter }) => ({ serialNumber, at, reason, notAfter }),
  due: (revocation) => ({ what: EXPIRE_REVOCATION, at: publishedUntil(revocation).toISOString() }),
})

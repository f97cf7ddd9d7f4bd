import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { object, strictObject } from '../../../base/lazy-fields.ts'

const PEM_CHARACTERS = 65_536

/** The certificate of sessions at the host of an endpoint. */
export const SessionCertificate = object(() => ({
  host: z.string().meta({ description: 'every endpoint with this host has the same certificate' }),
  certificate: z.string().meta({ description: 'PEM; the client must trust it or an authority that issued it' }),
  notAfter: Time,
  sha256Fingerprint: z.string(),
  updatedAt: Time.optional(),
}))
export type SessionCertificate = z.infer<typeof SessionCertificate>

/** A certificate of another authority, with its chain and its ECDSA P-256 key. */
export const ReplaceSessionCertificate = strictObject(() => ({
  certificate: z.string().min(1).max(PEM_CHARACTERS),
  private_key: z.string().min(1).max(PEM_CHARACTERS).meta({ writeOnly: true, description: 'PEM, not encrypted' }),
}))
export type ReplaceSessionCertificate = z.infer<typeof ReplaceSessionCertificate>

import { reached } from '../../base/time.ts'
import type { TrustedCertificate } from '../certificate-trust.ts'
import type { StoredClient } from './store.ts'

type Registered = Pick<
  StoredClient,
  'id' | 'ca_id' | 'authentication_mode' | 'sha256_fingerprint' | 'not_before' | 'former'
>

/**
 * Whether a certificate identifies a client: by its fingerprint, or by the client's id as the only UID of its subject.
 * Ours: of the certificates with the client's id, those that are valid from before the registered one were replaced by
 * it. The last of them can still log in for a while, according to the record.
 */
export function isRecognized(client: Registered, certificate: TrustedCertificate, now: Date): boolean {
  const { sha256_fingerprint: registered, former } = client
  const { sha256Fingerprint: given, authorityId, uids, notBefore } = certificate
  if (former !== undefined && given === former.sha256_fingerprint) return !reached(former.until, now)
  if (client.authentication_mode === 'fingerprint') return given === registered
  const isNamed = authorityId === client.ca_id && uids.length === 1 && uids[0] === client.id
  return isNamed && (given === registered || Date.parse(notBefore) >= Date.parse(client.not_before))
}

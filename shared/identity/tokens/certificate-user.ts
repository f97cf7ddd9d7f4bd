import { Refusal } from '../../base/errors.ts'
import { thumbprintOf } from '../../crypto/x509/thumbprint.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { certificateTrust } from '../certificate-trust.ts'
import { users, type StoredUser } from '../users/store.ts'
import { subjectKeyOf } from '../users/ways-in.ts'

/** The user of a domain with the certificate's subject, if an authority of that domain trusts the certificate. */
export async function userOfCertificate(
  domainId: string,
  pem: string,
  now: Date,
): Promise<Stored<StoredUser> | undefined> {
  const { trusted } = await certificateTrust()
  const certificate = await trusted(domainId, pem, 'user', now)
  const key = certificate && subjectKeyOf(certificate.subject)
  return key === undefined ? undefined : users.find(domainId, 'subject', key)
}

/**
 * Ours: a log-in by certificate can only be renewed with a certificate, so that it ends with the certificate: by its
 * expiry, its revocation, or the flag of its authority.
 * @returns SHA-256 of the certificate to which the next token is bound
 * @throws Refusal TOKEN_INVALID
 */
export async function provenAgain(
  { clientCertificate: pem, now }: Pick<Context, 'clientCertificate' | 'now'>,
  homeDomainId: string,
  { user_id: userId }: StoredUser,
): Promise<string> {
  const proven = pem === undefined ? undefined : await userOfCertificate(homeDomainId, pem, now)
  if (pem === undefined || proven?.item.user_id !== userId)
    throw new Refusal(
      'TOKEN_INVALID',
      'A log-in by certificate is renewed at the host with mutual TLS, with a certificate of its user.',
    )
  return thumbprintOf(pem)
}
